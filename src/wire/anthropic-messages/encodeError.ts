import { unreachable } from '../../core/assert.ts'
import type { ErrorCode, Refusal } from '../../core/error.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import { brokenOff } from '../brokenOff.ts'

export function encodeError(refusal: Refusal): JsonObject {
  return {
    type: 'error',
    error: { type: errorType(refusal.code), message: refusal.message },
    request_id: null,
  }
}

function errorType(code: ErrorCode): string {
  switch (code) {
    case 'missing_api_key':
    case 'invalid_api_key':
      return 'authentication_error'
    case 'invalid_request':
    case 'method_not_allowed':
    case 'idempotency_conflict':
    case 'already_rotated':
      return 'invalid_request_error'
    case 'model_not_found':
    case 'not_found':
      return 'not_found_error'
    case 'request_too_large':
      return 'request_too_large'
    case 'model_not_accessible':
      return 'permission_error'
    case 'insufficient_balance':
    case 'spend_limit_exceeded':
      return 'billing_error'
    case 'rate_limit_exceeded':
      return 'rate_limit_error'
    case 'service_unavailable':
      return 'overloaded_error'
    case 'internal_error':
    case 'upstream_error':
      return 'api_error'
    default:
      return unreachable(code)
  }
}

export function encodeFailure(failure: UpstreamFailure): JsonObject & { readonly type: string } {
  const { busy, message } = brokenOff(failure)
  return {
    type: 'error',
    error: { type: busy ? 'overloaded_error' : 'api_error', message },
    request_id: null,
  }
}
