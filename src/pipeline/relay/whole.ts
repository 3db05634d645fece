import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { generatedTextOf } from '../../core/answer/generatedText.ts'
import { ERRORS, GatewayError, refuse } from '../../core/error.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import { refusalOfBrokenOff } from '../../core/refusalOf.ts'
import { collectEvents } from '../../wire/collect.ts'
import type { CallerCodec, NativeAnswers } from '../../wire/wire.ts'
import type { EventStream } from '../../upstream/eventStream.ts'
import { type ReplyContext, STOPPED } from '../call.ts'
import type { Answer } from '../dispatch/answer.ts'
import { streamIn } from '../dispatch/untilContent.ts'
import { closingEvents, endingOfFinishes } from './ending.ts'
import { type Ended, follow, isComplete } from './follow.ts'
import { attend, followAnswer } from './followAnswer.ts'
import { gatherFrames } from './gatherFrames.ts'
import { gatheredLength } from './gatheredLength.ts'
import { CLIENT_LEFT_STATUS, type Outcome } from '../settle/outcome.ts'
import type { Reply } from '../reply.ts'
import type { AnswerKeeper } from './settleWhole.ts'
import { envelopeOf } from './envelope.ts'
import { settleWhole } from './settleWhole.ts'

/** How an answer is written for its caller. */
export interface AnsweredFormat extends Pick<CallerCodec, 'encodeResponse'>, AnswerKeeper {
  /** Writes one that came in the caller's own format. */
  readonly native?: Pick<NativeAnswers, 'gather' | 'writeAnswer'> | undefined
}

/**
 * Answers a call with one body, settled before it is sent.
 *
 * @param again gives another answer for one that failed
 */
export async function replyWhole(
  format: AnsweredFormat,
  first: ReplyContext<WholeAnswer>,
  again: (failure: UpstreamFailure) => Promise<Answer<WholeAnswer>>,
): Promise<Reply> {
  const { call } = first
  const { native } = format
  let context = first
  let taken = await take(context, native)
  while ('kind' in taken) {
    context = { call, answer: await again(taken) }
    taken = await take(context, native)
  }
  const { response, outcome } = taken
  const { raw } = response
  const reply = await settleWhole(call, outcome, (usage) =>
    raw !== undefined && native
      ? native.writeAnswer(raw, envelopeOf(context))
      : JSON.stringify(format.encodeResponse({ ...response, usage }, envelopeOf(context))),
  )
  await format.keep?.(context, reply.body)
  return reply
}

interface Taken {
  readonly response: WholeAnswer
  readonly outcome: Outcome
}

/** The whole answer, or how it failed. Throws where nothing else may be tried. */
async function take(
  context: ReplyContext<WholeAnswer>,
  native: AnsweredFormat['native'],
): Promise<Taken | UpstreamFailure> {
  const { body } = context.answer
  if (body.kind === 'stream') return gather(body.stream, context, native)
  if (!context.call.admitted.coversMost) return gather(streamIn(context.answer), context, native)
  return { response: body.response, outcome: outcomeOfWhole(body.response, context) }
}

function outcomeOfWhole(response: WholeAnswer, { answer }: ReplyContext): Outcome {
  return {
    ending: endingOfFinishes(
      response.choices.map((choice) => choice.finishReason),
      answer.isLimited,
    ),
    status: 200,
    answer,
    reported: response.usage,
    generatedText: () => generatedTextOf(response),
  }
}

/** Collects a streamed answer for a caller that wants it whole. Throws when its caller left, or no other answer can help. */
async function gather(
  stream: EventStream,
  context: ReplyContext,
  native: AnsweredFormat['native'],
): Promise<Taken | UpstreamFailure> {
  const { call } = context
  const { plan, deps } = call
  const collected = collectEvents()
  const frames = gatherFrames()
  const share = deps.answers.open(call.caller.workspace.id)
  let kept = 0
  const { options, outcomeOf } = followAnswer(stream, context)
  const following = follow({
    ...options,
    onEvents(events) {
      for (const event of events) {
        collected.push(event)
        frames.push(event)
        kept += gatheredLength(event)
      }
      const noRoom = share.keep(kept)
      if (noRoom) following.breakOff(noRoom)
    },
  })
  attend(call, following)

  const ended = await following.ended
  share.release()
  if (ended.how === 'broken') throw ended.cause
  if (ended.how === 'failed' && ended.failure && !isOutOfRoom(ended.failure)) return ended.failure
  const outcome = outcomeOf(ended, statusOf(ended), false)
  if (!isComplete(ended)) {
    await call.settleUnwatched(await call.price(outcome))
    throw endedEarly(ended)
  }
  for (const event of closingEvents(ended, plan.request.n)) {
    collected.push(event)
    frames.push(event)
  }
  const response = collected.response()
  const whole = frames.whole()
  const raw = whole && native?.gather(whole)
  return { response: raw === undefined ? response : { ...response, raw }, outcome }
}

/** Another answer would find no room either. */
function isOutOfRoom({ kind }: UpstreamFailure): boolean {
  return kind === 'no_room' || kind === 'no_share'
}

function statusOf({ how, failure }: Ended): number {
  if (how === 'left') return CLIENT_LEFT_STATUS
  if (how === 'stopped') return ERRORS[STOPPED.code].status
  return failure ? new GatewayError(refusalOfBrokenOff(failure)).status : 200
}

function endedEarly(ended: Ended): GatewayError {
  if (ended.how === 'stopped') return new GatewayError(STOPPED)
  return new GatewayError(
    ended.failure
      ? refusalOfBrokenOff(ended.failure)
      : refuse('upstream_error', 'The request was cancelled before its answer was complete.'),
  )
}
