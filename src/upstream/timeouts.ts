import type { RequestTraits } from '../core/traits.ts'
import { mayCallTools } from '../core/mayCallTools.ts'
import { hidesReasoning } from '../core/hidesReasoning.ts'
import type { Timeouts } from './http.ts'
import type { Route } from './route.ts'
import { sendsCallsWhole } from './unseenOutput.ts'

/**
 * How long a call to a route may take. An answer that is asked whole has one limit for all of it: its first byte may be its
 * last. A model that may reason out of sight is silent for longer until it says something; one that writes a tool call out
 * of sight is so behind its text, too.
 */
export function timeoutsOf(route: Route, request: RequestTraits): Timeouts {
  const { provider, model } = route
  const { usual, patient } = provider.timeouts
  const hidesCalls = sendsCallsWhole(route) && mayCallTools(request)
  const { connectMs, firstByteMs, firstEventMs, idleMs, wholeMs, totalMs } =
    hidesCalls || hidesReasoning(request, model) ? patient : usual
  if (request.stream) {
    const spokenIdleMs = hidesCalls ? patient.idleMs : usual.idleMs
    return { connectMs, firstByteMs, firstEventMs, idleMs, spokenIdleMs, totalMs }
  }
  const mostMs = Math.min(wholeMs, totalMs)
  return { connectMs, firstEventMs: mostMs, idleMs: mostMs, totalMs: mostMs }
}
