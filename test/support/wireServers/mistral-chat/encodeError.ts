import { ERRORS, type Refusal } from '../../../../src/core/error.ts'
import type { JsonObject } from '../../../../src/core/json.ts'

/** Mistral's own error body. */
export function encodeError(refusal: Refusal): JsonObject {
  return {
    ...errorBody(refusal.message, ERRORS[refusal.code].type),
    param: refusal.param,
    code: refusal.code,
  }
}

/** The error of an answer and of a stream alike. */
export function errorBody(message: string, type: string): JsonObject {
  return { object: 'error', message, type, param: null, code: null }
}
