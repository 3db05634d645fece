import type { UpstreamFailure } from '../../core/failure.ts'
import { type Json, type JsonObject, parseJson } from '../../core/json.ts'
import { decidingWords } from '../decidingWords.ts'
import { failureOf } from '../errorAnswer.ts'
import { readNumber, readObject, readObjects, readText } from '../read.ts'
import { type Reading, namesField, readError, readPage } from '../readError.ts'
import type { ErrorAnswer } from '../wire.ts'

const DETAIL_LENGTH_MAX = 500

/** https://ai.google.dev/api/errors; for an error inside a 200, whose `code` may be missing. */
const STATUS_BY_NAME: ReadonlyMap<string, number> = new Map([
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['OUT_OF_RANGE', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['ABORTED', 409],
  ['RESOURCE_EXHAUSTED', 429],
  ['CANCELLED', 499],
  ['INTERNAL', 500],
  ['UNKNOWN', 500],
  ['UNIMPLEMENTED', 501],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
])

/** Classifies an answer with an error status, or an error object inside a 200. */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  return classify(answer, readErrorObject(parseJson(answer.body)))
}

/** Classifies an `error` object in the body or a frame of a 200. */
export function decodeErrorObject(error: JsonObject): UpstreamFailure {
  const code = readNumber(error.code) ?? 0
  const status = code >= 400 ? code : (STATUS_BY_NAME.get(readText(error.status) ?? '') ?? 0)
  const failure = classify({ status, headers: new Map(), body: JSON.stringify(error) }, error)
  if (status !== 0) return failure
  const { status: _none, ...rest } = failure
  return rest
}

/** The `error` of a body; streams without SSE framing put it in a list. */
export function readErrorObject(body: Json | undefined): JsonObject | undefined {
  return readObject(readObject(Array.isArray(body) ? body[0] : body)?.error)
}

function classify(answer: ErrorAnswer, error: JsonObject | undefined): UpstreamFailure {
  if (!error) return failureOf(answer, readPage(answer))
  const message = readText(error.message) ?? ''
  const details = readObjects(error.details)
  const reading = readingOf(answer, error, details)
  const param = namesField(reading) ? paramOf(details) : undefined
  const detail = `${readText(error.status) ?? 'error'}: ${message}`.slice(0, DETAIL_LENGTH_MAX)
  // The reason of a refused key says more than its status, INVALID_ARGUMENT.
  const codes = [...details.map(({ reason }) => reason), error.status]
  return failureOf(answer, reading, { codes, detail, param })
}

function readingOf(
  { status, headers, sent, body }: ErrorAnswer,
  error: JsonObject,
  details: readonly JsonObject[],
): Reading {
  const message = readText(error.message) ?? ''
  // The region or the account of the operator is not served, or not paid for: a code of two meanings.
  if (status === 400 && error.status === 'FAILED_PRECONDITION') {
    const unpaid = /billing|plan/i.test(decidingWords(message, sent))
    return { kind: unpaid ? 'billing' : 'credential', sign: 'words' }
  }
  const named = details.some((detail) => readObjects(detail.fieldViolations).length > 0)
  return readError({
    status: status === 0 ? undefined : status,
    headers,
    // A refused key is a 400 here, with a reason. That of a rate limit says no more than the status.
    codes: status === 429 ? [] : details.map(({ reason }) => reason),
    param: named ? 'fieldViolations' : undefined,
    message,
    sent,
    body,
  })
}

/** Our names of the fields that a violation may name, by their beginning. */
const PARAMS: readonly (readonly [RegExp, string])[] = [
  [/^(?:generation_?config\.)?max_?output_?tokens/i, 'max_tokens'],
  [/^(?:generation_?config\.)?temperature/i, 'temperature'],
  [/^(?:generation_?config\.)?top_?p/i, 'top_p'],
  [/^(?:generation_?config\.)?stop_?sequences/i, 'stop'],
  [/^(?:generation_?config\.)?thinking_?config/i, 'reasoning_effort'],
  [/^(?:generation_?config\.)?response_/i, 'response_format'],
  [/^(?:generation_?config\.)?seed/i, 'seed'],
  [/^(?:contents|system_?instruction)/i, 'messages'],
  [/^tools/i, 'tools'],
  [/^tool_?config/i, 'tool_choice'],
]

function paramOf(details: readonly JsonObject[]): string | undefined {
  for (const detail of details) {
    for (const violation of readObjects(detail.fieldViolations)) {
      const field = readText(violation.field) ?? ''
      const known = PARAMS.find(([pattern]) => pattern.test(field))
      if (known) return known[1]
    }
  }
  return undefined
}
