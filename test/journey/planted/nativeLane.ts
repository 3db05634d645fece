import { z } from 'zod'
import type { AnswerEvent } from '../../../src/core/answer/event.ts'
import type { WholeAnswer } from '../../../src/core/answer/wholeAnswer.ts'
import type { ChatRequest } from '../../../src/core/chat/request.ts'
import { ANSWER_JSON, type Json, type JsonObject, isJsonObject, parseFrame } from '../../../src/core/json.ts'
import { priced } from '../../../src/http/dataPlane/priced.ts'
import { answers } from '../../../src/http/docs/errorSchema.ts'
import { chatIn } from '../../../src/pipeline/chat/chat.ts'
import type { AttemptTerms } from '../../../src/pipeline/dispatch/attemptTerms.ts'
import type { Produced } from '../../../src/pipeline/dispatch/answer.ts'
import type { PricedEndpoint } from '../../../src/pipeline/priced.ts'
import { replyIn } from '../../../src/pipeline/relay/reply.ts'
import { openEventStream } from '../../../src/upstream/openEventStream.ts'
import { type CallOptions, readWhole, send } from '../../../src/upstream/send.ts'
import type { StreamDecoder } from '../../../src/wire/answerEnd.ts'
import { openAiChat } from '../../../src/wire/openai-chat/openAiChat.ts'
import { encodeSseData } from '../../../src/wire/sse.ts'
import type { CallerCodec, Envelope } from '../../../src/wire/wire.ts'

/**
 * A native lane, `POST /v1/native`: a caller of OpenAI's format at a provider of the same one. The body is forwarded, and the
 * frames come back, with only the model, the id and the limits changed. At any other provider the same call is translated.
 */

const format = openAiChat.server
const chat = chatIn(format)

interface NativeRequest extends ChatRequest {
  /** The body as it came. */
  readonly raw: JsonObject
}

export const nativeEndpoint: PricedEndpoint<NativeRequest, WholeAnswer> = {
  ...chat,
  decode(body) {
    const decoded = chat.decode(body)
    return decoded.ok && isJsonObject(body)
      ? { ok: true, request: { ...decoded.request, raw: body } }
      : refusedBy(decoded)
  },
  attempt: (request, terms) =>
    terms.options.route.format === openAiChat && request.n === 1
      ? attemptNative(request, terms)
      : chat.attempt(request, terms),
  reply: (call, next) => replyIn({ encodeResponse, encodeStream }, call, next),
}

export const nativeLane = priced({
  path: '/v1/native',
  idPrefix: 'native-',
  encodeError: format.encodeError,
  priced: nativeEndpoint,
  description: {
    operationId: 'create_native',
    summary: 'Pass a chat completion on',
    tag: 'Models and completions',
    body: { content: { 'application/json': { schema: z.object({}) } } },
    responses: answers(200, 'The completion.', z.object({})),
  },
})

function refusedBy(decoded: ReturnType<typeof chat.decode>) {
  if (decoded.ok) throw new Error('only an object is decoded')
  return decoded
}

/** The second attempt: the body as it came. */
async function attemptNative(
  request: NativeRequest,
  { mode, limit, options }: AttemptTerms,
): Promise<Produced<WholeAnswer>> {
  const { route, completionId } = options
  const stream = mode === 'stream'
  const body = {
    ...request.raw,
    model: route.target.upstreamModel,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    ...(limit !== undefined && { max_tokens: limit }),
  }
  const encoded = { path: '/chat/completions', headers: {}, body, dropped: [] }
  const response = await send({ ...request, stream }, encoded, options)
  if (!stream)
    return { kind: 'whole', response: await readWhole(response, options, ANSWER_JSON, wholeWithRaw) }
  const decoder = withRaw(openAiChat.client.decodeStream(1, undefined, completionId), options)
  const share = options.answers.open(options.workspaceId)
  return { kind: 'stream', stream: await openEventStream(response, { ...options, decoder, share }) }
}

/** An answer with what its provider wrote. */
type RawAnswer = WholeAnswer & { readonly raw?: JsonObject }

function wholeWithRaw(body: Json): RawAnswer {
  const answer = openAiChat.client.decodeResponse(body, 1)
  return isJsonObject(body) ? { ...answer, raw: body } : answer
}

/** Counts and ends as any decoder, and puts each frame on the last event that is passed on. */
function withRaw(inner: StreamDecoder, { completionId, route }: CallOptions): StreamDecoder {
  let raw = ''

  function carrying(events: readonly AnswerEvent[]): AnswerEvent[] {
    const last = events.findLastIndex(isPassedOn)
    return events.map((event, place) => {
      if (!isPassedOn(event)) return event
      const carried = { ...event, raw: place === last ? raw : '' }
      if (place === last) raw = ''
      return carried
    })
  }

  return {
    get state() {
      return inner.state
    },
    push(frame) {
      const json = parseFrame(frame.data)
      // The caller gets the usage that is charged, and the end when that is settled.
      if (isJsonObject(json) && Array.isArray(json['choices']) && json['choices'].length > 0)
        raw += encodeSseData(JSON.stringify({ ...json, id: completionId, model: route.model.id }))
      return carrying(inner.push(frame))
    },
    // A choice ends when the answer does: its last frame waits for that.
    end: () => carrying(inner.end()),
  }
}

function isPassedOn(
  event: AnswerEvent,
): event is Extract<AnswerEvent, { type: 'start' | 'delta' | 'finish' }> {
  return event.type !== 'usage' && event.type !== 'error'
}

/** The second encoder: what came raw goes out raw, and the rest in the format's own words. */
const encodeStream: CallerCodec['encodeStream'] = (envelope) => {
  const translating = format.encodeStream(envelope)
  return {
    push(event) {
      const translated = translating.push(event)
      return isPassedOn(event) && event.raw !== undefined ? [event.raw] : translated
    },
    end: () => translating.end(),
    fail: (refusal) => translating.fail(refusal),
  }
}

function encodeResponse(answer: RawAnswer, envelope: Envelope): JsonObject {
  const translated = format.encodeResponse(answer, envelope)
  const { id, model, usage } = translated
  return answer.raw ? { ...answer.raw, id, model, usage } : translated
}
