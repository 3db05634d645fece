import { ERRORS, type ErrorCode, type Refusal, errorBody } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'

/**
 * Writes an error: Anthropic's type, and the contract's code and param beside it (docs/errors/README.md).
 */
export function encodeError(refusal: Refusal, requestId: string): JsonObject {
  return errorOfType(TYPES[ERRORS[refusal.code].status], refusal, requestId)
}

/** Writes the end of a stream that fails: agents go on by the same type, whether the provider failed or is overloaded. */
export function encodeStreamError(refusal: Refusal, requestId: string): JsonObject {
  const type = TYPES[ERRORS[refusal.code].status]
  return errorOfType(type === 'overloaded_error' ? 'api_error' : type, refusal, requestId)
}

function errorOfType(type: string, refusal: Refusal, requestId: string): JsonObject {
  const { code, message, param } = errorBody(refusal).error
  const { details } = refusal
  return {
    type: 'error',
    error: { type, message, code, param, ...(details && { details }) },
    request_id: requestId,
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
