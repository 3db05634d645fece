import { Buffer } from 'node:buffer'
import type { AnswerEvent } from '../core/answer/event.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import { type JsonObject, parseJsonBytes, wholeAnswerJson } from '../core/json.ts'
import type { WorkspaceId } from '../core/id.ts'
import type { ReportedUsage } from '../core/usage.ts'
import type { Credential } from '../providers/configured.ts'
import { responseToEvents } from '../wire/collect.ts'
import { FewerChoices } from '../wire/fewerChoices.ts'
import { ANSWER_LENGTH_MAX } from '../wire/frame.ts'
import type { ErrorAnswer } from '../wire/wire.ts'
import type { AnswerBudget } from './answerBudget.ts'
import { type EventStream, streamOf } from './eventStream.ts'
import { collectBody } from './http/collectBody.ts'
import type { HttpResponse } from './http.ts'
import { normaliseResponse } from './normalise.ts'
import { openEventStream } from './openEventStream.ts'
import { type Route, encodeTargetOf } from './route.ts'
import { timeoutsOf } from './timeouts.ts'

/** A provider's error body is read up to this size and for so long; the rest is of no use to the log. */
export const ERROR_BODY_LIMITS = { bytesMax: 64 * 1024, totalMs: 2_000 }
/** Of an answer that is no JSON so much is kept for the log. */
const DETAIL_BYTES_MAX = 200
/** A larger whole answer is not a chat completion. */
export const ANSWER_BYTES_MAX = ANSWER_LENGTH_MAX

/** Puts the credential of a call into its headers; may have to fetch a token first. */
export type Authorize = (
  route: Route,
  credential: Credential | undefined,
  request: { method: 'POST'; url: URL; headers: Record<string, string>; body: string },
) => Record<string, string> | Promise<Record<string, string>>

export interface CallOptions {
  readonly route: Route
  readonly credential: Credential | undefined
  readonly authorize: Authorize
  /** Takes room for what comes and is not whole yet. */
  readonly answers: AnswerBudget
  /** The id of the answer for the caller: it names the tool calls that come without one. */
  readonly completionId: string
  /** Whose answer it is: it takes its room of this workspace's share. */
  readonly workspaceId: WorkspaceId
  readonly signal: AbortSignal
  /** Called when the caller leaves before the answer is handed over, with the usage that was reported by then. */
  readonly onReportBefore: (usage: ReportedUsage) => void
  /** Called with the word of a provider that ended its answer for a reason that no list has. */
  readonly onUnknownFinish: (word: string) => void
  /** Called once the provider may have begun to work on the request, with the length of its body. */
  readonly onSent: (bodyBytes: number) => void
  /** Hears before anything is sent which request fields this target cannot take. What it throws ends the call. */
  readonly onDropped: (fields: readonly string[]) => void
}

/** Calls a provider for a whole answer. Throws `UpstreamError`, or `UnsupportedField` before anything is sent. */
export async function callWhole(request: ChatRequest, options: CallOptions): Promise<WholeAnswer> {
  const isWhole = !request.stream && !request.includeUsage
  const whole = isWhole ? request : { ...request, stream: false, includeUsage: false }
  const response = await send(whole, options)
  return readWhole(response, options, request)
}

/** Calls a provider for a streamed answer and waits for its first valid event. Throws like `callWhole`. */
export async function callStream(request: ChatRequest, options: CallOptions): Promise<EventStream> {
  const { route } = options
  const response = await send({ ...request, stream: true, includeUsage: true }, options)
  const contentType = response.headers.get('content-type') ?? ''
  if (contentType.startsWith('application/json') || contentType.startsWith('text/html')) {
    // Some providers answer a streamed call with one JSON body; an HTML page fails as invalid there.
    return streamOf(await eventsOf(readWhole(response, options, request)))
  }
  return openEventStream(response, {
    route,
    choices: request.n,
    completionId: options.completionId,
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

async function send(request: ChatRequest, options: CallOptions): Promise<HttpResponse> {
  const { route, credential, signal } = options
  const timeouts = timeoutsOf(route, request)
  const encoded = route.format.client.encodeRequest(request, encodeTargetOf(route, request))
  options.onDropped(encoded.dropped)
  const body = JSON.stringify(encoded.body)
  const bodyBytes = Buffer.byteLength(body)
  const url = urlOf(route, encoded.path)
  const plain = {
    'content-type': 'application/json',
    accept: request.stream ? 'text/event-stream' : 'application/json',
    'user-agent': 'tollgate',
    ...route.provider.headers,
    ...encoded.headers,
  }
  const headers = await options.authorize(route, credential, { method: 'POST', url, headers: plain, body })
  const response = await route.http.request({
    method: 'POST',
    url,
    headers,
    body,
    timeouts,
    signal,
    onSent: () => options.onSent(bodyBytes),
  })
  if (response.status >= 200 && response.status < 300) return response
  throw new UpstreamError(await readFailure(response, route, encoded.body))
}

/** The base URL with the request's path, and whatever the configuration adds to every call's query. */
function urlOf({ provider: { provider, query } }: Route, path: string): URL {
  const url = new URL(provider.baseUrl + path)
  for (const name in query) url.searchParams.set(name, query[name] ?? '')
  return url
}

async function readFailure(response: HttpResponse, route: Route, sent: JsonObject): Promise<UpstreamFailure> {
  const answer: ErrorAnswer = {
    status: response.status,
    headers: response.headers,
    body: await readErrorText(response),
    sent,
  }
  const failure = route.format.client.decodeError(answer)
  return route.provider.provider.quirks.patchFailure?.(answer, failure) ?? failure
}

async function readErrorText(response: HttpResponse): Promise<string> {
  try {
    return new TextDecoder().decode(await collectBody(response, ERROR_BODY_LIMITS))
  } catch (error) {
    // The status alone classifies well enough when the body was cut or is too long.
    return error instanceof Error ? `(body not read: ${error.message})` : '(body not read)'
  }
}

async function readWhole(
  response: HttpResponse,
  {
    route,
    completionId,
    answers,
    workspaceId,
    signal,
    onUnknownFinish,
  }: Omit<CallOptions, 'credential' | 'authorize'>,
  request: ChatRequest,
): Promise<WholeAnswer> {
  const share = answers.open(workspaceId)
  try {
    const body = await collectBody(response, {
      bytesMax: ANSWER_BYTES_MAX,
      totalMs: route.provider.timeouts.usual.wholeMs,
      share,
      signal,
    })
    const answer = decodeWhole(body, response.status, { route, completionId }, request)
    for (const { unknownWord } of answer.choices) if (unknownWord !== undefined) onUnknownFinish(unknownWord)
    return answer
  } finally {
    share.release()
  }
}

function decodeWhole(
  body: Uint8Array,
  status: number,
  { route, completionId }: Pick<CallOptions, 'route' | 'completionId'>,
  { n, logprobs }: ChatRequest,
): WholeAnswer {
  const json = parseJsonBytes(body, wholeAnswerJson(n, logprobs === true))
  if (json === undefined) {
    throw new UpstreamError({
      kind: 'invalid_answer',
      status,
      code: 'not_json',
      detail: `the answer is not JSON, or has too many values: ${new TextDecoder().decode(body.subarray(0, DETAIL_BYTES_MAX))}`,
    })
  }
  try {
    const { finishReasons } = route.provider.provider.quirks
    const response = route.format.client.decodeResponse(json, n, finishReasons, completionId)
    return normaliseResponse(response, route)
  } catch (error) {
    if (!(error instanceof FewerChoices)) throw error
    throw new FewerChoices(normaliseResponse(error.response, route), n)
  }
}
