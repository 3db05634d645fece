import { UpstreamError } from '../../core/failure.ts'
import { type AnswerShare, NO_ROOM } from '../answerBudget.ts'
import type { BodySink, HttpResponse } from '../http.ts'

/** Blank lines before a body are a provider's way to say that it still works: no event yet. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

export interface CollectLimits {
  /** A longer body ends the call with `invalid_answer`. */
  readonly bytesMax: number
  /** From the head to the end of the body, however steadily it trickles; a longer time is a `timeout`. */
  readonly totalMs: number
  /** Takes room for the body. Default: its bound is enough. */
  readonly share?: AnswerShare
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
  readonly #parts: Uint8Array[] = []
  #length = 0
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
    const { totalMs } = this.#limits
    const detail = `a body that took more than ${totalMs} ms`
    this.#timer = setTimeout(() => this.#giveUp('timeout', detail), totalMs)
  }

  data(bytes: Uint8Array): void {
    const { bytesMax } = this.#limits
    this.#length += bytes.length
    if (this.#length > bytesMax) {
      this.#giveUp('invalid_answer', `a body of more than ${bytesMax} bytes`)
      return
    }
    if (this.#limits.share?.keep(this.#length) === false) {
      this.#end(new UpstreamError(NO_ROOM))
      return
    }
    this.#parts.push(bytes)
    if (this.#firstEventSeen || isBlank(bytes)) return
    this.#firstEventSeen = true
    this.#response.firstEventSeen()
  }

  end(): void {
    this.#close()
    this.#resolve(joined(this.#parts, this.#length))
  }

  fail(error: UpstreamError): void {
    this.#close()
    this.#reject(error)
  }

  #close(): void {
    this.#over = true
    if (this.#timer !== undefined) clearTimeout(this.#timer)
  }

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

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
