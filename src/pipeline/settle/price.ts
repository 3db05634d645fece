import type { Attempt, UsageRecord } from '../../core/ports/books.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import { priceAt } from '../../core/price.ts'
import { promptTokensOn } from '../../core/promptSize.ts'
import { billFor } from '../../core/settlement.ts'
import type { Usage, UsageSource } from '../../core/usage.ts'
import { outputTokensOf } from '../admit/holdSize.ts'
import type { HeldCall } from '../call.ts'
import type { Outcome, PricedOutcome } from './outcome.ts'
import { overrunOf } from './overrun.ts'
import { estimateUsage, routeOf, usageOf } from './usage.ts'

/**
 * What an outcome costs (docs/billing.md#usage): by reported usage as far as it can be true, and by the gateway's own count for
 * the rest. A fault in counting strands no call, and makes none free while the estimate can take the place of the count.
 */
export async function priceOutcome(call: HeldCall, outcome: Outcome): Promise<PricedOutcome> {
  const { id, deps } = call
  try {
    const { usage, source } = await usageOf(call, outcome)
    return priced(call, outcome, usage, source)
  } catch (cause) {
    deps.events.gatewayFailed({ id, at: 'pricing', cause })
  }
  try {
    return pricedByEstimate(call, outcome)
  } catch (cause) {
    deps.events.gatewayFailed({ id, at: 'pricing', cause })
    return pricedByEstimate(call, { ...outcome, ending: 'gateway_failed', generatedText: () => '' })
  }
}

/** By what was estimated before the call and what came of it, without asking anything that might fail. */
function pricedByEstimate(call: HeldCall, outcome: Outcome): PricedOutcome {
  return priced(call, outcome, estimateUsage(call, outcome), 'estimated')
}

function priced(call: HeldCall, outcome: Outcome, usage: Usage, source: UsageSource): PricedOutcome {
  const { admitted, plan, log, deps } = call
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
    user: plan.request.user === undefined ? null : deps.veil(plan.request.user),
  }
  const { promptTokens, completionTokens } = usage
  const reckonedPromptTokens = promptTokensOn(plan.prompt.size, model) * calls
  const cost = { cost: bill.cost, promptTokens, reckonedPromptTokens }
  const overrun = bill.cost > admitted.held ? overrunOf(call, outcome, cost, completionTokens) : undefined
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
