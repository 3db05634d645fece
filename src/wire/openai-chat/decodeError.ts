import type { FailureKind, UpstreamFailure } from '../../core/failure.ts'
import { type Json, isJsonObject, parseJson } from '../../core/json.ts'
import { callerParam } from '../callerParam.ts'
import { codeOf, failureOf, kindOfStatus, saysContentPolicy, saysTooLong } from '../errorAnswer.ts'
import { parseDuration } from '../retryAfter.ts'
import type { ErrorAnswer } from '../wire.ts'
import { type ErrorWords, readWords } from './errorWords.ts'
import { invalidAnswer } from './invalidAnswer.ts'

/** Classifies an answer with an error status. Never throws. */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  const body = parseJson(answer.body)
  const words = readWords(body, answer.status)
  const kind = words ? classify(words, answer.status) : kindOfStatus(answer.status)
  const param = words && kind === 'bad_request' ? callerParam(words.param) : undefined
  const failure = failureOf(answer, kind, {
    codes: words?.written ?? [],
    detail: words ? detailOf(words) : answer.body,
    ...(param !== undefined && { param }),
  })
  const wait = failure.retryAfterMs ?? (words && waits(kind) ? waitInWords(words.message) : undefined)
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
  const kind = classify(words, words.status ?? 200)
  const param = kind === 'bad_request' ? callerParam(words.param) : undefined
  const wait = waits(kind) ? waitInWords(words.message) : undefined
  return {
    kind,
    ...codeOf(words.written),
    ...(param !== undefined && { param }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    detail: detailOf(words).slice(0, 1000),
  }
}

const BILLING_CODES =
  /insufficient_quota|insufficient_balance|insufficient_funds|exceeded_current_quota|credit_balance_exhausted|billing|payment|spend_limit/
const BILLING_WORDS =
  /exceeded (?:your )?current quota|insufficient (?:account )?(?:balance|credits?|funds|quota)|credit balance|(?:spend|spending|usage|billing)(?: hard)? limit|requires? more credits|out of credits|payment required/i
const POLICY_CODES = /content_filter|content_policy|responsibleaipolicyviolation|moderation|safety/
const KEY_WORDS =
  /invalid (?:api|access) key|incorrect api key|api key (?:not valid|is invalid|expired)|api_key_invalid|unauthori[sz]ed/i
const KEY_CODES =
  /invalid_api_key|authentication|invalid_token|unauthenticated|unauthorized|permission|access_denied/
const LENGTH_CODES =
  /context_length_exceeded|context_window|string_above_max_length|request_too_large|too_large/
const LENGTH_WORDS =
  /reduce the length|exceeds? the (?:model's )?(?:maximum )?(?:context|input)|prompt is too long/i
const MODEL_CODES = /model_not_found|deploymentnotfound|not_found/
const MODEL_WORDS =
  /model\b.{0,120}\b(?:does not exist|not found|is not available)|no such model|unknown model/i
const RATE_CODES = /rate_limit|too_many_requests|resource_exhausted|slow_down|throttl/
const OVERLOAD_CODES = /overload|capacity|unavailable|engine_busy/
const OVERLOAD_WORDS = /overloaded|at capacity|capacity exceeded|server is busy|try again later/i
const REQUEST_CODES = /invalid_request|bad_request|badrequest|invalid_argument|validation|unsupported_/
const SERVER_CODES = /server_error|internal|api_error|upstream|provider/

/** From the surest sign to the vaguest: what the error calls itself, then what it says, then its status. */
function classify({ codes, message }: ErrorWords, status: number): FailureKind {
  const isRequestStatus = status === 400 || status === 403 || status === 422
  if (status === 402 || BILLING_CODES.test(codes)) return 'billing'
  // Fireworks says 412 of an account that did not pay.
  if ((isRequestStatus || status === 412 || status === 429) && BILLING_WORDS.test(message)) return 'billing'
  if (status < 500 && POLICY_CODES.test(codes)) return 'content_policy'
  if (LENGTH_CODES.test(codes)) return 'too_large'
  if ((isRequestStatus || status === 413) && (saysTooLong(message) || LENGTH_WORDS.test(message))) {
    return 'too_large'
  }
  // Groq says 498 when its flex tier is full; Cohere says it of a bad token.
  if (status === 498 && OVERLOAD_CODES.test(codes)) return 'overloaded'
  if (isRequestStatus) return classifyRefusal(codes, message, status)
  if (status === 429) return OVERLOAD_CODES.test(codes) ? 'overloaded' : 'rate_limited'
  if (status >= 500 && OVERLOAD_CODES.test(codes)) return 'overloaded'
  if (status >= 300) return kindOfStatus(status)
  return classifyWithoutStatus(codes, message)
}

function classifyRefusal(codes: string, message: string, status: number): FailureKind {
  if (saysContentPolicy(message) || (status === 403 && /flagged/i.test(message))) return 'content_policy'
  if (KEY_CODES.test(codes) || KEY_WORDS.test(message)) return 'credential'
  if (MODEL_CODES.test(codes) || (!codes.includes('unsupported_') && MODEL_WORDS.test(message))) {
    return 'not_found'
  }
  return kindOfStatus(status)
}

/** An error object in a 200 that gives no number. */
function classifyWithoutStatus(codes: string, message: string): FailureKind {
  if (KEY_CODES.test(codes)) return 'credential'
  if (RATE_CODES.test(codes)) return 'rate_limited'
  if (OVERLOAD_CODES.test(codes) || OVERLOAD_WORDS.test(message)) return 'overloaded'
  if (BILLING_WORDS.test(message)) return 'billing'
  if (saysTooLong(message)) return 'too_large'
  if (saysContentPolicy(message)) return 'content_policy'
  if (REQUEST_CODES.test(codes)) return 'bad_request'
  if (SERVER_CODES.test(codes)) return 'server'
  return 'invalid_answer'
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
