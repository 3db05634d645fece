import type { Nano } from '../../core/money.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import type { Route } from '../../upstream/route.ts'
import type { HeldCall, ReplyContext } from '../call.ts'
import { extensionAmount, extensionTokens, outputTokensFor, outputTokensOf } from '../admit/holdSize.ts'
import type { MeteredOutput } from './meter.ts'

/** What a call's hold covers of its answer, on the route that gives it. */
export function meteredOutput({ plan, admitted }: HeldCall, route: Route): MeteredOutput {
  const { held, coversMost, startedAt } = admitted
  const { most } = outputTokensOf(plan.request, route.model)
  if (coversMost) return { covered: most, most }
  const covered = outputTokensFor(held, plan, route, startedAt)
  return { covered: Math.min(covered, most), most }
}

/** What came of asking for more. */
export interface Growth {
  /** Output tokens by which the hold covers more; 0: none. */
  readonly tokens: number
  /** Nothing was granted, and only holds of other calls are in the way. */
  readonly heldByOthers: boolean
}

const NO_GROWTH: Growth = { tokens: 0, heldByOthers: false }

/**
 * Lets a call's hold grow by output tokens of the model that answers, or by what is free of them if that is at least so
 * many. A store that is away means no.
 */
export function extender({
  call,
  answer: { route },
}: ReplyContext): (tokens: number, least: number) => Promise<Growth> {
  const { plan, admitted, deps } = call
  const { startedAt } = admitted
  const costOf = (tokens: number): Nano => extensionAmount(route, plan.prompt.size, tokens, startedAt)
  return async (tokens, least) => {
    const wanted = costOf(tokens)
    try {
      const verdict = await admitted.extend(wanted, costOf(least), deps.now())
      if (verdict.kind === 'gone') return NO_GROWTH
      if (verdict.kind === 'refused') return { tokens: 0, heldByOthers: verdict.heldByOthers }
      const { amount } = verdict
      const covered = amount === wanted ? tokens : extensionTokens(route, plan.prompt.size, amount, startedAt)
      return { tokens: Math.min(tokens, covered), heldByOthers: false }
    } catch (error) {
      if (error instanceof StoreUnavailable) return NO_GROWTH
      throw error
    }
  }
}
