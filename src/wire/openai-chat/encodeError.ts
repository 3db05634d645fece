import { type Refusal, errorBody } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Envelope } from '../wire.ts'

/**
 * Writes an error: contract, "Error object". The last event of a stream that breaks off is a chunk without
 * choices that holds the error, so that clients which know nothing but chunks can read it (rulings, "Streams").
 */
export function encodeError(refusal: Refusal, begun?: Envelope): JsonObject {
  const { error } = errorBody(refusal)
  if (!begun) return { error }
  const { id, created, model } = begun
  return { id, object: 'chat.completion.chunk', created, model, choices: [], error }
}
