import type { ChatRequest } from '../../core/chat/request.ts'
import { hidesReasoning } from '../../core/hidesReasoning.ts'
import type { Model } from '../../core/model.ts'
import { type Nano, ZERO } from '../../core/money.ts'
import type { HoldRequest } from '../../core/ports/till.ts'
import type { UnseenOutput } from '../../upstream/unseenOutput.ts'
import type { Route } from '../../upstream/route.ts'
import type { AnswerMode } from '../../upstream/router.ts'
import type { Admitted } from './admitted.ts'
import type { Caller } from '../authenticate/caller.ts'
import type { PipelineDeps } from '../deps.ts'
import type { LimitOf } from '../dispatch/dispatch.ts'
import { holdFor, outputLimitFor, outputTokensFor, promptCostOf } from './holdSize.ts'
import type { Plan } from '../plan/plan.ts'

// What a call asks to be held, and what follows from the hold for how its provider is asked (docs/billing.md#how-much-is-held, docs/decisions/0009-holds-that-fit.md).

/** What a call asks the admission to set aside. */
export function holdTermsOf(
  { request, promptSize, routes }: Plan,
  caller: Caller,
  deps: Pick<PipelineDeps, 'learntNeeds' | 'streamRefusals' | 'unseenOutput' | 'holds'>,
  at: number,
): Omit<HoldRequest, 'expiresAt'> {
  const usualOf = (model: Model): number => deps.learntNeeds.usual(caller.workspace.id, model)
  const hold = holdFor(request, routes, promptSize, at, usualOf)
  if (deps.holds() === 'full') return { ...hold, prompt: ZERO, output: 'full' }
  const unseen = routes.some(
    (route) =>
      deps.streamRefusals.refuses(caller.workspace.id, request, route) ||
      streamsUnseen(request, route, deps.unseenOutput),
  )
  return unseen
    ? { ...hold, prompt: promptCostOf(request, routes, promptSize, at), output: 'unseen' }
    : { ...hold, prompt: ZERO, output: 'seen' }
}

/** Whether a route's stream does not show how its answer grows. */
export function streamsUnseen(
  request: ChatRequest,
  route: Route,
  unseenOutput: Pick<UnseenOutput, 'expects'>,
): boolean {
  return hidesReasoning(request, route.model) || unseenOutput.expects(request, route)
}

/** An answer that is not seen growing may take so many times what its hold covers: not all of that is sure to be paid. */
const UNSEEN_OUTPUT_FACTOR = 4

/** Every request leaves with an output limit that hold and balance can pay. */
export function outputLimitsOf(
  { request, promptSize }: Plan,
  admitted: Admitted,
  { unseenOutput }: Pick<PipelineDeps, 'unseenOutput'>,
): LimitOf {
  const { affordable, held, coversMost, startedAt } = admitted
  return (route, mode) => {
    // A hold that covers the most on the dearest route covers it on each.
    if (coversMost) return undefined
    const tokens = (amount: Nano, factor = 1): number =>
      outputTokensFor(amount, request, route, promptSize, startedAt, factor)
    const seen = mode === 'stream' && !streamsUnseen(request, route, unseenOutput)
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
