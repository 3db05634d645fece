import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { CallerCodec } from '../../wire/wire.ts'
import type { HeldCall } from '../call.ts'
import type { Answer, NextAnswer } from '../dispatch/answer.ts'
import { untilContent } from '../dispatch/untilContent.ts'
import type { Reply } from '../reply.ts'
import { replyStreamed } from './streamed.ts'
import { type AnsweredFormat, replyWhole } from './whole.ts'

/** Answers a caller with what a model generates, whole or as a stream, in the caller's format. */
export async function replyIn(
  format: AnsweredFormat & Pick<CallerCodec, 'encodeStream'>,
  call: HeldCall,
  next: NextAnswer<WholeAnswer>,
): Promise<Reply> {
  const answer = await call.unlessStopped(next())
  if (call.plan.request.stream)
    return replyStreamed(format, { call, answer: replaceable(call, answer, next) })
  const again = (failure: UpstreamFailure) => call.unlessStopped(next({ failure, headersLeft: false }))
  return replyWhole(format, { call, answer }, again)
}

/** The answer of a stream, until whose first content another may take its place. */
function replaceable(
  call: HeldCall,
  answer: Answer<WholeAnswer>,
  next: NextAnswer<WholeAnswer>,
): Answer<WholeAnswer> {
  if (answer.body.kind !== 'stream') return answer
  const again = (failure: UpstreamFailure) => next({ failure, headersLeft: true })
  const lasting = untilContent(answer, answer.body.stream, again)
  call.answer = lasting
  return lasting
}
