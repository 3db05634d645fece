import type { JsonObject } from '../../core/json.ts'
import { readNumber, readObject, readObjects, readText } from '../read.ts'

const encoder = new TextEncoder()

/** Turns `logprobsResult` into OpenAI's shape: one entry per token with its alternatives. */
export function decodeLogprobs(result: unknown): JsonObject | undefined {
  const logprobs = readObject(result)
  if (!logprobs || !Array.isArray(logprobs.chosenCandidates)) return undefined
  const alternatives = readObjects(logprobs.topCandidates)
  const content = readObjects(logprobs.chosenCandidates).map((chosen, i) => ({
    ...decodeToken(chosen),
    top_logprobs: readObjects(alternatives[i]?.candidates).map(decodeToken),
  }))
  return { content, refusal: null }
}

function decodeToken(candidate: JsonObject): { token: string; logprob: number; bytes: number[] } {
  const token = readText(candidate.token) ?? ''
  return { token, logprob: readNumber(candidate.logProbability) ?? 0, bytes: [...encoder.encode(token)] }
}
