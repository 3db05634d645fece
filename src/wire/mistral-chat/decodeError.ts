import type { UpstreamFailure } from '../../core/failure.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../core/json.ts'
import { callerParam } from '../callerParam.ts'
import { failureOf, reportedFailure } from '../errorAnswer.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { type ErrorSays, namesField, readError, readPage } from '../readError.ts'
import type { ErrorAnswer } from '../wire.ts'

/** Our names of the fields that Mistral calls otherwise. */
const PARAMS: Readonly<Record<string, string>> = { random_seed: 'seed' }
/** The validator names the variant of a message inside the path; callers know no such step. */
const VARIANTS = new Set(['system', 'user', 'assistant', 'tool'])

/**
 * Bodies are `{object: 'error', message, type, param, code}`, where `message` may hold (also as text) the
 * validator's `{detail: [{type, loc, msg}]}`; or that alone; or `{message, request_id}`.
 */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  const body = parseJson(answer.body)
  if (!isJsonObject(body)) return failureOf(answer, readPage(answer))
  const { codes, reading, param } = readBody(body, answer)
  return failureOf(answer, reading, { codes, param })
}

/** The failure that a 200's JSON reports, whole or as a frame; undefined when it is not an error. */
export function failureInside(body: JsonObject): UpstreamFailure | undefined {
  if (body.object !== 'error' && !isJsonObject(body.error)) return undefined
  const { codes, reading, param } = readBody(body, { status: undefined })
  return reportedFailure(reading, { codes, param, detail: JSON.stringify(body) })
}

function readBody(
  body: JsonObject,
  { status, headers, sent }: Pick<ErrorSays, 'status' | 'headers' | 'sent'>,
) {
  const error = readObject(body.error) ?? body
  const violation = firstViolation(error)
  const message = readText(error.message) ?? readText(violation?.msg) ?? ''
  const named = readText(error.param) ?? (violation?.loc === undefined ? undefined : 'loc')
  const codes = [error.type, error.code, violation?.type]
  const reading = readError({ status, headers, sent, codes: codes.slice(0, 2), param: named, message, body })
  const param = namesField(reading) ? (paramOf(violation?.loc) ?? renamed(readText(error.param))) : undefined
  return { codes, reading, param }
}

function firstViolation(error: JsonObject): JsonObject | undefined {
  const { message } = error
  const nested = typeof message === 'string' ? parseJson(message) : message
  const lists: (Json | undefined)[] = [error.detail, nested, readObject(nested)?.detail]
  return lists.flatMap(readObjects)[0]
}

/** `["body", "messages", 0, "user", "content"]` → `messages[0].content`. */
function paramOf(loc: Json | undefined): string | undefined {
  if (!Array.isArray(loc)) return undefined
  let path = ''
  let afterIndex = false
  for (const [position, step] of loc.entries()) {
    if (position === 0 && step === 'body') continue
    if (typeof step === 'number') path += `[${step}]`
    else if (typeof step === 'string' && !(afterIndex && VARIANTS.has(step)))
      path += path === '' ? step : `.${step}`
    afterIndex = typeof step === 'number'
  }
  return renamed(path === '' ? undefined : path)
}

function renamed(param: string | undefined): string | undefined {
  return param === undefined ? undefined : callerParam(PARAMS[param] ?? param)
}
