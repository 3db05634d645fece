import type { EventStream } from '../../upstream/eventStream.ts'
import type { HeldCall, ReplyContext } from '../call.ts'
import type { Outcome } from '../settle/outcome.ts'
import { endingOfStream } from './ending.ts'
import { extender, meteredOutput } from './extend.ts'
import type { Ended, FollowOptions, Following } from './follow.ts'
import { createMeter } from './meter.ts'
import { unseenBeforeAnswer, watchReasoning } from './unseenOutput.ts'

/** An answer that is followed, whether its caller wants it whole or streamed. */
export interface FollowedAnswer {
  readonly options: Omit<FollowOptions, 'onEvents'>
  /**
   * What the call came to.
   *
   * @param status what its caller is answered
   * @param delivered its caller has content of it
   */
  outcomeOf(ended: Ended, status: number, delivered: boolean): Outcome
}

/** How an answer is followed: its text counted, its hold grown, its hidden reasoning timed. */
export function followAnswer(stream: EventStream, context: ReplyContext): FollowedAnswer {
  const { answer, call } = context
  const meter = createMeter(meteredOutput(call, answer.route))
  const reasoning = watchReasoning(context)
  return {
    options: {
      stream,
      choices: call.plan.request.n,
      quietMs: answer.route.provider.timeouts.usual.quietMs,
      meter,
      watch: reasoning?.take,
      extend: extender(context),
      now: call.deps.now,
    },
    outcomeOf: (ended, status, delivered) => ({
      ending: endingOfStream(ended, answer, delivered),
      status,
      answer,
      failure: ended.failure,
      delivered,
      reported: ended.usage,
      generatedText: meter.text,
      unseen: answer.replacement === 'awaited' ? unseenBeforeAnswer(call) : reasoning?.unseen(),
      cut: ended.how === 'exhausted',
    }),
  }
}

/** From now on the call ticks and stops this, and its caller's leaving ends it. */
export function attend(call: HeldCall, followed: Pick<Following, 'tick' | 'stop' | 'leave'>): void {
  const { signal } = call.incoming
  call.attend(followed)
  if (signal.aborted) followed.leave()
  else signal.addEventListener('abort', followed.leave, { once: true })
}
