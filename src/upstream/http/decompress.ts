import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { UpstreamError } from '../../core/failure.ts'
import type { BodySink, HttpResponse } from '../http.ts'
import { SafeSink } from './safeSink.ts'

/** So many more bytes may have arrived than came out of them: one that holds nothing would go on without end. */
export const DECODED_DEFICIT_MAX = 64 * 1024

/**
 * The answer with its body as it was before a `content-encoding`. We ask for none, so this is for
 * providers, and proxies before them, that compress regardless. An unknown encoding refuses the call.
 */
export function decoded(
  response: HttpResponse,
  refuse: (error: UpstreamError) => void,
  report: (error: unknown) => void,
): HttpResponse {
  const encoding = response.headers.get('content-encoding')?.toLowerCase()
  if (encoding === undefined || encoding === 'identity' || encoding === '') return response
  const decoder = decoderFor(encoding)
  if (decoder) return new DecodedResponse(response, decoder, report)
  response.abort()
  const detail = `unknown content-encoding ${encoding}`
  refuse(new UpstreamError({ kind: 'invalid_answer', code: 'unknown_encoding', detail }))
  return response
}

function decoderFor(encoding: string): Transform | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      return undefined
  }
}

const HOLDS_NOTHING = 'it is larger than what it holds'

class DecodedResponse implements HttpResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly #response: HttpResponse
  readonly #decoder: Transform
  readonly #report: (error: unknown) => void
  /** The decoder takes no more for now. */
  #full = false
  #paused = false
  /** Compressed bytes that were decompressed, and what came out of them. */
  #arrived = 0
  #out = 0

  constructor(response: HttpResponse, decoder: Transform, report: (error: unknown) => void) {
    this.status = response.status
    this.headers = response.headers
    this.#response = response
    this.#decoder = decoder
    this.#report = report
  }

  consume(reader: BodySink): void {
    const decoder = this.#decoder
    const sink = new SafeSink(reader, () => this.abort(), this.#report)
    // After `abort` none of these is called any more, and nothing that they call throws.
    decoder.on('data', (bytes: Uint8Array) => {
      this.#out += bytes.length
      sink.data(bytes)
    })
    decoder.on('end', () => sink.end())
    decoder.on('error', (cause) => {
      this.#response.abort()
      const detail = `the body does not decode: ${cause.message}`
      sink.fail(new UpstreamError({ kind: 'invalid_answer', code: 'bad_encoding', detail }, { cause }))
    })
    decoder.on('drain', () => {
      this.#full = false
      this.#resumeWhenReady()
    })
    this.#response.consume({
      data: (bytes) => {
        const takesMore = decoder.write(bytes, (error) => {
          if (error) return
          this.#arrived += bytes.length
          if (this.#arrived - this.#out > DECODED_DEFICIT_MAX) decoder.destroy(new Error(HOLDS_NOTHING))
        })
        if (takesMore) return
        this.#full = true
        this.#response.pause()
      },
      end: () => void decoder.end(),
      fail: (error) => {
        sink.fail(error)
        decoder.destroy()
      },
    })
  }

  pause(): void {
    this.#paused = true
    this.#decoder.pause()
    this.#response.pause()
  }

  resume(): void {
    this.#paused = false
    this.#decoder.resume()
    this.#resumeWhenReady()
  }

  firstEventSeen(): void {
    this.#response.firstEventSeen()
  }

  spoken(): void {
    this.#response.spoken()
  }

  abort(): void {
    this.#response.abort()
    this.#decoder.removeAllListeners()
    // What it still has to say is heard by nobody, and without a listener it would end the process.
    this.#decoder.on('error', () => undefined)
    this.#decoder.destroy()
  }

  #resumeWhenReady(): void {
    if (!this.#full && !this.#paused) this.#response.resume()
  }
}
