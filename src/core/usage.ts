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

/** Usage as a provider reports it: nothing in it is believed yet (`usageReport.ts`). */
export interface ReportedUsage extends Usage {
  /** The report's own total, where it is not the sum of prompt and completion. */
  readonly totalTokens?: number
  /** Only the prompt is counted: of the output nothing was reported, or more came after the report. */
  readonly promptOnly?: boolean
}

/** A report of nothing: it takes back the one before it. */
export const NOTHING_REPORTED: ReportedUsage = { ...NO_USAGE, promptOnly: true }

/** What of a report stays true when more output comes after it: the prompt. */
export function promptOf({ promptTokens, cachedTokens, cacheWriteTokens }: ReportedUsage): ReportedUsage {
  return { ...NOTHING_REPORTED, promptTokens, cachedTokens, cacheWriteTokens }
}

/** The report of several calls that make one completion (`n` choices by parallel calls). */
export function addUsage(a: ReportedUsage, b: ReportedUsage): ReportedUsage {
  const totals = a.totalTokens !== undefined || b.totalTokens !== undefined
  const sum = {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...(totals && { totalTokens: totalOf(a) + totalOf(b) }),
  }
  return a.promptOnly || b.promptOnly ? promptOf(sum) : sum
}

function totalOf({ totalTokens, promptTokens, completionTokens }: ReportedUsage): number {
  return totalTokens ?? promptTokens + completionTokens
}

/** The total as a field of a report: only where it tells something. */
export function ownTotal(
  total: number | undefined,
  { promptTokens, completionTokens }: Usage,
): Pick<ReportedUsage, 'totalTokens'> {
  return total === undefined || total === promptTokens + completionTokens ? {} : { totalTokens: total }
}
