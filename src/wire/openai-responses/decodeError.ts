import type { UpstreamFailure } from '../../core/failure.ts'
import { type Json, type JsonObject, parseJson } from '../../core/json.ts'
import { decodeError as decodeChatError, failureInside } from '../openai-chat/decodeError.ts'
import { readWords } from '../openai-chat/errorWords.ts'
import { readObject } from '../read.ts'
import { namesField } from '../readError.ts'
import type { ErrorAnswer } from '../wire.ts'

/** Classifies an answer with an error status. OpenAI's errors are the same in chat, but for the names of fields. Never throws. */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  return withParam(decodeChatError(answer), parseJson(answer.body))
}

/** The failure of a response that failed, or that an `error` event reports. Never throws. */
export function decodeErrorObject(error: Json): UpstreamFailure {
  const body = { error }
  const failure = failureInside(body)
  if (!failure) return { kind: 'server', detail: 'the response failed without an error' }
  // An error that says nothing known is a failure of the provider all the same.
  const { kind } = failure
  return withParam(kind === 'invalid_answer' ? { ...failure, kind: 'server' } : failure, body)
}

/** The error in a response, an event, or what came in place of one. */
export function errorIn(json: JsonObject): Json | undefined {
  if (json.object === 'error') return json.error ?? json
  const { error } = json
  const object = readObject(error)
  return (object ? Object.keys(object).length > 0 : error) ? error : undefined
}

function withParam(failure: UpstreamFailure, body: Json | undefined): UpstreamFailure {
  if (!namesField(failure)) return failure
  const param = canonicalParam(readWords(body, undefined)?.param ?? '')
  return param === undefined ? failure : { ...failure, param }
}

/** The canonical names of the fields that have another name here. */
const CANONICAL: readonly (readonly [RegExp, string])[] = [
  [/^max_output_tokens$/, 'max_tokens'],
  [/^(?:input|instructions)(?=$|[.[])/, 'messages'],
  [/^text\.verbosity$/, 'verbosity'],
  [/^text(?=$|\.)/, 'response_format'],
  [/^reasoning(?=$|\.)/, 'reasoning_effort'],
]
/** A function is one level deeper in the canonical language. */
const FUNCTION = /^(tools\[\d{1,6}\])\.(parameters|strict)(?=$|[.[])/

/** Items and messages are not numbered alike, so their places are left out. */
function canonicalParam(param: string): string | undefined {
  const [, tool, field] = FUNCTION.exec(param) ?? []
  if (tool !== undefined && field !== undefined) return `${tool}.function.${field}`
  return CANONICAL.find(([pattern]) => pattern.test(param))?.[1]
}
