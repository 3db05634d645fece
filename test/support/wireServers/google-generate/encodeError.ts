import { ERRORS, type Refusal } from '../../../../src/core/error.ts'
import type { UpstreamFailure } from '../../../../src/core/failure.ts'
import type { JsonObject } from '../../../../src/core/json.ts'

/** https://cloud.google.com/apis/design/errors#handling_errors */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'INTERNAL',
  503: 'UNAVAILABLE',
}

export function encodeError(refusal: Refusal): JsonObject {
  const { status } = ERRORS[refusal.code]
  const name = STATUS_NAMES[status]
  if (name === undefined) throw new Error(`Google has no name for status ${status}`)
  return { error: { code: status, message: refusal.message, status: name } }
}

export function encodeFailure({ kind }: UpstreamFailure): JsonObject {
  return kind === 'overloaded' || kind === 'rate_limited'
    ? { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
    : { error: { code: 502, message: 'The answer was interrupted.', status: 'INTERNAL' } }
}
