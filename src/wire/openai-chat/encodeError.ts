import { type Refusal, errorBody } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Envelope } from '../wire.ts'

/** Writes an error (docs/errors/README.md). */
export function encodeError(refusal: Refusal): JsonObject {
  const { error } = errorBody(refusal)
  return { error }
}

/**
 * The last event of a stream that fails: a chunk without choices that has the error, so that clients which read only chunks
 * can read it.
 */
export function encodeFailedChunk(refusal: Refusal, { id, created, model }: Envelope): JsonObject {
  return { id, object: 'chat.completion.chunk', created, model, choices: [], ...encodeError(refusal) }
}
