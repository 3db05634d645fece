import type { UpstreamFailure } from '../../core/failure.ts'
import { type Json, type JsonObject, parseJson } from '../../core/json.ts'
import { type ErrorText, failureOf, reportedFailure } from '../errorAnswer.ts'
import { readObject, readText } from '../read.ts'
import { type ErrorSays, type Reading, namesField, readError } from '../readError.ts'
import type { ErrorAnswer } from '../wire.ts'

const DETAIL_LENGTH_MAX = 500

/** Classifies an answer with an error status, or an error object inside a 200. */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  const body = parseJson(answer.body) ?? answer.body
  const error = readObject(readObject(body)?.error)
  const status = answer.status >= 400 ? answer.status : undefined
  const reading = readingOf(error, { status, body, headers: answer.headers, sent: answer.sent })
  return failureOf(answer, reading, { codes: codesOf(error), ...describe(reading, error) })
}

/** Classifies an `error` object in the body or a frame of a 200. */
export function decodeErrorObject(body: JsonObject): UpstreamFailure {
  const error = readObject(body.error)
  const reading = readingOf(error, { status: undefined, body })
  const detail = JSON.stringify(body.error ?? body).slice(0, DETAIL_LENGTH_MAX)
  return reportedFailure(reading, { codes: codesOf(error), detail, ...describe(reading, error) })
}

/** The account's own spend limit and an empty balance are plain 400s: only the words say so. */
function readingOf(
  error: JsonObject | undefined,
  answer: Pick<ErrorSays, 'status' | 'body' | 'headers' | 'sent'>,
): Reading {
  return readError({ ...answer, codes: codesOf(error), message: readText(error?.message) ?? '' })
}

/** What refines the type comes before it. */
function codesOf(error: JsonObject | undefined): (Json | undefined)[] {
  return [readObject(error?.details)?.error_code, error?.type]
}

function describe(reading: Reading, error: JsonObject | undefined): Partial<ErrorText> {
  if (!error) return {}
  const message = readText(error.message) ?? ''
  const detail = `${readText(error.type) ?? 'error'}: ${message}`.slice(0, DETAIL_LENGTH_MAX)
  const param = namesField(reading) ? paramOf(message) : undefined
  return { detail, param }
}

/** Our names of the fields that a message may begin with: `max_tokens: Field required`. */
const PARAM_BY_FIELD: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'max_tokens'],
  ['messages', 'messages'],
  ['metadata', 'user'],
  ['model', 'model'],
  ['output_config', 'response_format'],
  ['stop_sequences', 'stop'],
  ['stream', 'stream'],
  ['system', 'messages'],
  ['temperature', 'temperature'],
  ['thinking', 'reasoning_effort'],
  ['tool_choice', 'tool_choice'],
  ['tools', 'tools'],
  ['top_p', 'top_p'],
])

function paramOf(message: string): string | undefined {
  return PARAM_BY_FIELD.get(/^[`'"]?([a-z_]+)(?=[.:`'" ])/.exec(message)?.[1] ?? '')
}
