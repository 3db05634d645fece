import { mayCallTools } from '../core/mayCallTools.ts'
import type { RequestTraits } from '../core/traits.ts'
import { hidesReasoning } from '../core/hidesReasoning.ts'
import type { Route } from './route.ts'

/**
 * Whether a route's stream does not show how its answer grows (docs/billing.md#how-much-is-held): its model reasons out of
 * sight, or tool arguments come in one piece, by what their format or their provider's row says.
 */
export function streamsUnseen(request: RequestTraits, route: Route): boolean {
  return hidesReasoning(request, route.model) || (sendsCallsWhole(route) && mayCallTools(request))
}

/** Whether the arguments of a tool call come in one piece, after a silence in which they are written. */
export function sendsCallsWhole({ format, quirks }: Route): boolean {
  return quirks.wholeToolCalls ?? format.toolCalls === 'whole'
}
