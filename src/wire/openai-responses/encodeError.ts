import { type Refusal, errorBody } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'

/** Writes an error (docs/errors/README.md). */
export function encodeError(refusal: Refusal): JsonObject {
  const { error } = errorBody(refusal)
  return { error }
}

/** Agents repeat a request by this code and by these words together. */
const REPEATABLE = 'server error'

/** The `error` of a response that failed after it had begun. */
export function encodeFailure(refusal: Refusal): JsonObject {
  const { code, message } = errorBody(refusal).error
  return { code: message.includes(REPEATABLE) ? 'server_error' : code, message }
}
