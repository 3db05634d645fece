import type { UpstreamFailure } from '../../core/failure.ts'
import { type Json, isJsonObject, parseJson } from '../../core/json.ts'
import { callerParam } from '../callerParam.ts'
import { failureOf, reportedFailure } from '../errorAnswer.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { type ErrorSays, type Reading, namesField, readError, readPage } from '../readError.ts'
import type { ErrorAnswer } from '../wire.ts'
import { type ErrorWords, readWords } from './errorWords.ts'

/** Classifies an answer with an error status. Never throws. */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  const body = parseJson(answer.body)
  const words = readWords(body, answer.status)
  if (!words) return failureOf(answer, readPage(answer))
  const status = answer.status >= 300 ? answer.status : undefined
  const reading = readingOf(words, { status, body, headers: answer.headers, sent: answer.sent })
  const param = namesField(reading) ? callerParam(words.param) : undefined
  return failureOf(answer, reading, {
    codes: words.written,
    detail: detailOf(words),
    param,
  })
}

/** The failure that a 200's JSON reports: an `error` field, or an error object without an envelope. */
export function failureInside(body: Json): UpstreamFailure | undefined {
  if (!isJsonObject(body)) return undefined
  const { error } = body
  const hasError = Array.isArray(body.choices) && body.choices.length > 0 ? isTelling(error) : Boolean(error)
  if (!hasError && body.object !== 'error') return undefined
  return failureOfWords(readWords(body, undefined), body)
}

/** The failure that an SSE frame with `event: error` reports. */
export function failureOfErrorEvent(body: Json | undefined, text: string): UpstreamFailure {
  const words = readWords(body, undefined)
  return words ? failureOfWords(words, body) : invalidAnswer(`error event: ${text}`.slice(0, 500)).failure
}

function isTelling(error: Json | undefined): boolean {
  return isJsonObject(error) ? Object.keys(error).length > 0 : Boolean(error)
}

function failureOfWords(words: ErrorWords | undefined, body: Json | undefined): UpstreamFailure {
  if (!words) return invalidAnswer('an error without words').failure
  const { status } = words
  const reading = readingOf(words, {
    status: status !== undefined && status >= 300 ? status : undefined,
    body,
  })
  const param = namesField(reading) ? callerParam(words.param) : undefined
  const text = { codes: words.written, detail: detailOf(words).slice(0, 1000), param }
  return { ...reportedFailure(reading, text), ...(status !== undefined && { status }) }
}

function readingOf(
  { written, message, param }: ErrorWords,
  answer: Pick<ErrorSays, 'status' | 'body' | 'headers' | 'sent'>,
): Reading {
  return readError({ ...answer, codes: written, param, message })
}

function detailOf({ codes, message }: ErrorWords): string {
  const known = codes.trim()
  return known === '' ? message : `${known}: ${message}`
}
