import { Buffer } from 'node:buffer'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import type { WorkspaceId } from '../core/id.ts'
import { type Json, type JsonObject, parseJsonBytes } from '../core/json.ts'
import type { JsonBounds } from '../core/jsonScan.ts'
import type { RequestTraits } from '../core/traits.ts'
import type { ReportedUsage } from '../core/usage.ts'
import type { Credential } from '../providers/configured.ts'
import { ANSWER_LENGTH_MAX } from '../wire/frame.ts'
import type { EncodedRequest, ErrorAnswer } from '../wire/wire.ts'
import { plainHeaders, urlOf } from './address.ts'
import type { AnswerBudget } from './answerBudget.ts'
import type { UnsignedRequest } from './auth/unsignedRequest.ts'
import { collectBody } from './http/collectBody.ts'
import type { HttpResponse } from './http.ts'
import type { Route } from './route.ts'
import { timeoutsOf } from './timeouts.ts'

/** A provider's error body is read up to this size and for so long; the rest is of no use to the log. */
export const ERROR_BODY_LIMITS = { bytesMax: 64 * 1024, totalMs: 2_000 }
/** Of an answer that is no JSON so much is kept for the log. */
const DETAIL_BYTES_MAX = 200
/** A larger whole answer is refused. */
export const ANSWER_BYTES_MAX = ANSWER_LENGTH_MAX

/** Puts the credential of a call into its headers; may have to fetch a token first. */
export type Authorize = (
  route: Route,
  credential: Credential | undefined,
  request: UnsignedRequest,
) => UnsignedRequest['headers'] | Promise<UnsignedRequest['headers']>

/** One call to a target, whatever it asks for. */
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
  /** Called before anything is sent with the request fields that this target cannot take. What it throws ends the call. */
  readonly onDropped: (fields: readonly string[]) => void
}

/**
 * Sends an encoded request to a target, and gives its answer once that has a status of success. Throws `UpstreamError`.
 *
 * @param traits of the request: its time limits follow from them
 */
export async function send(
  traits: RequestTraits,
  encoded: EncodedRequest,
  options: CallOptions,
): Promise<HttpResponse> {
  const { route, credential, signal } = options
  options.onDropped(encoded.dropped)
  const body = JSON.stringify(encoded.body)
  const bodyBytes = Buffer.byteLength(body)
  const url = urlOf(route.provider, encoded.path)
  const plain = plainHeaders(route.provider, traits.stream, encoded.headers)
  const headers = await options.authorize(route, credential, { method: 'POST', url, headers: plain, body })
  const response = await route.http.request({
    method: 'POST',
    url,
    headers,
    body,
    timeouts: timeoutsOf(route, traits),
    signal,
    onSent: () => options.onSent(bodyBytes),
  })
  if (response.status >= 200 && response.status < 300) return response
  throw new UpstreamError(await readFailure(response, route, encoded.body))
}

/**
 * Reads a whole answer as JSON, in the room that its workspace has for answers. Throws `UpstreamError`.
 *
 * @param decode makes the answer of the JSON and its text, while it has that room
 */
export async function readWhole<Whole>(
  response: HttpResponse,
  { route, answers, workspaceId, signal }: Pick<CallOptions, 'route' | 'answers' | 'workspaceId' | 'signal'>,
  bounds: JsonBounds,
  decode: (body: Json, text: string) => Whole,
): Promise<Whole> {
  const share = answers.open(workspaceId)
  try {
    const body = await collectBody(response, {
      bytesMax: ANSWER_BYTES_MAX,
      totalMs: route.provider.timeouts.usual.wholeMs,
      share,
      signal,
    })
    const parsed = parseJsonBytes(body, bounds)
    if (parsed === undefined) throw new UpstreamError(notJson(body, response.status))
    return decode(parsed.json, parsed.text)
  } finally {
    share.release()
  }
}

function notJson(body: Uint8Array, status: number): UpstreamFailure {
  const start = new TextDecoder().decode(body.subarray(0, DETAIL_BYTES_MAX))
  return {
    kind: 'invalid_answer',
    status,
    code: 'not_json',
    detail: `the answer is not JSON, or has too many values: ${start}`,
  }
}

async function readFailure(response: HttpResponse, route: Route, sent: JsonObject): Promise<UpstreamFailure> {
  const answer: ErrorAnswer = {
    status: response.status,
    headers: response.headers,
    body: await readErrorText(response),
    sent,
  }
  const failure = route.format.client.decodeError(answer)
  return route.quirks.patchFailure?.(answer, failure) ?? failure
}

async function readErrorText(response: HttpResponse): Promise<string> {
  try {
    return new TextDecoder().decode(await collectBody(response, ERROR_BODY_LIMITS))
  } catch (error) {
    // The status alone classifies well enough when the body was cut or is too long.
    return error instanceof Error ? `(body not read: ${error.message})` : '(body not read)'
  }
}
