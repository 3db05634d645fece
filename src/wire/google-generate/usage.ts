import type { JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { readNumber, readObject } from '../read.ts'

/**
 * Reads `usageMetadata`, of which the later frames of a stream may repeat a part: what they leave out
 * stands. Thoughts are not part of the candidates' tokens, results of the provider's tools not of the prompt's.
 */
export function mergeUsage(known: JsonObject | undefined, reported: unknown): JsonObject | undefined {
  const usage = readObject(reported)
  if (!usage) return known
  const said = Object.entries(usage).filter(([, value]) => value !== null)
  return { ...known, ...Object.fromEntries(said) }
}

export function toUsage(metadata: JsonObject): Usage {
  const count = (field: string): number => readNumber(metadata[field]) ?? 0
  return {
    promptTokens: count('promptTokenCount') + count('toolUsePromptTokenCount'),
    cachedTokens: count('cachedContentTokenCount'),
    cacheWriteTokens: 0,
    completionTokens: count('candidatesTokenCount') + count('thoughtsTokenCount'),
    reasoningTokens: count('thoughtsTokenCount'),
  }
}

export function encodeUsage(usage: Usage): JsonObject {
  return {
    promptTokenCount: usage.promptTokens,
    candidatesTokenCount: usage.completionTokens - usage.reasoningTokens,
    totalTokenCount: usage.promptTokens + usage.completionTokens,
    ...(usage.cachedTokens > 0 && { cachedContentTokenCount: usage.cachedTokens }),
    ...(usage.reasoningTokens > 0 && { thoughtsTokenCount: usage.reasoningTokens }),
  }
}
