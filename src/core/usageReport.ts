import { NO_USAGE, type ReportedUsage, type Usage } from './usage.ts'

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
  /** Whether a figure cannot be true. */
  readonly isReplaced: boolean
  /** What is in the report of a figure that it does not have whole. The greater of this and the gateway's count holds. */
  readonly least: Pick<Usage, 'promptTokens' | 'completionTokens'>
}

/** Where nothing was reported. */
export const NO_REPORT: JudgedReport = {
  ...NO_USAGE,
  promptTokens: undefined,
  completionTokens: undefined,
  partReplaced: false,
  isReplaced: false,
  least: NO_USAGE,
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
  const { lacks } = report
  const promptTokens = believed(report.promptTokens, promptLeast, ceiling.promptTokens)
  const completionLeast = !lacks && report.completionTokens === 0 && hasText() ? 1 : 0
  const spoken = believed(report.completionTokens, completionLeast, ceiling.completionTokens)
  const partReplaced = ![report.cachedTokens, report.cacheWriteTokens, report.reasoningTokens].every(isCount)
  const beside = promptTokens === undefined ? 0 : reasoningBeside(report)
  const widened =
    beside > 0 ? believed(report.completionTokens + beside, 1, ceiling.completionTokens) : undefined
  const tellsReasoning = spoken !== undefined && widened !== undefined
  const completionTokens = tellsReasoning ? widened : spoken
  return {
    promptTokens: lacks === 'calls' ? undefined : promptTokens,
    completionTokens: lacks ? undefined : completionTokens,
    cachedTokens: countOr0(report.cachedTokens),
    cacheWriteTokens: countOr0(report.cacheWriteTokens),
    reasoningTokens: tellsReasoning ? beside : countOr0(report.reasoningTokens),
    partReplaced,
    isReplaced: partReplaced || promptTokens === undefined || completionTokens === undefined,
    least: lacks ? { promptTokens: promptTokens ?? 0, completionTokens: completionTokens ?? 0 } : NO_USAGE,
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
  const { least } = judged
  const promptTokens = judged.promptTokens ?? Math.max(least.promptTokens, counted.promptTokens)
  const completionTokens =
    judged.completionTokens ?? Math.max(least.completionTokens, counted.completionTokens)
  const cachedTokens = Math.min(judged.cachedTokens, promptTokens)
  const reasoningTokens =
    judged.completionTokens === undefined
      ? Math.max(judged.reasoningTokens, counted.reasoningTokens)
      : judged.reasoningTokens
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
    judged.isReplaced ||
    judged.cachedTokens !== usage.cachedTokens ||
    judged.cacheWriteTokens !== usage.cacheWriteTokens ||
    (judged.completionTokens !== undefined && judged.reasoningTokens !== usage.reasoningTokens)
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
