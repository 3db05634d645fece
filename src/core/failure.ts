/**
 * How a call to a provider went wrong, after the one classification for all providers
 * (docs/routing.md#when-a-call-fails). The kind alone decides retry, fallback, health and the caller's answer.
 */
export type FailureKind =
  /** No connection, no TLS, or the connection was lost before a first event. */
  | 'connection'
  /** This process may open no more files, so no provider was asked. */
  | 'no_files'
  /** No local port is free for a further connection to this address, so the provider was not asked. */
  | 'no_ports'
  /** Connect, first event or idle time was exceeded. */
  | 'timeout'
  /** The request itself is at fault: schema, value, image. */
  | 'bad_request'
  /** The prompt, alone or with its output, is too long for this target, perhaps not for another. */
  | 'too_large'
  /** A part of the request has too many bytes, characters or items for this target, perhaps not for another. */
  | 'oversized'
  /** The request alone exceeds a rate limit of the gateway's account: no wait helps, another account may. */
  | 'over_limit'
  /** The provider's content policy refused the request. */
  | 'content_policy'
  /** The provider refuses the gateway's credential. */
  | 'credential'
  /** The provider wants to be paid by us, or a quota of ours is used up. */
  | 'billing'
  /** The provider would take a smaller request: the gateway's credit there does not cover the most that this one can cost. */
  | 'too_dear'
  /** The provider has no such model or deployment, or nothing answers at this address, method or protocol. */
  | 'not_found'
  /** The provider limits our rate. */
  | 'rate_limited'
  /** The provider is overloaded. */
  | 'overloaded'
  /** Any other failure of the provider: 408, 409, 424, 5xx. */
  | 'server'
  /** What came is no answer: HTML, broken JSON, an error in a 200, a stream that ended too early. */
  | 'invalid_answer'
  /** The provider did its work, and what the model wrote is of no use: a malformed call, or a call of no tool on offer. */
  | 'malformed_output'
  /** The gateway has no memory left for an answer of this size; the provider is not at fault. */
  | 'no_room'
  /** The same, because of the answers of the caller's workspace: this one, or those beside it. */
  | 'no_share'

const REQUEST_AT_FAULT: ReadonlySet<FailureKind> = new Set([
  'malformed_output',
  'content_policy',
  'too_large',
  'oversized',
  'bad_request',
])

/** Whether the request, or what the model wrote for it, ended an answer that had begun: its provider did its work. */
export function isRequestAtFault({ kind }: Pick<UpstreamFailure, 'kind'>): boolean {
  return REQUEST_AT_FAULT.has(kind)
}

/** Whether what was delivered of an answer that failed so is charged: the caller could bring the failure about. */
export function isCharged(failure: UpstreamFailure): boolean {
  return failure.afterOthers === true || isRequestAtFault(failure)
}

/** What of a request can be `oversized`. */
export type RequestPart = 'body' | 'text' | 'list' | 'image' | 'images' | 'file' | 'tools'

/** One failed call to a provider. Kind, status and code may be shown; `detail` may not. */
export interface UpstreamFailure {
  readonly kind: FailureKind
  /** The provider's HTTP status, when there was one. */
  readonly status?: number
  /** What the provider calls the error (`insufficient_quota`), as `failureCode` lets it through, or a code of ours. */
  readonly code?: string
  /**
   * How the kind of an answer with an error was known: by a `code` that is listed for it, by its `status` alone, or by
   * `words`, which a caller may have caused. Absent where there was no such answer.
   */
  readonly sign?: 'code' | 'status' | 'words'
  /** How long the provider asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** No connection was made (refused, unknown name, TLS): nothing was sent, so no request can have caused it. */
  readonly unreachable?: true
  /** The answer says that nothing is left of a rate limit of the gateway's account. */
  readonly remainingZero?: true
  /** The field at fault in OpenAI's vocabulary (`max_tokens`), when the request is at fault and it is known. */
  readonly param?: string
  /** The provider had begun an answer, and broke it off. */
  readonly begun?: true
  /**
   * One of several calls that make the completion failed after others had answered: what those delivered is charged, as
   * their number is the caller's choice.
   */
  readonly afterOthers?: true
  /** For `oversized`: what is too large. */
  readonly part?: RequestPart
  /** The most that the provider takes, where its answer has the number: tokens, or what the failure is about. */
  readonly limit?: number
  /** For `too_large` and `over_limit`, beside `limit`: how many tokens the provider counts in the request. */
  readonly requested?: number
  /** The provider's own words: it may repeat prompts, answers and keys. Only for a log that is told to hold them. */
  readonly detail: string
}

/** Carries a failure through code that waits. Its message may be logged: it holds none of the provider's words. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  // Private, or whatever prints an error's fields would print the provider's words.
  readonly #failure: UpstreamFailure
  constructor(failure: UpstreamFailure, options?: { cause?: unknown }) {
    super(FAILURE_REASONS[failure.kind], options)
    this.#failure = failure
  }
  get failure(): UpstreamFailure {
    return this.#failure
  }
}

/** Why a call to a provider failed, in our words: for the log, for operators, and in receipts for callers. */
export const FAILURE_REASONS: Readonly<Record<FailureKind, string>> = {
  connection: 'The provider could not be reached, or the connection was lost.',
  no_files: 'The gateway could not open another connection.',
  no_ports: 'The gateway had no local port free for another connection to this address.',
  timeout: 'The provider did not answer in time.',
  bad_request: 'The provider rejected the request.',
  too_large: 'The request was too long for this target.',
  oversized: 'A part of the request was too large for the provider.',
  over_limit: "The request alone exceeded a rate limit of the gateway's account with the provider.",
  content_policy: "The provider's content policy refused the request.",
  credential: "The provider rejected the gateway's credential.",
  billing: "The gateway's account with the provider is out of credit.",
  too_dear: "The gateway's credit with the provider does not cover a request of this size.",
  not_found: 'The provider does not have the model, or the address is wrong.',
  rate_limited: "The provider's rate limit was reached.",
  overloaded: 'The provider was overloaded.',
  server: 'The provider failed.',
  invalid_answer: "The provider's response was invalid.",
  malformed_output: "The model's output was malformed, such as an invalid tool call.",
  no_room: 'The gateway had no memory left for a response of this size.',
  no_share: "The workspace's responses in flight took its share of the gateway's memory.",
}
