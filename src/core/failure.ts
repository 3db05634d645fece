/**
 * How a call to a provider went wrong, after the one classification for all providers
 * (reference "Wire", B8). The kind alone decides retry, fallback, health and the caller's answer.
 */
export type FailureKind =
  /** No connection, no TLS, or the connection was lost before a first event. */
  | 'connection'
  /** Connect, first event or idle time was exceeded. */
  | 'timeout'
  /** The request itself is at fault: schema, value, context length, image. */
  | 'bad_request'
  /** The request is too large for this target, perhaps not for another. */
  | 'too_large'
  /** The provider's content policy refused the request. */
  | 'content_policy'
  /** The provider refuses our credential. */
  | 'credential'
  /** The provider wants to be paid by us, or a quota of ours is used up. */
  | 'billing'
  /** The provider knows no such model or deployment. */
  | 'not_found'
  /** The provider limits our rate. */
  | 'rate_limited'
  /** The provider is overloaded. */
  | 'overloaded'
  /** Any other failure of the provider: 408, 409, 424, 5xx. */
  | 'server'
  /** What came is no answer: HTML, broken JSON, an error in a 200, a stream that ended too early. */
  | 'invalid_answer'

/** One failed call to a provider. `detail` is the provider's own words: for the log, never for a caller. */
export interface UpstreamFailure {
  readonly kind: FailureKind
  /** The provider's HTTP status, when there was one. */
  readonly status?: number
  /** How long the provider asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** For `bad_request`: the field at fault in OpenAI's vocabulary (`max_tokens`), when it is known. */
  readonly param?: string
  readonly detail: string
}

/** Carries a failure through code that waits. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly failure: UpstreamFailure
  constructor(failure: UpstreamFailure, options?: { cause?: unknown }) {
    super(`upstream ${failure.kind}: ${failure.detail}`, options)
    this.failure = failure
  }
}
