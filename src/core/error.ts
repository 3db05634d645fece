import type { JsonObject } from './json.ts'

/** One row of the table of errors (docs/errors/README.md). */
interface ErrorRow {
  readonly status: number
  readonly type: string
  /** Whether the same request may succeed later without a change. */
  readonly retryable: boolean
}

/** The error reference: the one table that decides status and type of every refusal. */
export const ERRORS = {
  missing_api_key: { status: 401, type: 'authentication_error', retryable: false },
  invalid_api_key: { status: 401, type: 'authentication_error', retryable: false },
  invalid_request: { status: 400, type: 'invalid_request_error', retryable: false },
  previous_response_not_found: { status: 400, type: 'invalid_request_error', retryable: false },
  model_not_found: { status: 404, type: 'invalid_request_error', retryable: false },
  not_found: { status: 404, type: 'invalid_request_error', retryable: false },
  method_not_allowed: { status: 405, type: 'invalid_request_error', retryable: false },
  upgrade_required: { status: 426, type: 'invalid_request_error', retryable: false },
  request_too_large: { status: 413, type: 'invalid_request_error', retryable: false },
  model_not_accessible: { status: 403, type: 'permission_error', retryable: false },
  insufficient_balance: { status: 402, type: 'payment_error', retryable: false },
  spend_limit_exceeded: { status: 402, type: 'payment_error', retryable: false },
  idempotency_conflict: { status: 409, type: 'invalid_request_error', retryable: false },
  already_rotated: { status: 409, type: 'invalid_request_error', retryable: false },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error', retryable: true },
  internal_error: { status: 500, type: 'server_error', retryable: true },
  upstream_error: { status: 502, type: 'upstream_error', retryable: true },
  service_unavailable: { status: 503, type: 'service_unavailable', retryable: true },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

/** What a refusal tells the caller, and what it keeps for the log. */
export interface Refusal {
  readonly code: ErrorCode
  /** For the caller: ours, in full sentences, without a provider's words. */
  readonly message: string
  /** The parameter at fault as a dotted path (`messages[2].content`), or null. */
  readonly param: string | null
  /** The part at fault, where `param` is the list that holds it: for formats whose callers get it in its place. */
  readonly part?: string
  /** Whole seconds, at least 1. Becomes `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** Further response headers, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** What a client of a format looks for in its errors, where the format has a place for it. */
  readonly details?: JsonObject
}

/** Builds a refusal of the table. */
export function refuse(
  code: ErrorCode,
  message: string,
  more: { param?: string } & Pick<Refusal, 'part' | 'details' | 'retryAfterSeconds' | 'headers'> = {},
): Refusal {
  const { param, ...rest } = more
  return { code, message, param: param ?? null, ...rest }
}

/** The one error that rooms throw to refuse a request. `cause` never reaches a caller. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly refusal: Refusal
  constructor(refusal: Refusal, options: { cause?: unknown } = {}) {
    super(refusal.message, options)
    this.refusal = refusal
  }
  get status(): number {
    return ERRORS[this.refusal.code].status
  }
}

/** In UTF-16 units. Refusals are shorter; this is for one that repeats a text without `printableStart`. */
const TEXT_LENGTH_MAX = 10_000

/** The body of every error response (docs/api.md#errors). */
export function errorBody(refusal: Refusal): {
  error: { code: string; message: string; type: string; param: string | null }
} {
  const { code, message, param } = refusal
  return {
    error: { code, message: bounded(message), type: ERRORS[code].type, param: param && bounded(param) },
  }
}

function bounded(text: string): string {
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text
}
