import type { UpstreamFailure } from '../../core/failure.ts'
import { type JsonObject, parseJson } from '../../core/json.ts'
import { failureOf, reportedFailure } from '../errorAnswer.ts'
import { readObject, readText } from '../read.ts'
import { namesField, readError } from '../readError.ts'
import type { ErrorAnswer } from '../wire.ts'

/** Our names of Cohere's parameters, as its sentences begin with them. */
const PARAMS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  p: 'top_p',
  max_tokens: 'max_tokens',
  stop_sequences: 'stop',
  frequency_penalty: 'frequency_penalty',
  presence_penalty: 'presence_penalty',
  seed: 'seed',
  tools: 'tools',
  tool_choice: 'tool_choice',
  response_format: 'response_format',
  messages: 'messages',
  message: 'messages',
}

/** Bodies are `{message, id?, error_type?}`; a trial key's monthly quota is a 429 that no wait cures. */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  const body = parseJson(answer.body) ?? answer.body
  const fields = readObject(body) ?? {}
  const message = readText(fields.message) ?? ''
  const { status, headers, sent } = answer
  // It documents none; some of its errors have a type, and its gateways send a code.
  const codes = [fields.error_type, fields.code, fields.type]
  const reading = readError({ status, headers, codes, message, sent, body })
  const param = namesField(reading) ? paramIn(message) : undefined
  return failureOf(answer, reading, { codes, param })
}

/** The failure that the last frame of a stream reports. */
export function failureInside(delta: JsonObject, error: string): UpstreamFailure {
  const reading = readError({ status: undefined, codes: [], message: error, body: delta })
  return reportedFailure(reading, { detail: JSON.stringify(delta) })
}

/** "invalid request: temperature must be between 0 and 1.0 inclusive." */
function paramIn(message: string): string | undefined {
  const named = /^(?:invalid request: )?([a-z_]+)\b/i.exec(message)?.[1]
  return named === undefined ? undefined : PARAMS[named]
}
