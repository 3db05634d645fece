import { type Refusal, errorBody } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'

/** Writes an error (docs/errors/README.md). */
export function encodeError(refusal: Refusal): JsonObject {
  const { error } = errorBody(refusal)
  return { error }
}

/** Agents repeat a request by this code and by these words together. */
const REPEATABLE = 'server error'
const SERVER_ERROR = 'server_error'

/** The `error` of a response that failed after it had begun. */
export function encodeFailure(refusal: Refusal): JsonObject {
  const { code, message } = errorBody(refusal).error
  return { code: message.includes(REPEATABLE) ? SERVER_ERROR : code, message }
}

/**
 * The event before the end of a response that failed. OpenAI's SDKs throw its nested error and ignore `response.failed`: without
 * this event a `for await` over the stream, LangChain and Continue take a cut answer for a whole one. The same fields at the top
 * level are the documented form (`ResponseErrorEvent` of `openai`).
 */
export function encodeErrorEvent(refusal: Refusal): JsonObject {
  const { type, param } = errorBody(refusal).error
  const { code, message } = encodeFailure(refusal)
  const error = { type: code === SERVER_ERROR ? SERVER_ERROR : type, code, message, param }
  return { error, code, message, param }
}
