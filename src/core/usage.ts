/**
 * What a completion used, in tokens. One convention everywhere: cached and cache-written tokens are
 * part of `promptTokens`, reasoning tokens are part of `completionTokens`. Codecs translate to it.
 */
export interface Usage {
  readonly promptTokens: number
  /** Read from the provider's prompt cache. */
  readonly cachedTokens: number
  /** Written to the provider's prompt cache. */
  readonly cacheWriteTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
}

/** `reported` by the provider, or `estimated` by our own count. */
export type UsageSource = 'reported' | 'estimated'

export const NO_USAGE: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}

/** The usage of several calls that make one completion (`n` choices by parallel calls). */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  }
}

/** What no honest report can exceed: the prompt's and the completion's ceiling, in tokens. */
export interface UsageCeiling {
  readonly promptTokens: number
  readonly completionTokens: number
}

/**
 * Whether reported usage can be true (rulings, "Money"): integers, not negative, parts within wholes, below
 * the ceiling, and some prompt: no prompt has no tokens.
 */
export function isPlausible(usage: Usage, ceiling: UsageCeiling): boolean {
  const counts = [
    usage.promptTokens,
    usage.cachedTokens,
    usage.cacheWriteTokens,
    usage.completionTokens,
    usage.reasoningTokens,
  ]
  return (
    counts.every((count) => Number.isSafeInteger(count) && count >= 0) &&
    usage.promptTokens > 0 &&
    usage.cachedTokens + usage.cacheWriteTokens <= usage.promptTokens &&
    usage.reasoningTokens <= usage.completionTokens &&
    usage.promptTokens <= ceiling.promptTokens &&
    usage.completionTokens <= ceiling.completionTokens
  )
}
