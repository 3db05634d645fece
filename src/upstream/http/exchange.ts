import { Buffer } from 'node:buffer'
import { UpstreamError } from '../../core/failure.ts'
import { type BodySink, CallAborted, type HttpRequest, type HttpResponse, type Timeouts } from '../http.ts'
import { encodeRequestHead } from './requestHead.ts'
import type { Head } from './responseHead.ts'

/** The connection that carries an exchange, as far as the exchange may move it. */
export interface Carrier {
  /** Stop reading; bytes that still come are kept. */
  hold(): void
  /** Read on, kept bytes first. */
  flow(): void
  firstEventSeen(): void
  /** Close at once. */
  drop(): void
}

const NO_HEADERS: ReadonlyMap<string, string> = new Map()

/** One request and its answer. It outlives a stale connection: the client may carry it over to a fresh one. */
export class Exchange implements HttpResponse {
  readonly method: HttpRequest['method']
  readonly url: URL
  readonly timeouts: Timeouts
  /** The whole request as it goes over the wire; let go once the answer has begun, for a prompt can be large. */
  message: string | Uint8Array
  readonly messageBytes: number
  status = 0
  headers: ReadonlyMap<string, string> = NO_HEADERS
  /** Whether it was carried over to a second connection. */
  retried = false
  #carrier: Carrier | undefined
  #answer: ((response: Exchange) => void) | undefined
  #refuse: (error: Error) => void
  #onSent: (() => void) | undefined
  #sink: BodySink | undefined
  #held: Uint8Array[] | undefined
  #paused = false
  #outcome: 'open' | 'whole' | 'over' | UpstreamError = 'open'
  readonly #signal: AbortSignal | undefined
  #onAbort: (() => void) | undefined

  constructor(request: HttpRequest, answer: (response: Exchange) => void, refuse: (error: Error) => void) {
    this.method = request.method
    this.url = request.url
    this.timeouts = request.timeouts
    this.#onSent = request.onSent
    this.#signal = request.signal
    this.#answer = answer
    this.#refuse = refuse
    const { body = '' } = request
    const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    const head = encodeRequestHead(request, bodyBytes)
    this.message = typeof body === 'string' ? head + body : Buffer.concat([Buffer.from(head), body])
    this.messageBytes = head.length + bodyBytes
    if (request.signal) this.#follow(request.signal)
  }

  /** Nobody waits for it any more. */
  get over(): boolean {
    return this.#outcome !== 'open'
  }

  /** The head of the answer is in. */
  get answered(): boolean {
    return this.#answer === undefined
  }

  carriedBy(carrier: Carrier): void {
    this.#carrier = carrier
  }

  sent(): void {
    const onSent = this.#onSent
    this.#onSent = undefined
    onSent?.()
  }

  head(head: Head): void {
    this.status = head.status
    this.headers = head.headers
    this.message = ''
    const answer = this.#answer
    this.#answer = undefined
    answer?.(this)
  }

  /** Nobody takes the body yet. */
  get unclaimed(): boolean {
    return this.#sink === undefined
  }

  data(bytes: Uint8Array): void {
    if (this.#outcome !== 'open') return
    if (this.#sink) this.#give(this.#sink, bytes)
    else (this.#held ??= []).push(bytes)
  }

  end(): void {
    if (this.#outcome !== 'open') return
    this.#finish('whole')
    if (this.#sink) this.#settle(this.#sink)
  }

  fail(error: UpstreamError): void {
    if (this.#outcome !== 'open') return
    this.#finish(error)
    if (this.#answer) this.#refuse(error)
    else this.#sink?.fail(error)
  }

  consume(sink: BodySink): void {
    this.#sink = sink
    const held = this.#held ?? []
    this.#held = undefined
    // The sink may abort at any piece.
    for (const bytes of held) if (this.#outcome !== 'over') this.#give(sink, bytes)
    this.#settle(sink)
  }

  pause(): void {
    this.#paused = true
    if (this.#outcome === 'open') this.#carrier?.hold()
  }

  resume(): void {
    this.#paused = false
    if (this.#outcome === 'open' && this.#sink) this.#carrier?.flow()
  }

  firstEventSeen(): void {
    if (this.#outcome === 'open') this.#carrier?.firstEventSeen()
  }

  abort(): void {
    const open = this.#outcome === 'open'
    this.#finish('over')
    this.#held = undefined
    if (open) this.#carrier?.drop()
  }

  #give(sink: BodySink, bytes: Uint8Array): void {
    try {
      sink.data(bytes)
    } catch (error) {
      this.#breakOff(sink, error)
    }
  }

  #settle(sink: BodySink): void {
    const outcome = this.#outcome
    if (outcome === 'open') return this.#paused ? undefined : this.#carrier?.flow()
    if (outcome instanceof UpstreamError) return sink.fail(outcome)
    if (outcome === 'over') return
    try {
      sink.end()
    } catch (error) {
      this.#breakOff(sink, error)
    }
  }

  /** A throw is a bug in the reader of the body: its call ends, the process and the other calls live. */
  #breakOff(sink: BodySink, cause: unknown): void {
    this.abort()
    const detail = `the answer could not be read: ${cause instanceof Error ? cause.message : String(cause)}`
    sink.fail(new UpstreamError({ kind: 'invalid_answer', detail }, { cause }))
  }

  #follow(signal: AbortSignal): void {
    this.#onAbort = () => {
      if (this.over) return
      const carrier = this.#carrier
      this.fail(new CallAborted())
      carrier?.drop()
    }
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort)
  }

  #finish(outcome: 'whole' | 'over' | UpstreamError): void {
    this.#outcome = outcome
    if (this.#onAbort) this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#onAbort = undefined
  }
}
