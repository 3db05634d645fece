import type { AnswerEvent } from '../core/answer/event.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import type { ReportedUsage } from '../core/usage.ts'
import type { Route } from './route.ts'

/**
 * Calls in one message; an answer that opens more is none. No output reaches it: a call takes at least eight tokens, and
 * 128,000 of them make 16,000 calls.
 */
export const TOOL_CALLS_MAX = 65_536

/**
 * Brings reported usage to the one convention where the provider's differs from its wire format's. Throws `UpstreamError`
 * for more calls than any answer has.
 */
export function normaliseResponse(response: WholeAnswer, route: Route): WholeAnswer {
  if (response.choices.some(({ message }) => (message.tool_calls?.length ?? 0) > TOOL_CALLS_MAX))
    throw new UpstreamError(TOO_MANY_CALLS)
  if (!response.usage || !route.quirks.reasoningOutsideCompletion) return response
  return { ...response, usage: reasoningInside(response.usage) }
}

/** The same for events: an `error` takes the place of the first call too many. */
export function normaliseEvents(events: AnswerEvent[], route: Route): AnswerEvent[] {
  const tooMany = events.findIndex(hasTooManyCalls)
  const bounded: AnswerEvent[] =
    tooMany === -1 ? events : [...events.slice(0, tooMany), { type: 'error', failure: TOO_MANY_CALLS }]
  if (!route.quirks.reasoningOutsideCompletion) return bounded
  return bounded.map((event) =>
    event.type === 'usage' ? { type: 'usage', usage: reasoningInside(event.usage) } : event,
  )
}

const TOO_MANY_CALLS: UpstreamFailure = {
  kind: 'invalid_answer',
  detail: `more than ${TOOL_CALLS_MAX} tool calls`,
}

/** The index of a call is its ordinal, whatever the format. */
function hasTooManyCalls(event: AnswerEvent): boolean {
  if (event.type !== 'delta' || !event.delta.tool_calls) return false
  return event.delta.tool_calls.some(({ index }) => index >= TOOL_CALLS_MAX)
}

function reasoningInside(usage: ReportedUsage): ReportedUsage {
  return { ...usage, completionTokens: usage.completionTokens + usage.reasoningTokens }
}
