import type { AnswerEvent, Delta } from '../../core/answer/event.ts'
import { forEachGenerated, generatedTextOf } from '../../core/answer/generatedText.ts'
import { hasText } from '../../core/answer/hasText.ts'
import { hidesReasoning } from '../../core/hidesReasoning.ts'
import { estimateTokens } from '../../core/tokenEstimate.ts'
import { MEASURE_PER_TOKEN, measureTokens } from '../../core/tokenMeasure.ts'
import { callsFor } from '../../upstream/fanOut.ts'
import { PARALLEL_CALLS_MAX } from '../../upstream/parallelCalls.ts'
import type { Route } from '../../upstream/route.ts'
import { streamsUnseen } from '../../upstream/unseenOutput.ts'
import type { HeldCall, ReplyContext } from '../call.ts'
import type { UnseenEstimate } from '../settle/outcome.ts'
import { meteredOutput } from './extend.ts'

/** Until its first word a call also waits for its turn, and its prompt is read: this time is not charged as output. */
export const UNSEEN_FREE_MS = 5_000

/** Watches for how long an answer reasons. */
export interface ReasoningWatch {
  /** Takes each event of the answer. */
  take(event: AnswerEvent): void
  unseen(): UnseenEstimate
}

/**
 * Watches an answer whose model may reason out of sight: from when it was sent to its first spoken text the model has
 * reasoned. While all that shows is reasoning (a summary, say), it has reasoned until the last of that. Undefined where the
 * model shows all of its output.
 */
export function watchReasoning({ answer, call }: ReplyContext): ReasoningWatch | undefined {
  const { plan, deps } = call
  if (!hidesReasoning(plan.request, answer.route.model)) return undefined
  let reasonedUntil: number | undefined
  let spoken = false
  /** Of reasoning that is seen, which is counted as text. */
  let seen = 0

  function watch(delta: Delta): void {
    const { reasoning_content, reasoning_details, ...speech } = delta
    const before = seen
    const thought = { ...(reasoning_content && { reasoning_content }), reasoning_details }
    forEachGenerated(thought, (text) => (seen += measureTokens(text)))
    spoken = hasText(speech)
    if (spoken || seen > before) reasonedUntil = deps.now()
  }

  return {
    take(event) {
      if (!spoken && event.type === 'delta') watch(event.delta)
    },
    unseen() {
      const { route, sentAt, limit } = answer
      const ms = (reasonedUntil ?? deps.now() - UNSEEN_FREE_MS) - sentAt
      return estimate(call, { route, limit, ms, isReasoning: true, seenTokens: seen / MEASURE_PER_TOKEN })
    },
  }
}

/**
 * What was probably generated for a caller that left before the provider answered, or whose workspace left no room for the
 * answer: where output shows only at the end,
 * for as long as the provider was at work. Undefined where it would have been seen, and where none was at work.
 */
export function unseenBeforeAnswer(call: HeldCall): UnseenEstimate | undefined {
  const { log, plan, deps } = call
  if (!log.underway) return undefined
  const { route, mode, sentAt, limit, part } = log.underway
  if (mode === 'stream' && !streamsUnseen(plan.request, route)) return undefined
  const ms = deps.now() - UNSEEN_FREE_MS - sentAt
  const isReasoning = hidesReasoning(plan.request, route.model)
  const seenTokens = part ? estimateTokens(generatedTextOf(part)) : 0
  return estimate(call, { route, limit, ms, isReasoning, seenTokens })
}

interface Unseen extends Pick<UnseenEstimate, 'isReasoning'> {
  readonly route: Route
  /** The output limit for each choice that it was asked for with. */
  readonly limit: number | undefined
  /** For so long choices were generated. */
  readonly ms: number
  /** Of it, what was seen all the same; tokens of all choices. */
  readonly seenTokens: number
}

function estimate(call: HeldCall, { route, limit, ms, isReasoning, seenTokens }: Unseen): UnseenEstimate {
  const { request } = call.plan
  const { n } = request
  const atOnce = callsFor(request, route) === 1 ? n : Math.min(n, PARALLEL_CALLS_MAX)
  const { covered, most } = meteredOutput(call, route)
  const generated = (Math.max(0, ms) / 1000) * route.model.assumedTokensPerSecond * atOnce
  return {
    tokens: Math.max(0, Math.floor(generated - seenTokens)),
    isReasoning,
    outputMost: Math.min(covered, limit === undefined ? most : limit * n),
  }
}
