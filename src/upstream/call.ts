import type { AnswerEvent } from '../core/answer/event.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import { isJsonObject, type Json, wholeAnswerJson } from '../core/json.ts'
import { responseToEvents } from '../wire/collect.ts'
import { restoringCustomCalls, withCustomCalls } from '../wire/customCalls.ts'
import type { CustomNames } from '../wire/customTools.ts'
import { FewerChoices } from '../wire/fewerChoices.ts'
import { type EventStream, streamOf } from './eventStream.ts'
import type { HttpResponse } from './http.ts'
import { normaliseResponse } from './normalise.ts'
import { openEventStream } from './openEventStream.ts'
import { type Encoded, encodeFor } from './encodeFor.ts'
import { type CallOptions, readWhole, send } from './send.ts'

/** Calls a provider for a whole answer. Throws `UpstreamError`, or `UnsupportedField` before anything is sent. */
export async function callWhole(request: ChatRequest, options: CallOptions): Promise<WholeAnswer> {
  const isWhole = !request.stream && !request.includeUsage
  const whole = isWhole ? request : { ...request, stream: false, includeUsage: false }
  const asked = encodeFor(whole, options.route)
  return readAnswer(await send(whole, asked.encoded, options), asked, options, request)
}

/** Calls a provider for a streamed answer and waits for its first valid event. Throws like `callWhole`. */
export async function callStream(request: ChatRequest, options: CallOptions): Promise<EventStream> {
  const { route } = options
  const streamed = { ...request, stream: true, includeUsage: true }
  const asked = encodeFor(streamed, route)
  const response = await send(streamed, asked.encoded, options)
  const contentType = response.headers.get('content-type') ?? ''
  if (contentType.startsWith('application/json') || contentType.startsWith('text/html')) {
    // Some providers answer a streamed call with one JSON body; an HTML page fails as invalid there.
    return streamOf(await eventsOf(readAnswer(response, asked, options, request)))
  }
  const { finishReasons } = route.quirks
  const codec = asked.native ?? route.format.client
  const decoder = codec.decodeStream(request.n, finishReasons, options.completionId)
  return openEventStream(response, {
    route,
    decoder: asked.customNames ? restoringCustomCalls(decoder, asked.customNames) : decoder,
    share: options.answers.open(options.workspaceId),
    signal: options.signal,
    onReportBefore: options.onReportBefore,
    onUnknownFinish: options.onUnknownFinish,
  })
}

/** A whole answer with fewer choices than were asked for says so at its end, as a stream does. */
async function eventsOf(reading: Promise<WholeAnswer>): Promise<AnswerEvent[]> {
  try {
    return responseToEvents(await reading)
  } catch (error) {
    if (!(error instanceof FewerChoices)) throw error
    return [...responseToEvents(error.response), { type: 'error', failure: error.failure }]
  }
}

async function readAnswer(
  response: HttpResponse,
  { native, customNames }: Omit<Encoded, 'encoded'>,
  options: CallOptions,
  { n, logprobs }: ChatRequest,
): Promise<WholeAnswer> {
  const bounds = wholeAnswerJson(n, logprobs === true)
  const answer = await readWhole(response, options, bounds, (body, text) => {
    const decoded = decodeAnswer(body, n, options, customNames)
    const raw = native && isJsonObject(body) ? native.passAnswer(text, body) : undefined
    return raw === undefined ? decoded : { ...decoded, raw }
  })
  for (const { unknownWord } of answer.choices)
    if (unknownWord !== undefined) options.onUnknownFinish(unknownWord)
  return answer
}

function decodeAnswer(
  body: Json,
  choices: number,
  { route, completionId }: CallOptions,
  customNames: CustomNames | undefined,
): WholeAnswer {
  const { finishReasons } = route.quirks
  const asCallersSee = (answer: WholeAnswer): WholeAnswer => {
    const normal = normaliseResponse(answer, route)
    return customNames ? withCustomCalls(normal, customNames) : normal
  }
  try {
    return asCallersSee(route.format.client.decodeResponse(body, choices, finishReasons, completionId))
  } catch (error) {
    if (!(error instanceof FewerChoices)) throw error
    throw new FewerChoices(asCallersSee(error.response), choices)
  }
}
