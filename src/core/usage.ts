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
export const USAGE_SOURCES = ['reported', 'estimated'] as const

export type UsageSource = (typeof USAGE_SOURCES)[number]

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
  /**
   * What is not in it, so that its figures are the least: some of the output, or whole calls of those that make the
   * completion, with their prompts.
   */
  readonly lacks?: 'output' | 'calls'
}

/** What of a report stays true when more output comes after it: the prompt. */
export function promptOf({ promptTokens, cachedTokens, cacheWriteTokens }: ReportedUsage): ReportedUsage {
  return { ...NO_USAGE, promptTokens, cachedTokens, cacheWriteTokens, lacks: 'output' }
}

/** The report of all calls of a completion together; undefined where none has reported. */
export function sumUsage(reports: readonly (ReportedUsage | undefined)[]): ReportedUsage | undefined {
  let sum: ReportedUsage | undefined
  let isWhole = true
  for (const report of reports) {
    if (!report) isWhole = false
    else sum = sum ? addUsage(sum, report) : report
  }
  return sum && !isWhole ? { ...sum, lacks: 'calls' } : sum
}

/** The report of several calls that make one completion (`n` choices by parallel calls). */
export function addUsage(a: ReportedUsage, b: ReportedUsage): ReportedUsage {
  const totals = a.totalTokens !== undefined || b.totalTokens !== undefined
  const lacks = a.lacks === 'calls' ? 'calls' : (b.lacks ?? a.lacks)
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...(totals && { totalTokens: totalOf(a) + totalOf(b) }),
    ...(lacks && { lacks }),
  }
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
