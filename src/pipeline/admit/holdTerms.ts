import { type Nano, ZERO } from '../../core/money.ts'
import type { HoldRequest } from '../../core/ports/till.ts'
import { streamsUnseen } from '../../upstream/unseenOutput.ts'
import type { AnswerMode } from '../../upstream/router.ts'
import type { Admitted } from './admitted.ts'
import type { Call } from '../call.ts'
import type { LimitOf } from '../dispatch/course.ts'
import { holdFor, outputLimitFor, outputTokensFor, promptCostOf } from './holdSize.ts'
import type { Plan } from '../plan/plan.ts'

// What a call asks to be held, and what follows from the hold for how its provider is asked (docs/billing.md#how-much-is-held, docs/decisions/0009-holds-that-fit.md).

/** What a call asks the admission to set aside. */
export function holdTermsOf(
  { request, prompt, routes }: Plan,
  { caller, deps }: Pick<Call, 'caller' | 'deps'>,
  at: number,
): Omit<HoldRequest, 'expiresAt'> {
  const hold = holdFor(request, routes, prompt.size, at)
  if (deps.holds() === 'full') return { ...hold, prompt: ZERO, output: 'full' }
  const unseen = routes.some(
    (route) =>
      deps.streamRefusals.refuses(caller.workspace.id, request, route) || streamsUnseen(request, route),
  )
  return unseen
    ? { ...hold, prompt: promptCostOf(request, routes, prompt.size, at), output: 'unseen' }
    : { ...hold, prompt: ZERO, output: 'seen' }
}

/** An answer that is not seen growing may take so many times what its hold covers: not all of that is sure to be paid. */
const UNSEEN_OUTPUT_FACTOR = 4

/** Every request leaves with an output limit that hold and balance can pay. */
export function outputLimitsOf(plan: Plan, admitted: Admitted): LimitOf {
  const { request } = plan
  const { affordable, held, coversMost, startedAt } = admitted
  return (route, mode) => {
    // A hold that covers the most on the dearest route covers it on each.
    if (coversMost) return undefined
    const tokens = (amount: Nano, factor = 1): number =>
      outputTokensFor(amount, plan, route, startedAt, factor)
    const seen = mode === 'stream' && !streamsUnseen(request, route)
    const paid = seen ? tokens(affordable) : Math.min(tokens(affordable), tokens(held, UNSEEN_OUTPUT_FACTOR))
    return outputLimitFor(paid, request, route.model)
  }
}

/** A longer answer than this is streamed from the provider even to a caller that wants it whole. */
export const WHOLE_OUTPUT_TOKENS_MAX = 4_096

/**
 * An answer is asked for whole where its hold covers the most that it can cost, and it cannot be long. Any other is
 * streamed from the provider and collected: its hold can grow, and a provider that is stuck is noticed.
 */
export function modeOf({ request, routes }: Plan, { coversMost }: Admitted): AnswerMode {
  if (request.stream || !coversMost) return 'stream'
  const short = routes.every(
    ({ model }) => Math.min(request.maxTokens ?? Infinity, model.maxOutputTokens) <= WHOLE_OUTPUT_TOKENS_MAX,
  )
  return short ? 'whole' : 'stream'
}
