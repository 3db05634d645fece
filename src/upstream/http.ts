import { UpstreamError } from '../core/failure.ts'

/**
 * The outgoing HTTP port: one request, one answer whose body is pushed, not pulled, so that a chunk
 * costs no promise. Redirects are never followed: a credential goes nowhere but to its provider.
 */
export interface HttpClient {
  /** Resolves when the status line and the headers are in. Rejects with `UpstreamError` (connection, timeout, invalid_answer). */
  request(request: HttpRequest): Promise<HttpResponse>
  /** Lets go of idle connections. */
  close(): void
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  /**
   * Lowercase names, printable ASCII values. What speaks of the connection or the body's length
   * (`host`, `connection`, `content-length`, `accept-encoding`, …) is set by the client alone.
   */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly timeouts: Timeouts
  /** Aborting it before the first event is seen closes the connection at once; the call then fails with `CallAborted`. */
  readonly signal?: AbortSignal
  /** Called once the request is on its way: from now on the provider may have worked on it. */
  readonly onSent?: () => void
}

/** In milliseconds. */
export interface Timeouts {
  /** From the call until the connection (DNS and TLS included) stands. */
  readonly connectMs: number
  /** From the request being sent until the first byte of the answer. Default: as long as its first event. */
  readonly firstByteMs?: number
  /** From the request being sent until the first event of the answer; headers included. */
  readonly firstEventMs: number
  /** Between any two reads after the first byte. */
  readonly idleMs: number
  /** The same once the answer has said something. Default: `idleMs`. */
  readonly spokenIdleMs?: number
  /** From the request until the end of the answer, without the time in which its reader pauses it. */
  readonly totalMs: number
}

export interface HttpResponse {
  readonly status: number
  /** Lowercase names; repeated headers joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  /** Gives the body to the sink as it comes. To be called exactly once. */
  consume(sink: BodySink): void
  /** Stops reading until `resume`: back-pressure. What was read already may still be delivered. */
  pause(): void
  resume(): void
  /**
   * The first valid event has been seen: from now on its timeout counts no more, nor does the request's signal. What reads
   * the answer ends it.
   */
  firstEventSeen(): void
  /** The answer has said something: from now on a silence may last `spokenIdleMs`. */
  spoken(): void
  /** Closes the connection. After it no callback is made. */
  abort(): void
}

/** Callbacks are synchronous; after `end` or `fail` none follows. */
export interface BodySink {
  data(bytes: Uint8Array): void
  /** The body is whole. */
  end(): void
  /** The body was cut, reset, timed out or aborted (`CallAborted`). */
  fail(error: UpstreamError): void
}

/** The caller's own signal ended the call: nobody's failure, no mark against the provider. */
export class CallAborted extends UpstreamError {
  constructor() {
    super({ kind: 'connection', detail: 'aborted by the caller' })
  }
}
