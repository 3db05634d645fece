import type { JsonObject } from '../../../../src/core/json.ts'
import { readObjects } from '../../../../src/wire/read.ts'

/** Cohere's log probabilities from OpenAI's, which have no token ids. */
export function encodeLogprobs(logprobs: JsonObject | null | undefined): JsonObject[] {
  return readObjects(logprobs?.['content']).map((entry) => ({
    text: entry['token'],
    token_ids: [],
    logprobs: [entry['logprob'] ?? 0],
  }))
}
