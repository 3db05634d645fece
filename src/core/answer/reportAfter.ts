import { type ReportedUsage, promptOf } from '../usage.ts'
import type { AnswerEvent } from './event.ts'
import { hasText } from './hasText.ts'

/**
 * The usage report that holds after an event: the last one, unless it says nothing. A report does not count what is said
 * after it, so then only its prompt still holds. What was only held back until then is counted in it (`isReported`).
 */
export function reportAfter(
  report: ReportedUsage | undefined,
  event: AnswerEvent,
): ReportedUsage | undefined {
  if (event.type === 'usage') return unlessEmpty(event.usage)
  if (!report || report.lacks || event.type !== 'delta' || event.isReported) return report
  if (!hasText(event.delta)) return report
  return unlessEmpty(promptOf(report))
}

/** Servers that count the prompt later begin with a report of 0. */
function unlessEmpty(report: ReportedUsage): ReportedUsage | undefined {
  const saysNothing = report.promptTokens === 0 && report.completionTokens === 0
  return report.lacks && saysNothing ? undefined : report
}
