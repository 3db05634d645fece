import type { Json, JsonObject } from '../../../../src/core/json.ts'
import { readObjects } from '../../../../src/wire/read.ts'

/** `logprobsResult` from OpenAI's log probabilities; undefined when there are none. */
export function encodeLogprobs(logprobs: JsonObject | null | undefined): JsonObject | undefined {
  const tokens = readObjects(logprobs?.content)
  if (tokens.length === 0) return undefined
  return {
    chosenCandidates: tokens.map(encodeToken),
    topCandidates: tokens.map((token) => ({ candidates: readObjects(token.top_logprobs).map(encodeToken) })),
  }
}

function encodeToken(token: JsonObject): { token: Json; logProbability: Json } {
  return { token: token.token ?? '', logProbability: token.logprob ?? 0 }
}
