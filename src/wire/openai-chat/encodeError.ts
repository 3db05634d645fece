import { type Refusal, errorBody } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Envelope } from '../wire.ts'

/**
 * Writes an error (docs/errors/README.md). The last event of a stream that fails is a chunk without choices that has
 * the error, so that clients which read only chunks can read it.
 */
export function encodeError(refusal: Refusal, begun?: Envelope): JsonObject {
  const { error } = errorBody(refusal)
  if (!begun) return { error }
  const { id, created, model } = begun
  return { id, object: 'chat.completion.chunk', created, model, choices: [], error }
}
