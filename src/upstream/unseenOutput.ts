import { mayCallTools } from '../core/chat/mayCallTools.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import { RecentMap } from '../core/recent.ts'
import { type Route, routeName } from './route.ts'

/** Routes remembered at once, those with tools apart; the oldest goes first. */
export const LEARNT_ROUTES_MAX = 1_000
/** A route whose output is seen growing since is noticed after so long. */
export const LEARNT_ROUTE_LIFE_MS = 60 * 60_000

/**
 * Which routes give output that is not seen growing although they stream (docs/billing.md#how-much-is-held): tool
 * arguments in one piece, by what their format or their provider's row says; anything, where much of it could not be
 * paid any more.
 */
export interface UnseenOutput {
  expects(request: ChatRequest, route: Route): boolean
  /** Much of the answer to this request was made before it was seen, and is not paid. */
  learn(request: ChatRequest, route: Route): void
}

/** @param now milliseconds since the epoch */
export function createUnseenOutput(now: () => number): UnseenOutput {
  const known = new RecentMap<string, number>(LEARNT_ROUTES_MAX)

  function remember(name: string): void {
    known.set(name, now() + LEARNT_ROUTE_LIFE_MS)
  }

  return {
    expects(request, route) {
      if (sendsCallsWhole(route) && mayCallTools(request)) return true
      if (known.size === 0) return false
      const until = known.get(nameOf(route, mayCallTools(request)))
      return until !== undefined && now() < until
    },
    learn(request, route) {
      // What came of tools says nothing of text; what came as text would have come with tools, too.
      if (!mayCallTools(request)) remember(nameOf(route, false))
      remember(nameOf(route, true))
    },
  }
}

function sendsCallsWhole({ format, provider }: Route): boolean {
  return provider.provider.quirks.wholeToolCalls ?? format.toolCalls === 'whole'
}

function nameOf(route: Route, tools: boolean): string {
  return tools ? `${routeName(route)} with tools` : routeName(route)
}
