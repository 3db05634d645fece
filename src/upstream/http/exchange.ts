import { UpstreamError } from '../../core/failure.ts'
import { type BodySink, CallAborted, type HttpRequest, type HttpResponse, type Timeouts } from '../http.ts'
import { Outgoing } from './outgoing.ts'
import { encodeRequestHead } from './requestHead.ts'
import type { Head } from './responseHead.ts'
import { SafeSink } from './safeSink.ts'

/** The connection that carries an exchange, as far as the exchange may move it. */
export interface Carrier {
  /** Stop reading; bytes that still come are kept. */
  pause(): void
  /** Read on, kept bytes first. */
  resume(): void
  firstEventSeen(): void
  spoken(): void
  /** Close at once. */
  drop(): void
}

const NO_HEADERS: ReadonlyMap<string, string> = new Map()

/** One request and its answer. It outlives a stale connection: the client may carry it over to a fresh one. */
export class Exchange implements HttpResponse {
  readonly method: HttpRequest['method']
  readonly url: URL
  readonly timeouts: Timeouts
  /** What is sent; its body is let go once the answer has begun, for a prompt can be large. */
  readonly outgoing: Outgoing
  status = 0
  headers: ReadonlyMap<string, string> = NO_HEADERS
  /** Whether it was carried over to a second connection. */
  retried = false
  #carrier: Carrier | undefined
  #answer: ((response: Exchange) => void) | undefined
  #refuse: (error: unknown) => void
  readonly #report: (error: unknown) => void
  #onSent: (() => void) | undefined
  #sink: SafeSink | undefined
  #held: Uint8Array[] | undefined
  #paused = false
  #outcome: 'open' | 'whole' | 'over' | UpstreamError = 'open'
  readonly #signal: AbortSignal | undefined
  #onAbort: (() => void) | undefined

  constructor(
    request: HttpRequest,
    answer: (response: Exchange) => void,
    refuse: (error: unknown) => void,
    report: (error: unknown) => void,
  ) {
    this.method = request.method
    this.url = request.url
    this.timeouts = request.timeouts
    this.#onSent = request.onSent
    this.#signal = request.signal
    this.#answer = answer
    this.#refuse = refuse
    this.#report = report
    const { body = '' } = request
    this.outgoing = new Outgoing((bodyBytes) => encodeRequestHead(request, bodyBytes), body)
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
    this.outgoing.forget()
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
    if (this.#sink) this.#sink.data(bytes)
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

  consume(reader: BodySink): void {
    const sink = new SafeSink(reader, () => this.abort(), this.#report)
    this.#sink = sink
    const held = this.#held ?? []
    this.#held = undefined
    // The sink may abort at any piece.
    for (const bytes of held) if (this.#outcome !== 'over') sink.data(bytes)
    this.#settle(sink)
  }

  /** Something of ours has thrown: the call ends, with what was thrown where somebody waits for its answer. */
  crash(cause: unknown): void {
    this.#report(cause)
    if (this.#outcome !== 'open') return
    const error = new UpstreamError(
      { kind: 'connection', detail: 'the call failed in the gateway' },
      { cause },
    )
    this.#finish(error)
    if (this.#answer) this.#refuse(cause)
    else this.#sink?.fail(error)
  }

  pause(): void {
    this.#paused = true
    if (this.#outcome === 'open') this.#carrier?.pause()
  }

  resume(): void {
    this.#paused = false
    if (this.#outcome === 'open' && this.#sink) this.#carrier?.resume()
  }

  firstEventSeen(): void {
    this.#unfollow()
    if (this.#outcome === 'open') this.#carrier?.firstEventSeen()
  }

  spoken(): void {
    if (this.#outcome === 'open') this.#carrier?.spoken()
  }

  abort(): void {
    const open = this.#outcome === 'open'
    this.#finish('over')
    this.#held = undefined
    if (open) this.#carrier?.drop()
  }

  #settle(sink: BodySink): void {
    const outcome = this.#outcome
    if (outcome === 'open') return this.#paused ? undefined : this.#carrier?.resume()
    if (outcome instanceof UpstreamError) sink.fail(outcome)
    else if (outcome === 'whole') sink.end()
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
    this.#unfollow()
  }

  #unfollow(): void {
    if (this.#onAbort) this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#onAbort = undefined
  }
}
