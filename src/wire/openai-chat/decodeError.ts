import type { FailureKind, UpstreamFailure } from '../../core/failure.ts'
import { type Json, type JsonObject, isJsonObject, parseJson } from '../../core/json.ts'
import { callerParam } from '../callerParam.ts'
import { codeOf, failureOf } from '../errorAnswer.ts'
import { type Reading, kindOfStatus, readError } from '../readError.ts'
import { parseDuration } from '../retryAfter.ts'
import type { ErrorAnswer } from '../wire.ts'
import { type ErrorWords, readWords } from './errorWords.ts'
import { invalidAnswer } from './invalidAnswer.ts'

/** Classifies an answer with an error status. Never throws. */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  const words = readWords(parseJson(answer.body), answer.status)
  if (!words) return failureOf(answer, { kind: kindOfStatus(answer.status), sign: 'status' })
  const reading = readingOf(words, answer.status >= 300 ? answer.status : undefined, answer.sent)
  const param = reading.kind === 'bad_request' ? callerParam(words.param) : undefined
  const failure = failureOf(answer, reading, {
    codes: words.written,
    detail: detailOf(words),
    ...(param !== undefined && { param }),
  })
  const wait = failure.retryAfterMs ?? (waits(reading.kind) ? waitInWords(words.message) : undefined)
  return wait === undefined ? failure : { ...failure, retryAfterMs: wait }
}

/** The failure that a 200's JSON tells of: an `error` field, or an error object without an envelope. */
export function failureInside(body: Json): UpstreamFailure | undefined {
  if (!isJsonObject(body)) return undefined
  const { error } = body
  const hasError = Array.isArray(body.choices) && body.choices.length > 0 ? isTelling(error) : Boolean(error)
  if (!hasError && body.object !== 'error') return undefined
  return failureOfWords(readWords(body, undefined))
}

/** The failure that an SSE frame with `event: error` tells of. */
export function failureOfErrorEvent(body: Json | undefined, text: string): UpstreamFailure {
  const words = readWords(body, undefined)
  return words ? failureOfWords(words) : invalidAnswer(`error event: ${text}`)
}

function isTelling(error: Json | undefined): boolean {
  return isJsonObject(error) ? Object.keys(error).length > 0 : Boolean(error)
}

function failureOfWords(words: ErrorWords | undefined): UpstreamFailure {
  if (!words) return invalidAnswer('an error without words')
  const { status } = words
  const reading = readingOf(words, status !== undefined && status >= 300 ? status : undefined, undefined)
  const param = reading.kind === 'bad_request' ? callerParam(words.param) : undefined
  const wait = waits(reading.kind) ? waitInWords(words.message) : undefined
  return {
    ...reading,
    ...(status !== undefined && { status }),
    ...codeOf(words.written),
    ...(param !== undefined && { param }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    detail: detailOf(words).slice(0, 1000),
  }
}

const BILLING_CODES =
  /insufficient_quota|insufficient_balance|insufficient_funds|exceeded_current_quota|credit_balance_exhausted|billing|payment|spend_limit|^arrearage\b/
const POLICY_CODES = /content_filter|content_policy|responsibleaipolicyviolation|moderation|safety/
const KEY_CODES =
  /invalid_api_key|authentication|invalid_token|unauthenticated|unauthorized|access_denied|unsupported_country/
const LENGTH_CODES =
  /context_length_exceeded|context_window|string_above_max_length|request_too_large|too_large/
const MODEL_CODES = /model_not_found|deploymentnotfound|not_found/
const VALUE_CODES =
  /invalid_value|invalid_type|invalid_function_parameters|unsupported_(?:parameter|value)|unknown_parameter|missing_required_parameter/
const RATE_CODES = /rate_limit|too_many_requests|resource_exhausted|slow_down|throttl/
const OVERLOAD_CODES = /overload|capacity|unavailable|engine_busy/
const REQUEST_CODES = /invalid_request|bad_request|badrequest|invalid_argument|validation|unsupported_/
const SERVER_CODES = /server_error|internal|api_error|upstream|provider/

function readingOf(
  { codes, message, param }: ErrorWords,
  status: number | undefined,
  sent: JsonObject | undefined,
): Reading {
  const code = kindOfCode(codes, status)
  return readError({ status, code, param, message, sent, vagueCode: kindOfVagueCode(codes) })
}

/**
 * What an error calls itself, where that has one meaning. `permission-denied` has two: xAI sends it for its content policy
 * as well.
 *
 * @param status undefined: none
 */
function kindOfCode(codes: string, status: number | undefined): FailureKind | undefined {
  const ofRequest = status === undefined || status === 400 || status === 403 || status === 422
  if (BILLING_CODES.test(codes) && status !== 402) return 'billing'
  if ((status ?? 0) < 500 && POLICY_CODES.test(codes)) return 'content_policy'
  if (LENGTH_CODES.test(codes)) return 'too_large'
  // Groq says 498 when its flex tier is full; Cohere says it of a bad token.
  if ((status === 498 || status === 429 || (status ?? 0) >= 500) && OVERLOAD_CODES.test(codes))
    return 'overloaded'
  if (!ofRequest) return undefined
  if (KEY_CODES.test(codes)) return 'credential'
  if (status === undefined) {
    if (RATE_CODES.test(codes)) return 'rate_limited'
    return OVERLOAD_CODES.test(codes) ? 'overloaded' : undefined
  }
  if (MODEL_CODES.test(codes)) return 'not_found'
  return VALUE_CODES.test(codes) ? 'bad_request' : undefined
}

function kindOfVagueCode(codes: string): FailureKind | undefined {
  if (REQUEST_CODES.test(codes)) return 'bad_request'
  return SERVER_CODES.test(codes) ? 'server' : undefined
}

function waits(kind: FailureKind): boolean {
  return kind === 'rate_limited' || kind === 'overloaded'
}

/** OpenAI and Groq write it into the sentence: "Please try again in 1m2.5s."; Moonshot: "after 1 seconds". */
function waitInWords(message: string): number | undefined {
  const match = /try again (?:in|after) (?:((?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)|(\d+) seconds?\b)/i.exec(
    message,
  )
  if (!match) return undefined
  const [, duration, seconds] = match
  return parseDuration(duration?.toLowerCase() ?? `${seconds}s`)
}

function detailOf({ codes, message }: ErrorWords): string {
  const known = codes.trim()
  return known === '' ? message : `${known}: ${message}`
}
