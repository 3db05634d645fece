import type { UpstreamError } from '../core/failure.ts'

/**
 * The outgoing HTTP port: one request, one answer whose body is pushed, not pulled, so that a chunk
 * costs no promise. Redirects are never followed: a credential goes nowhere but to its provider.
 */
export interface HttpClient {
  /** Resolves when the status line and the headers are in. Rejects with `UpstreamError` (connection, timeout). */
  request(request: HttpRequest): Promise<HttpResponse>
  /** Lets go of idle connections. */
  close(): void
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  /** Lowercase names. `host`, `content-length` and `connection` are set by the client. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly timeouts: Timeouts
  /** Aborting it closes the connection at once, at every stage. */
  readonly signal?: AbortSignal
}

/** In milliseconds. */
export interface Timeouts {
  /** From the call until the connection (TLS included) stands. */
  readonly connectMs: number
  /** From the request being sent until the first event of the answer; headers included. */
  readonly firstEventMs: number
  /** Between any two reads of the body after that. */
  readonly idleMs: number
}

export interface HttpResponse {
  readonly status: number
  /** Lowercase names; repeated headers joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  /** Starts the flow of the body into the sink. To be called exactly once. */
  consume(sink: BodySink): void
  /** Stops reading from the socket until `resume`: back-pressure. */
  pause(): void
  resume(): void
  /** The first valid event has been seen: from now on the idle timeout counts instead of the first-event one. */
  firstEventSeen(): void
  /** Closes the connection. After it no callback is made. */
  abort(): void
}

/** Callbacks are synchronous; after `end` or `fail` none follows. */
export interface BodySink {
  data(bytes: Uint8Array): void
  /** The body is whole. */
  end(): void
  /** The body was cut, reset or timed out. */
  fail(error: UpstreamError): void
}
