import { ERRORS, type ErrorCode, type Refusal } from '../../core/error.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import { brokenOff } from '../brokenOff.ts'

export function encodeError(refusal: Refusal): JsonObject {
  return {
    type: 'error',
    error: { type: TYPES[ERRORS[refusal.code].status], message: refusal.message },
    request_id: null,
  }
}

/** Anthropic's words for what a status says. */
const TYPES: Readonly<Record<(typeof ERRORS)[ErrorCode]['status'], string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  409: 'invalid_request_error',
  413: 'request_too_large',
  426: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
}

export function encodeFailure(failure: UpstreamFailure): JsonObject & { readonly type: string } {
  const { busy, message } = brokenOff(failure)
  return {
    type: 'error',
    error: { type: busy ? 'overloaded_error' : 'api_error', message },
    request_id: null,
  }
}
