import type { FailureKind, UpstreamFailure } from '../../core/failure.ts'
import { type Json, type JsonObject, isJsonObject, parseJson } from '../../core/json.ts'
import { callerParam } from '../callerParam.ts'
import { codeOf, failureOf } from '../errorAnswer.ts'
import { type Reading, namesField, readError, readStatus } from '../readError.ts'
import { parseDuration } from '../retryAfter.ts'
import type { ErrorAnswer } from '../wire.ts'
import { type ErrorWords, readWords } from './errorWords.ts'
import { invalidAnswer } from './invalidAnswer.ts'

/** Classifies an answer with an error status. Never throws. */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  const words = readWords(parseJson(answer.body), answer.status)
  if (!words) return failureOf(answer, readStatus(answer.status))
  const reading = readingOf(words, answer.status >= 300 ? answer.status : undefined, answer.sent)
  const param = namesField(reading) ? callerParam(words.param) : undefined
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
  const param = namesField(reading) ? callerParam(words.param) : undefined
  const wait = waits(reading.kind) ? waitInWords(words.message) : undefined
  return {
    ...(param !== undefined && { param }),
    ...reading,
    ...(status !== undefined && { status }),
    ...codeOf(words.written),
    ...(wait !== undefined && { retryAfterMs: wait }),
    detail: detailOf(words).slice(0, 1000),
  }
}

function readingOf(
  { written, message, param }: ErrorWords,
  status: number | undefined,
  sent: JsonObject | undefined,
): Reading {
  return readError({ status, codes: written, param, message, sent })
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
