import type { ChatEvent } from '../../core/chat/event.ts'
import { type Refusal, refuse } from '../../core/error.ts'
import { refusalOfBrokenOff } from '../../core/refusalOf.ts'
import type { Step } from '../../core/step.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { encodeSseData } from '../../wire/sse.ts'
import { type ReplyContext, STOPPED } from '../call.ts'
import { closingEvents, endingOfStream } from './ending.ts'
import { envelopeOf } from './envelope.ts'
import { extender, meteredOutput } from './extend.ts'
import { type Ended, isComplete } from './follow.ts'
import { unseenBeforeAnswer, watchReasoning } from './unseenOutput.ts'
import { createMeter } from './meter.ts'
import { notBooked } from '../settle/notBooked.ts'
import { relay } from './relay.ts'
import type { Reply } from '../reply.ts'
import { streamOf } from '../../upstream/eventStream.ts'
import { responseToEvents } from '../../wire/collect.ts'

const EVENT_STREAM = 'text/event-stream; charset=utf-8'

const NOT_READ = refuse(
  'upstream_error',
  'You did not read the answer for so long that the provider closed it. What was generated until then is charged.',
)
const BROKEN = refuse('internal_error', 'The gateway has an internal error and ended the answer.')

/** Takes a call over and answers it as a stream. Does not throw once the call is taken over. */
export function replyStreamed(context: ReplyContext): Reply {
  const { answer, call } = context
  const { plan, claim, callerFormat, deps, incoming } = call
  const { request } = plan
  const { meter, unseen } = watchReasoning(createMeter(meteredOutput(call, answer.route)), context)
  const envelope = envelopeOf(context)
  const encoder = collecting(callerFormat.encodeStream(envelope), claim.keeps)

  const body = relay({
    stream:
      answer.body.kind === 'stream' ? answer.body.stream : streamOf(responseToEvents(answer.body.response)),
    choices: request.n,
    quietMs: answer.route.provider.timeouts.usual.quietMs,
    meter,
    extend: extender(context),
    encoder,
    conclude,
    now: deps.now,
  })
  call.attend(body)
  if (incoming.signal.aborted) body.leave()
  else incoming.signal.addEventListener('abort', body.leave, { once: true })
  return { kind: 'stream', body }

  async function conclude(ended: Ended): Promise<string> {
    try {
      return await settleAndClose(ended)
    } catch (error) {
      return error instanceof StoreUnavailable ? errorEvent(notBooked(error, 'stream')) : giveUp(error)
    }
  }

  async function giveUp(cause: unknown): Promise<string> {
    deps.events.gatewayFailed({ id: call.id, at: 'answer', cause })
    await call.fail(cause)
    return errorEvent(BROKEN)
  }

  async function settleAndClose(ended: Ended): Promise<string> {
    if (ended.how === 'broken') return giveUp(ended.cause)
    const priced = await call.price({
      ending: endingOfStream(ended, answer, ended.spoke),
      status: 200,
      answer,
      failure: ended.failure,
      delivered: ended.spoke,
      reported: ended.usage,
      generatedText: meter.text,
      unseen: answer.replacement === 'awaited' ? unseenBeforeAnswer(call) : unseen(),
      cut: ended.how === 'exhausted',
    })
    if (!isComplete(ended)) {
      await call.settleUnwatched(priced)
      if (ended.how === 'stalled') return errorEvent(NOT_READ)
      if (ended.how === 'stopped') return errorEvent(STOPPED)
      return ended.failure ? errorEvent(refusalOfBrokenOff(ended.failure, ended.spoke)) : ''
    }
    let last = ''
    for (const event of closingEvents(ended, request.n)) last += encoder.push(event).join('')
    if (request.includeUsage) last += encoder.push({ type: 'usage', usage: priced.usage }).join('')
    last += encoder.end().join('')
    await call.settle(priced, claim.keep(EVENT_STREAM, encoder.text()))
    return last
  }

  function errorEvent(refusal: Refusal): string {
    return encodeSseData(JSON.stringify(callerFormat.encodeError(refusal, envelope)))
  }
}

/** An encoder that remembers what it wrote, when the answer is to be kept under an Idempotency-Key. */
function collecting(
  encoder: Step<ChatEvent, string>,
  keeps: boolean,
): Step<ChatEvent, string> & { text(): string } {
  if (!keeps) return { push: (event) => encoder.push(event), end: () => encoder.end(), text: () => '' }
  const pieces: string[] = []
  function keep(texts: string[]): string[] {
    pieces.push(...texts)
    return texts
  }
  return {
    push: (event) => keep(encoder.push(event)),
    end: () => keep(encoder.end()),
    text: () => pieces.join(''),
  }
}
