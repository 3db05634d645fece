import type { Json, JsonObject } from '../../core/json.ts'
import { readNumber, readObjects } from '../read.ts'

interface Logprobs extends JsonObject {
  readonly content: readonly JsonObject[]
  readonly refusal: null
}

/** Log probabilities of text as chat has them; deltas may lack `bytes` and alternatives. Undefined when there are none. */
export function decodeLogprobs(tokens: Json | undefined): Logprobs | undefined {
  const content = readObjects(tokens).map((token) => ({
    ...tokenOf(token),
    top_logprobs: readObjects(token.top_logprobs).map(tokenOf),
  }))
  return content.length === 0 ? undefined : { content, refusal: null }
}

function tokenOf({ token, logprob, bytes }: JsonObject): JsonObject {
  return {
    token: typeof token === 'string' ? token : '',
    logprob: readNumber(logprob) ?? 0,
    bytes: Array.isArray(bytes) ? (bytes as readonly Json[]) : null,
  }
}
