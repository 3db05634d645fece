import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { refuse } from '../../core/error.ts'
import { refusalOfBrokenOff } from '../../core/refusalOf.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { type ReplyContext, STOPPED } from '../call.ts'
import { closingEvents } from './ending.ts'
import { envelopeOf } from './envelope.ts'
import { type Ended, isComplete } from './follow.ts'
import { attend, followAnswer } from './followAnswer.ts'
import { notBooked } from '../settle/notBooked.ts'
import { relay } from './relay.ts'
import type { AnswerKeeper } from './settleWhole.ts'
import type { Reply } from '../reply.ts'
import { streamIn } from '../dispatch/untilContent.ts'
import { inCallersNames } from '../../wire/callersNames.ts'
import type { CallerCodec } from '../../wire/wire.ts'

const EVENT_STREAM = 'text/event-stream; charset=utf-8'

const NOT_READ = refuse(
  'upstream_error',
  'The answer ended with a server error: you did not read it for so long that the provider closed it. What was generated until then is charged.',
)
const BROKEN = refuse('internal_error', 'The gateway had an internal server error and ended the answer.')

/** Takes a call over and answers it as a stream. Does not throw once the call is taken over. */
export function replyStreamed(
  format: Pick<CallerCodec, 'encodeStream'> & AnswerKeeper,
  context: ReplyContext<WholeAnswer>,
): Reply {
  const { answer, call } = context
  const { plan, claim, deps } = call
  const { request } = plan
  const { options, outcomeOf } = followAnswer(streamIn(answer), context)
  const encoder = format.encodeStream(envelopeOf(context))
  /** What was written, where it is to be kept under an Idempotency-Key. */
  const written: string[] = []

  const body = relay({
    ...options,
    encoder,
    onWritten: claim.keeps ? (text) => void written.push(text) : undefined,
    conclude,
  })
  attend(call, body)
  return { kind: 'stream', body }

  async function conclude(ended: Ended): Promise<string> {
    try {
      return await settleAndClose(ended)
    } catch (error) {
      return error instanceof StoreUnavailable ? encoder.fail(notBooked(error, 'stream')) : giveUp(error)
    }
  }

  async function giveUp(cause: unknown): Promise<string> {
    deps.events.gatewayFailed({ id: call.id, at: 'answer', cause })
    await call.fail(cause)
    return encoder.fail(BROKEN)
  }

  async function settleAndClose(ended: Ended): Promise<string> {
    if (ended.how === 'broken') return giveUp(ended.cause)
    const priced = await call.price(outcomeOf(ended, 200, ended.spoke))
    if (!isComplete(ended)) {
      await call.settleUnwatched(priced)
      if (ended.how === 'stalled') return encoder.fail(NOT_READ)
      if (ended.how === 'stopped') return encoder.fail(STOPPED)
      if (!ended.failure) return ''
      return encoder.fail(inCallersNames(refusalOfBrokenOff(ended.failure, ended.spoke), plan.names))
    }
    let last = ''
    for (const event of closingEvents(ended, request.n)) last += encoder.push(event).join('')
    if (request.includeUsage) last += encoder.push({ type: 'usage', usage: priced.usage }).join('')
    last += encoder.end().join('')
    await call.settle(priced, claim.keep(EVENT_STREAM, [...written, last].join('')))
    await format.keep?.(context, last)
    return last
  }
}
