import type { Ending, UsageRecord } from '../core/ports/books.ts'
import { billedPart, billFor } from '../core/settlement.ts'
import type { Nano } from '../core/money.ts'
import type { UpstreamFailure } from '../core/failure.ts'
import { priceAt } from '../core/price.ts'
import { promptTokensOn } from '../core/promptSize.ts'
import { estimateTokens } from '../core/tokenEstimate.ts'
import { isPlausible, NO_USAGE, type Usage, type UsageSource } from '../core/usage.ts'
import { routeName } from '../upstream/route.ts'
import type { Admitted } from './admit.ts'
import { countPrompt } from './countPrompt.ts'
import type { PipelineDeps } from './deps.ts'
import type { Answer, DispatchLog } from './dispatch.ts'
import type { Plan } from './plan.ts'

/** How a call ended, as far as its rooms know. */
export interface Outcome {
  readonly ending: Ending
  /** The HTTP status the caller got, or would have got. */
  readonly status: number
  /** Undefined when no provider answered. */
  readonly answer: Answer | undefined
  /** Of an answer that broke off. */
  readonly failure?: UpstreamFailure | undefined
  /** As the provider reported it. */
  readonly reported: Usage | undefined
  /** Everything that was generated, for counting when nothing usable was reported. */
  readonly generatedText: () => string
}

/** An outcome with its price: ready to be committed. */
export interface PricedOutcome {
  readonly usage: Usage
  readonly usageSource: UsageSource
  readonly cost: Nano
  readonly record: UsageRecord
}

/** Settles what was used and what it costs (rulings, "Money"): reported usage if it can be true, else our own count. */
export async function priceOutcome(
  outcome: Outcome,
  admitted: Admitted,
  plan: Plan,
  log: DispatchLog,
  deps: PipelineDeps,
): Promise<PricedOutcome> {
  const { usage, source } = await usageOf(outcome, admitted, plan, log, deps)
  return priced(usage, source, outcome, admitted, plan, log, deps)
}

/** The same by what was estimated before the call and what came of it, without asking anything that might fail. */
export function priceByEstimate(
  outcome: Outcome,
  admitted: Admitted,
  plan: Plan,
  log: DispatchLog,
  deps: PipelineDeps,
): PricedOutcome {
  const counted = log.sent > 0 && billedPart(outcome.ending) !== 'nothing'
  const usage = counted
    ? usageOfCounts(
        promptTokensOn(plan.promptSize, outcome.answer?.route.model ?? plan.model),
        estimateTokens(outcome.generatedText()),
        outcome,
        plan,
        log,
      )
    : NO_USAGE
  return priced(usage, 'estimated', outcome, admitted, plan, log, deps)
}

function priced(
  usage: Usage,
  source: UsageSource,
  outcome: Outcome,
  admitted: Admitted,
  plan: Plan,
  log: DispatchLog,
  deps: PipelineDeps,
): PricedOutcome {
  const { answer } = outcome
  const model = answer?.route.model ?? plan.model
  const calls = answer?.calls ?? Math.max(log.sent, 1)
  const bill = billFor(outcome.ending, usage, priceAt(model.prices, admitted.startedAt), calls)
  const record: UsageRecord = {
    id: admitted.id,
    workspaceId: admitted.caller.workspace.id,
    keyId: admitted.caller.key.id,
    model: model.id,
    requestedModel: plan.request.model,
    provider: answer?.route.provider.name ?? null,
    upstreamModel: answer?.route.target.upstreamModel ?? null,
    stream: plan.request.stream,
    status: outcome.status,
    ending: outcome.ending,
    usage,
    usageSource: source,
    lines: bill.lines,
    attempts: log.attempts,
    startedAt: admitted.startedAt,
    firstEventAt: answer?.firstEventAt ?? null,
    endedAt: deps.now(),
    user: plan.request.user ?? null,
  }
  return { usage, usageSource: source, cost: bill.cost, record }
}

async function usageOf(
  outcome: Outcome,
  admitted: Admitted,
  plan: Plan,
  log: DispatchLog,
  deps: PipelineDeps,
): Promise<{ usage: Usage; source: UsageSource }> {
  const { answer, reported, ending } = outcome
  if (reported && answer) {
    const { model } = answer.route
    const ceiling = {
      promptTokens: model.contextLength * answer.calls,
      completionTokens: model.maxOutputTokens * plan.request.n,
    }
    // Nothing generated is what a provider that does not count says; then there is no text either.
    const says = reported.completionTokens > 0 || outcome.generatedText() === ''
    if (says && isPlausible(reported, ceiling)) return { usage: reported, source: 'reported' }
    deps.events.usageRejected({ id: admitted.id, route: routeName(answer.route), reported })
  }
  // Nothing was sent, so nothing was used; and what costs nothing is not worth counting.
  if (log.sent === 0 || billedPart(ending) === 'nothing') return { usage: NO_USAGE, source: 'estimated' }
  return { usage: await countUsage(outcome, plan, log, deps), source: 'estimated' }
}

async function countUsage(
  outcome: Outcome,
  plan: Plan,
  log: DispatchLog,
  deps: PipelineDeps,
): Promise<Usage> {
  const model = outcome.answer?.route.model ?? plan.model
  const [prompt, completion] = await Promise.all([
    countPrompt(plan.request, model, deps.tokens),
    deps.tokens.count(outcome.generatedText()),
  ])
  return usageOfCounts(prompt, completion, outcome, plan, log)
}

/** Counts of ours, never beyond what the model can take and give. */
function usageOfCounts(
  prompt: number,
  completion: number,
  outcome: Outcome,
  plan: Plan,
  log: DispatchLog,
): Usage {
  const model = outcome.answer?.route.model ?? plan.model
  return {
    ...NO_USAGE,
    promptTokens: prompt * (outcome.answer?.calls ?? log.sent),
    completionTokens: Math.min(completion, model.maxOutputTokens * plan.request.n),
  }
}
