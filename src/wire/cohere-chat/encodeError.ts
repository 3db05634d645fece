import type { Refusal } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'

export function encodeError(refusal: Refusal): JsonObject {
  return { message: refusal.message }
}
