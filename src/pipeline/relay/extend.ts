import { StoreUnavailable } from '../../core/ports/till.ts'
import type { Route } from '../../upstream/route.ts'
import type { HeldCall, ReplyContext } from '../call.ts'
import { extensionAmount, outputTokensFor, outputTokensOf } from '../admit/holdSize.ts'
import type { MeteredOutput } from './meter.ts'

/** What a call's hold covers of its answer, on the route that gives it. */
export function meteredOutput({ plan, admitted }: HeldCall, route: Route): MeteredOutput {
  const { held, coversMost, startedAt } = admitted
  const { most } = outputTokensOf(plan.request, route.model)
  if (coversMost) return { covered: most, most }
  const covered = outputTokensFor(held, plan.request, route, plan.promptSize, startedAt)
  return { covered: Math.min(covered, most), most }
}

/** Lets a call's hold grow by output tokens of the model that answers. A store that is away means no. */
export function extender({ call, answer }: ReplyContext): (tokens: number) => Promise<boolean> {
  const { plan, admitted, deps } = call
  return async (tokens) => {
    const amount = extensionAmount(answer.route, plan.promptSize, tokens, admitted.startedAt)
    try {
      return await admitted.extend(amount, deps.now())
    } catch (error) {
      if (error instanceof StoreUnavailable) return false
      throw error
    }
  }
}
