import type { AnswerEvent } from '../../core/answer/event.ts'
import type { FinishReason } from '../../core/answer/wholeAnswer.ts'
import { isCharged } from '../../core/failure.ts'
import type { Ending } from '../../core/ports/books.ts'
import type { Answer } from '../dispatch/answer.ts'
import type { Ended } from './follow.ts'

/**
 * The ending of a stream, in the words of the billing policy.
 *
 * @param delivered the caller has content of it
 */
export function endingOfStream(
  ended: Ended,
  { isLimited }: Pick<Answer, 'isLimited'>,
  delivered: boolean,
): Ending {
  switch (ended.how) {
    case 'whole':
      return endingOfFinishes(
        ended.finishes.map((finish) => finish.reason),
        isLimited,
      )
    case 'exhausted':
      return 'hold_exhausted'
    case 'overrun':
      return isLimited ? 'hold_exhausted' : 'length'
    case 'left':
    case 'stalled':
      return 'client_left'
    case 'broken':
    case 'stopped':
      return 'gateway_failed'
    case 'failed':
      if (delivered && ended.failure && isCharged(ended.failure)) return 'request_at_fault'
      if (ended.failure?.kind === 'no_room') return 'gateway_failed'
      // The caller chose how large its answers are, and how many come at the same time.
      if (ended.failure?.kind === 'no_share') return 'request_at_fault'
      return ended.failure?.kind === 'timeout' ? 'timeout' : 'provider_failed'
  }
}

/**
 * The ending of an answer whose choices all finished: the least usual reason names it.
 *
 * @param limited by the caller's money (`Answer.isLimited`): where the answer reached a limit, that one
 */
export function endingOfFinishes(reasons: readonly FinishReason[], limited: boolean): Ending {
  if (reasons.includes('content_filter')) return 'content_filter'
  if (!reasons.includes('length')) return 'completed'
  return limited ? 'hold_exhausted' : 'length'
}

/** The finish of every choice; those that an exhausted hold, or their limit, cut short end with `length`. */
export function closingEvents(ended: Ended, choices: number): AnswerEvent[] {
  const events: AnswerEvent[] = [...ended.finishes]
  if (ended.how === 'whole') return events
  const finished = new Set(ended.finishes.map(({ index }) => index))
  for (let index = 0; index < choices; index++) {
    if (!finished.has(index)) events.push({ type: 'finish', index, reason: 'length' })
  }
  return events
}
