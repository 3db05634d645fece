import type { Model } from '../../core/model.ts'
import type { Ending } from '../../core/ports/books.ts'
import { promptTokensOn } from '../../core/promptSize.ts'
import { excessOutput, isBilled } from '../../core/settlement.ts'
import { estimateTokens } from '../../core/tokenEstimate.ts'
import { NO_USAGE, type Usage, type UsageSource } from '../../core/usage.ts'
import { type JudgedReport, NO_REPORT, isDoubtful, judgeReport, usageFrom } from '../../core/usageReport.ts'
import { type Route, routeName } from '../../upstream/route.ts'
import type { HeldCall } from '../call.ts'
import type { Answer, DispatchLog } from '../dispatch/answer.ts'
import { outputTokensOf } from '../admit/holdSize.ts'
import type { Outcome } from './outcome.ts'
import type { Plan } from '../plan/plan.ts'

/** Endings before the provider's own. */
const CUT_SHORT: ReadonlySet<Ending> = new Set([
  'client_left',
  'client_left_before_answer',
  'hold_exhausted',
  'request_at_fault',
])

/** What a call used: each figure as reported if it can be true, else by our own count. */
export async function usageOf(
  call: HeldCall,
  outcome: Outcome,
): Promise<{ readonly usage: Usage; readonly source: UsageSource }> {
  const { id, plan, log, deps } = call
  const { answer, reported } = outcome
  const route = routeOf(outcome, log)
  const judged = route && reported ? judge(outcome, route, promptsOf(outcome, log), plan) : NO_REPORT
  const { promptTokens, completionTokens, partReplaced } = judged
  const isWhole = promptTokens !== undefined && completionTokens !== undefined
  const counts = isWhole || !isCounted(outcome, log) ? NO_USAGE : await countMissing(call, outcome, judged)
  const usage = reported ? usageFrom(judged, counts) : counts
  const estimated = !isWhole || partReplaced
  if (route && reported && isDoubtful(judged, usage))
    deps.events.usageRejected({ id, route: routeName(route), reported })
  // The gateway's own count proves nothing against a provider.
  if (answer && completionTokens !== undefined) tellExcess(call, outcome, answer, usage)
  return { usage, source: estimated ? 'estimated' : 'reported' }
}

/** The same without asking anything that might fail: nothing of it is as reported. */
export function estimateUsage({ plan, log }: HeldCall, outcome: Outcome): Usage {
  if (!isCounted(outcome, log)) return NO_USAGE
  const model = modelOf(outcome, plan, log)
  // No text has more tokens than bytes.
  const textTokens = Math.min(plan.prompt.size.textTokens, log.sentBytes)
  const prompt = promptTokensOn({ ...plan.prompt.size, textTokens }, model)
  return {
    ...NO_USAGE,
    promptTokens: prompt * promptsOf(outcome, log),
    ...outputOf(upToAsked(estimateTokens(outcome.generatedText()), model, plan), outcome),
  }
}

/** Where the call was answered; of one that is charged without an answer, where its prompt was sent. */
export function routeOf({ answer, ending }: Outcome, { sentTo }: DispatchLog): Route | undefined {
  return answer?.route ?? (isBilled(ending) ? sentTo : undefined)
}

/** Nothing was sent, so nothing was used; and what costs nothing is not worth counting. */
function isCounted({ ending }: Outcome, log: DispatchLog): boolean {
  return log.sent > 0 && isBilled(ending)
}

function judge(outcome: Outcome, { model }: Route, calls: number, plan: Plan): JudgedReport {
  const { reported, generatedText } = outcome
  if (!reported) return NO_REPORT
  const filtered = isFiltered(outcome)
  const ceiling = {
    promptTokens: model.contextLength * calls,
    completionTokens: model.maxOutputTokens * plan.request.n,
  }
  return judgeReport(reported, ceiling, {
    promptLeast: filtered && reported.completionTokens === 0 ? 0 : 1,
    hasText: () => !filtered && generatedText() !== '',
  })
}

/** Some providers ask no money for an answer that they filter: their report of 0 is meant. */
function isFiltered({ ending, failure }: Outcome): boolean {
  return ending === 'content_filter' || failure?.kind === 'content_policy'
}

async function countMissing(
  { plan, log, deps }: HeldCall,
  outcome: Outcome,
  judged: JudgedReport,
): Promise<Usage> {
  const model = modelOf(outcome, plan, log)
  const [prompt, completion] = await Promise.all([
    judged.promptTokens === undefined ? plan.prompt.count(model, deps.tokens, log) : 0,
    judged.completionTokens === undefined ? deps.tokens.count(outcome.generatedText()) : 0,
  ])
  return {
    ...NO_USAGE,
    promptTokens: prompt * promptsOf(outcome, log),
    ...outputOf(upToAsked(completion, model, plan), outcome),
  }
}

/**
 * The output by our own count: what was seen, and where an answer was left or cut before its provider reported any of it,
 * what was probably generated unseen.
 */
function outputOf(
  seenTokens: number,
  { ending, reported, unseen }: Outcome,
): Pick<Usage, 'completionTokens' | 'reasoningTokens'> {
  const isReported = reported !== undefined && !reported.lacks
  if (!unseen || isReported || !CUT_SHORT.has(ending))
    return { completionTokens: seenTokens, reasoningTokens: 0 }
  const tokens = Math.min(unseen.tokens, Math.max(0, unseen.outputMost - seenTokens))
  return { completionTokens: seenTokens + tokens, reasoningTokens: unseen.isReasoning ? tokens : 0 }
}

function tellExcess(
  { id, plan, deps }: HeldCall,
  { ending }: Outcome,
  { route, limit }: Answer,
  usage: Usage,
): void {
  const { most } = outputTokensOf(plan.request, route.model)
  const allowed = limit === undefined ? most : limit * plan.request.n
  const tokens = excessOutput(ending, usage, allowed)
  if (tokens === 0) return
  deps.events.outputExceeded({
    id,
    route: routeName(route),
    provider: route.provider.name,
    tokens,
  })
}

function modelOf(outcome: Outcome, plan: Plan, log: DispatchLog): Model {
  return routeOf(outcome, log)?.model ?? plan.model
}

function promptsOf({ answer }: Outcome, log: DispatchLog): number {
  return answer?.calls ?? log.sent
}

function upToAsked(completionTokens: number, model: Model, plan: Plan): number {
  return Math.min(completionTokens, outputTokensOf(plan.request, model).most)
}
