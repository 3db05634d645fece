import type { Refusal } from '../../../../src/core/error.ts'
import type { JsonObject } from '../../../../src/core/json.ts'

export function encodeError(refusal: Refusal): JsonObject {
  return { message: refusal.message }
}
