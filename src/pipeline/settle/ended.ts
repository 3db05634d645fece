import { routeName } from '../../upstream/route.ts'
import type { HeldCall } from '../call.ts'
import type { Outcome, PricedOutcome } from './outcome.ts'

/**
 * Reports how an answer ended: to the router, which learns how good the target is, and to the log of conversations. Every
 * answer that began is reported once. A fault in reporting keeps no call from being settled.
 */
export function reportEnded(call: HeldCall, outcome: Outcome, priced: PricedOutcome): void {
  const { id, deps, plan } = call
  try {
    tellRouter(call, outcome, priced)
    deps.events.conversation(id, () => ({
      messages: plan.prompt.messages(),
      answer: outcome.generatedText(),
    }))
  } catch (cause) {
    deps.events.gatewayFailed({ id, at: 'report', cause })
  }
}

function tellRouter(
  { id, admitted, deps, log, plan }: HeldCall,
  { answer, ending, failure, delivered = false }: Outcome,
  { usage, record }: PricedOutcome,
): void {
  if (!answer || answer.replacement !== undefined) return
  if (failure) deps.events.answerFailed({ id, route: routeName(answer.route), failure })
  deps.router.ended(answer.route, admitted.caller.workspace.id, {
    failure,
    delivered,
    whole: ending === 'completed' || ending === 'length',
    outputTokens: usage.completionTokens / plan.request.n,
    durationMs: record.endedAt - (log.attempts.at(-1)?.startedAt ?? admitted.startedAt),
  })
}
