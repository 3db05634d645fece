import type { ReportedUsage, Usage } from './usage.ts'

/** What no honest report can exceed: the prompt's and the completion's ceiling, in tokens. */
export interface UsageCeiling {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** The figures of a report that can be true (docs/billing.md#usage). Prompt and completion are judged separately. */
export interface JudgedReport {
  /** Undefined: cannot be true, our own count takes its place. */
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  /** Those that are no counts are 0; not yet clamped to their wholes. */
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly reasoningTokens: number
  /** Whether a part of prompt or completion was no count: then 0 of ours is charged in its place. */
  readonly partReplaced: boolean
  /** Whether the report speaks of the prompt alone: then the gateway counts the output, and does not doubt the report. */
  readonly promptOnly: boolean
}

/** What every honest report has. */
export interface UsageFloor {
  /** In tokens: no prompt has none, unless the provider does not charge for it. */
  readonly promptLeast: number
  /** A provider that does not count says 0. Asked for only where it matters: the text of a long answer is in many pieces. */
  readonly hasText: () => boolean
}

/** Judges a report: integers, not negative, below the ceiling, some prompt, and some completion where there is text. */
export function judgeReport(
  report: ReportedUsage,
  ceiling: UsageCeiling,
  { promptLeast, hasText }: UsageFloor,
): JudgedReport {
  const promptTokens = believed(report.promptTokens, promptLeast, ceiling.promptTokens)
  const promptOnly = report.promptOnly === true
  const completionLeast = !promptOnly && report.completionTokens === 0 && hasText() ? 1 : 0
  const completionTokens = promptOnly
    ? undefined
    : believed(report.completionTokens, completionLeast, ceiling.completionTokens)
  const parts = [report.cachedTokens, report.cacheWriteTokens, report.reasoningTokens]
  const beside = promptTokens === undefined ? 0 : reasoningBeside(report)
  const widened =
    beside > 0 ? believed(report.completionTokens + beside, 1, ceiling.completionTokens) : undefined
  const tellsReasoning = completionTokens !== undefined && widened !== undefined
  return {
    promptTokens,
    completionTokens: tellsReasoning ? widened : completionTokens,
    cachedTokens: countOr0(report.cachedTokens),
    cacheWriteTokens: countOr0(report.cacheWriteTokens),
    reasoningTokens: tellsReasoning ? beside : countOr0(report.reasoningTokens),
    partReplaced: !parts.every(isCount),
    promptOnly,
  }
}

/**
 * Reasoning tokens that are in the total, but not in the completion: what the total has beyond prompt and
 * completion, where the report names no reasoning, or exactly so much. Not what cached tokens explain that
 * the provider did not count into its prompt.
 */
function reasoningBeside(report: ReportedUsage): number {
  const { promptTokens, completionTokens, reasoningTokens, totalTokens } = report
  if (totalTokens === undefined) return 0
  const rest = totalTokens - promptTokens - completionTokens
  if (!isCount(rest) || (reasoningTokens !== 0 && reasoningTokens !== rest)) return 0
  return reasoningTokens === 0 && rest === report.cachedTokens + report.cacheWriteTokens ? 0 : rest
}

/** The usage of a judged report: the gateway's counts where it has none, and each part within its whole. */
export function usageFrom(
  judged: JudgedReport,
  counted: Pick<Usage, 'promptTokens' | 'completionTokens' | 'reasoningTokens'>,
): Usage {
  const promptTokens = judged.promptTokens ?? counted.promptTokens
  const completionTokens = judged.completionTokens ?? counted.completionTokens
  const cachedTokens = Math.min(judged.cachedTokens, promptTokens)
  const reasoningTokens = judged.promptOnly ? counted.reasoningTokens : judged.reasoningTokens
  return {
    promptTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(judged.cacheWriteTokens, promptTokens - cachedTokens),
    completionTokens,
    reasoningTokens: Math.min(reasoningTokens, completionTokens),
  }
}

/** Whether anything of the report could not be true as it came: a figure was replaced, or a part clamped. */
export function isDoubtful(judged: JudgedReport, usage: Usage): boolean {
  return (
    judged.partReplaced ||
    judged.promptTokens !== usage.promptTokens ||
    judged.cachedTokens !== usage.cachedTokens ||
    judged.cacheWriteTokens !== usage.cacheWriteTokens ||
    (!judged.promptOnly &&
      (judged.completionTokens !== usage.completionTokens ||
        judged.reasoningTokens !== usage.reasoningTokens))
  )
}

function believed(count: number, least: number, most: number): number | undefined {
  return isCount(count) && count >= least && count <= most ? count : undefined
}

function isCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0
}

function countOr0(count: number): number {
  return isCount(count) ? count : 0
}
