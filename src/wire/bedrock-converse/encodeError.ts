import { unreachable } from '../../core/assert.ts'
import type { ErrorCode, Refusal } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'

/** The body of an error; the official clients read its kind from `__type` when the header is missing. */
export function encodeError(refusal: Refusal): JsonObject {
  return { __type: exceptionOf(refusal.code), message: refusal.message }
}

function exceptionOf(code: ErrorCode): string {
  switch (code) {
    case 'missing_api_key':
    case 'invalid_api_key':
    case 'model_not_accessible':
      return 'AccessDeniedException'
    case 'model_not_found':
    case 'not_found':
    case 'method_not_allowed':
      return 'ResourceNotFoundException'
    case 'insufficient_balance':
    case 'spend_limit_exceeded':
      return 'ServiceQuotaExceededException'
    case 'idempotency_conflict':
    case 'already_rotated':
      return 'ConflictException'
    case 'rate_limit_exceeded':
      return 'ThrottlingException'
    case 'internal_error':
      return 'InternalServerException'
    case 'upstream_error':
      return 'ModelErrorException'
    case 'service_unavailable':
      return 'ServiceUnavailableException'
    case 'invalid_request':
    case 'request_too_large':
      return 'ValidationException'
    default:
      return unreachable(code)
  }
}
