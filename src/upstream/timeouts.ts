import type { ChatRequest } from '../core/chat/request.ts'
import { hidesReasoning } from '../core/hidesReasoning.ts'
import type { Timeouts } from './http.ts'
import type { Route } from './route.ts'

/**
 * How long a call to a route may take. An answer that is asked whole has one limit for all of it: its first byte may be its
 * last. A model that may reason out of sight is silent for longer until it says something.
 */
export function timeoutsOf({ provider, model }: Route, request: ChatRequest): Timeouts {
  const { usual, patient } = provider.timeouts
  const { connectMs, firstByteMs, firstEventMs, idleMs, wholeMs, totalMs } = hidesReasoning(request, model)
    ? patient
    : usual
  if (request.stream)
    return { connectMs, firstByteMs, firstEventMs, idleMs, spokenIdleMs: usual.idleMs, totalMs }
  const mostMs = Math.min(wholeMs, totalMs)
  return { connectMs, firstEventMs: mostMs, idleMs: mostMs, totalMs: mostMs }
}
