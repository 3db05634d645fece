import { UpstreamError } from '../../core/failure.ts'
import type { AnswerShare } from '../answerBudget.ts'
import { type BodySink, CallAborted, type HttpResponse } from '../http.ts'
import { BodyParts } from './bodyParts.ts'

/** Blank lines before a body are a provider's way to say that it still works: no event yet. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

export interface CollectLimits {
  /** A longer body ends the call with `invalid_answer`. */
  readonly bytesMax: number
  /** From the head to the end of the body, however steadily it trickles; a longer time is a `timeout`. */
  readonly totalMs: number
  /** Takes room for the body. Default: its bound is enough. */
  readonly share?: AnswerShare
  /** Aborting it ends the call with `CallAborted`, however much has come. Default: nothing does. */
  readonly signal?: AbortSignal
}

/**
 * Takes the whole body. Its first byte that is not blank counts as the first event.
 *
 * @throws UpstreamError also when the body was cut or timed out
 */
export function collectBody(response: HttpResponse, limits: CollectLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const collector = new BodyCollector(response, limits, resolve, reject)
    response.consume(collector)
    collector.begin()
  })
}

class BodyCollector implements BodySink {
  readonly #response: HttpResponse
  readonly #limits: CollectLimits
  readonly #resolve: (body: Uint8Array) => void
  readonly #reject: (error: UpstreamError) => void
  readonly #parts = new BodyParts()
  #firstEventSeen = false
  #over = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    response: HttpResponse,
    limits: CollectLimits,
    resolve: (body: Uint8Array) => void,
    reject: (error: UpstreamError) => void,
  ) {
    this.#response = response
    this.#limits = limits
    this.#resolve = resolve
    this.#reject = reject
  }

  /** Most bodies have come with their head: a timer for each would cost more than the body. */
  begin(): void {
    if (this.#over) return
    const { totalMs, signal } = this.#limits
    if (signal?.aborted) return this.#leave()
    signal?.addEventListener('abort', this.#leave)
    const detail = `a body that took more than ${totalMs} ms`
    this.#timer = setTimeout(() => this.#giveUp('timeout', detail), totalMs)
  }

  data(bytes: Uint8Array): void {
    const { bytesMax } = this.#limits
    const length = this.#parts.length + bytes.length
    if (length > bytesMax) {
      this.#giveUp('invalid_answer', `a body of more than ${bytesMax} bytes`)
      return
    }
    const noRoom = this.#limits.share?.keep(length)
    if (noRoom) {
      this.#end(new UpstreamError(noRoom))
      return
    }
    this.#parts.push(bytes)
    if (this.#firstEventSeen || isBlank(bytes)) return
    this.#firstEventSeen = true
    this.#response.firstEventSeen()
  }

  end(): void {
    this.#close()
    this.#resolve(this.#parts.joined())
  }

  fail(error: UpstreamError): void {
    this.#close()
    this.#reject(error)
  }

  #close(): void {
    this.#over = true
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#limits.signal?.removeEventListener('abort', this.#leave)
  }

  readonly #leave = (): void => this.#end(new CallAborted())

  #giveUp(kind: 'timeout' | 'invalid_answer', detail: string): void {
    this.#end(new UpstreamError({ kind, status: this.#response.status, detail }))
  }

  #end(error: UpstreamError): void {
    this.#close()
    this.#response.abort()
    this.#reject(error)
  }
}

function isBlank(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (!BLANKS.has(byte)) return false
  return true
}
