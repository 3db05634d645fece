import type { Attempt, Ending, UsageRecord } from '../../core/ports/books.ts'
import { billFor } from '../../core/settlement.ts'
import type { Nano } from '../../core/money.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import { priceAt } from '../../core/price.ts'
import { promptTokensOn } from '../../core/promptSize.ts'
import type { ReportedUsage, Usage, UsageSource } from '../../core/usage.ts'
import type { Overrun } from '../../core/writeoff.ts'
import type { Admitted } from '../admit/admitted.ts'
import type { PipelineDeps } from '../deps.ts'
import type { Answer, DispatchLog } from '../dispatch/dispatch.ts'
import type { HiddenReasoning } from '../relay/hiddenReasoning.ts'
import { outputTokensOf } from '../admit/holdSize.ts'
import { overrunOf } from './overrun.ts'
import type { Plan } from '../plan/plan.ts'
import { estimateUsage, routeOf, usageOf } from './usage.ts'

/** Of a caller that left before it got an answer: no failure of anybody (nginx's convention). */
export const CLIENT_LEFT_STATUS = 499

/** How a call ended, as far as its rooms know. */
export interface Outcome {
  readonly ending: Ending
  /** The HTTP status the caller got, or would have got; `CLIENT_LEFT_STATUS` where it left before it got one. */
  readonly status: number
  /** Undefined when no provider answered. */
  readonly answer: Answer | undefined
  /** Of an answer that broke off. */
  readonly failure?: UpstreamFailure | undefined
  /** By the provider; not judged yet. */
  readonly reported: ReportedUsage | undefined
  /** Everything that was generated, for counting when nothing usable was reported. */
  readonly generatedText: () => string
  /** What was probably reasoned out of sight meanwhile. */
  readonly hidden?: HiddenReasoning | undefined
  /** The hold could not grow, so the text ends where the hold did. */
  readonly cut?: boolean
}

/** An outcome with its price: ready to be committed. */
export interface PricedOutcome {
  /** What was used; of output also what is not billed, because it is beyond what was asked for. */
  readonly usage: Usage
  readonly usageSource: UsageSource
  readonly cost: Nano
  readonly record: UsageRecord
  /** Of a call that cost more than it held. */
  readonly overrun: (() => Overrun) | undefined
}

/** Settles what was used and what it costs (rulings, "Money"): reported usage as far as it can be true, our own count for the rest. */
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
  return priced(estimateUsage(outcome, plan, log), 'estimated', outcome, admitted, plan, log, deps)
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
  const { answer, failure } = outcome
  const endedAt = deps.now()
  const route = routeOf(outcome, log)
  const model = route?.model ?? plan.model
  const calls = answer?.calls ?? Math.max(log.sent, 1)
  const price = priceAt(model.prices, admitted.startedAt)
  const bill = billFor(outcome.ending, usage, price, {
    prompts: calls,
    outputTokensMost: outputTokensOf(plan.request, model).most,
  })
  const record: UsageRecord = {
    id: admitted.id,
    workspaceId: admitted.caller.workspace.id,
    keyId: admitted.caller.key.id,
    model: model.id,
    requestedModel: plan.request.model,
    provider: route?.provider.name ?? null,
    upstreamModel: route?.target.upstreamModel ?? null,
    stream: plan.request.stream,
    status: outcome.status,
    ending: outcome.ending,
    usage,
    usageSource: source,
    lines: bill.lines,
    attempts: failure ? withBrokenOff(log.attempts, failure, endedAt) : log.attempts,
    startedAt: admitted.startedAt,
    firstEventAt: answer?.firstEventAt ?? null,
    endedAt,
    user: plan.request.user ?? null,
  }
  const overrun =
    bill.cost > admitted.held
      ? overrunOf(
          bill,
          price,
          { promptTokens: promptTokensOn(plan.promptSize, model), prompts: calls },
          outcome,
          admitted,
        )
      : undefined
  return { usage, usageSource: source, cost: bill.cost, record, overrun }
}

/** The attempts of a call whose answer had begun and broke off: the last of them failed after all. */
function withBrokenOff(
  attempts: readonly Attempt[],
  { kind, status }: UpstreamFailure,
  endedAt: number,
): readonly Attempt[] {
  const last = attempts.at(-1)
  if (last?.outcome !== 'answered') return attempts
  return [
    ...attempts.slice(0, -1),
    { ...last, endedAt, outcome: kind, ...(status !== undefined && { status }) },
  ]
}
