import { unreachable } from '../../core/assert.ts'
import { type ErrorCode, ERRORS, type Refusal } from '../../core/error.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import { brokenOff } from '../brokenOff.ts'

export function encodeError(refusal: Refusal): JsonObject {
  const { status } = ERRORS[refusal.code]
  return { error: { code: status, message: refusal.message, status: statusName(refusal.code) } }
}

function statusName(code: ErrorCode): string {
  switch (code) {
    case 'missing_api_key':
    case 'invalid_api_key':
      return 'UNAUTHENTICATED'
    case 'invalid_request':
    case 'request_too_large':
      return 'INVALID_ARGUMENT'
    case 'model_not_found':
    case 'not_found':
      return 'NOT_FOUND'
    case 'method_not_allowed':
      return 'UNIMPLEMENTED'
    case 'model_not_accessible':
      return 'PERMISSION_DENIED'
    case 'insufficient_balance':
    case 'spend_limit_exceeded':
    case 'rate_limit_exceeded':
      return 'RESOURCE_EXHAUSTED'
    case 'idempotency_conflict':
    case 'already_rotated':
      return 'ABORTED'
    case 'service_unavailable':
      return 'UNAVAILABLE'
    case 'internal_error':
    case 'upstream_error':
      return 'INTERNAL'
    default:
      return unreachable(code)
  }
}

export function encodeFailure(failure: UpstreamFailure): JsonObject {
  const { busy, message } = brokenOff(failure)
  return { error: { code: busy ? 503 : 502, message, status: busy ? 'UNAVAILABLE' : 'INTERNAL' } }
}
