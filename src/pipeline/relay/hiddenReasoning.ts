import type { Delta } from '../../core/chat/event.ts'
import { forEachGenerated } from '../../core/chat/generatedText.ts'
import { hasText } from '../../core/chat/hasText.ts'
import { hidesReasoning } from '../../core/hidesReasoning.ts'
import { MEASURE_PER_TOKEN, measureTokens } from '../../core/tokenMeasure.ts'
import type { ReplyContext } from '../call.ts'
import { meteredOutput } from './extend.ts'
import type { Meter } from './meter.ts'
import type { HiddenReasoning } from '../settle/outcome.ts'

/** Output tokens a second, where a route's own are not learnt yet: models that reason out of sight are mostly faster. */
export const TOKENS_PER_SECOND_DEFAULT = 30

/** A meter that also watches for how long its answer reasons. */
export interface ReasoningWatch {
  readonly meter: Meter
  /** Undefined where the model shows all of its output, and while nothing of it was seen. */
  hidden(): HiddenReasoning | undefined
}

/**
 * Watches an answer whose model may reason out of sight: from when it was sent to its first spoken text the model has
 * reasoned. While all that shows is reasoning (a summary, say), it has reasoned until the last of that.
 */
export function watchReasoning(meter: Meter, context: ReplyContext): ReasoningWatch {
  const { answer, call } = context
  const { plan, deps } = call
  const { route, sentAt, limit } = answer
  const { request } = plan
  if (!hidesReasoning(request, route.model)) return { meter, hidden: () => undefined }
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
    meter: {
      ...meter,
      take(event) {
        if (!spoken && event.type === 'delta') watch(event.delta)
        meter.take(event)
      },
    },
    hidden() {
      if (reasonedUntil === undefined) return undefined
      const perSecond = deps.router.speedOf(route) ?? TOKENS_PER_SECOND_DEFAULT
      const seconds = Math.max(0, reasonedUntil - sentAt) / 1000
      // Each choice reasons for itself.
      const reasoned = seconds * perSecond * request.n - seen / MEASURE_PER_TOKEN
      const { covered, most } = meteredOutput(context)
      return {
        tokens: Math.max(0, Math.floor(reasoned)),
        outputMost: Math.min(covered, limit === undefined ? most : limit * request.n),
      }
    },
  }
}
