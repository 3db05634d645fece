import { ownTotal, type ReportedUsage, type Usage } from '../../core/usage.ts'
import { readNumber, readObject } from '../read.ts'

/** The counts of `usageMetadata`; undefined: not said yet. */
export interface Counts {
  readonly prompt: number | undefined
  readonly toolUsePrompt: number | undefined
  readonly cached: number | undefined
  readonly candidates: number | undefined
  readonly thoughts: number | undefined
  readonly total: number | undefined
}

/**
 * Reads `usageMetadata`, of which the later frames of a stream may repeat a part: what they leave out
 * stands. Thoughts are not part of the candidates' tokens, results of the provider's tools not of the prompt's.
 */
export function mergeUsage(known: Counts | undefined, reported: unknown): Counts | undefined {
  const usage = readObject(reported)
  if (!usage) return known
  const counts: Counts = {
    prompt: readNumber(usage.promptTokenCount) ?? known?.prompt,
    toolUsePrompt: readNumber(usage.toolUsePromptTokenCount) ?? known?.toolUsePrompt,
    cached: readNumber(usage.cachedContentTokenCount) ?? known?.cached,
    candidates: readNumber(usage.candidatesTokenCount) ?? known?.candidates,
    thoughts: readNumber(usage.thoughtsTokenCount) ?? known?.thoughts,
    total: readNumber(usage.totalTokenCount) ?? known?.total,
  }
  // Vertex names the kind of traffic before it counts anything.
  return Object.values(counts).some((count) => count !== undefined) ? counts : undefined
}

export function decodeUsage({
  prompt = 0,
  toolUsePrompt = 0,
  cached = 0,
  candidates = 0,
  thoughts = 0,
  total,
}: Counts): ReportedUsage {
  const usage: Usage = {
    promptTokens: prompt + toolUsePrompt,
    cachedTokens: cached,
    cacheWriteTokens: 0,
    completionTokens: candidates + thoughts,
    reasoningTokens: thoughts,
  }
  return { ...usage, ...ownTotal(total, usage) }
}
