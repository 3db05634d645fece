import type { FailureKind, UpstreamFailure } from '../../core/failure.ts'
import { type Json, type JsonObject, parseJson } from '../../core/json.ts'
import { codeOf, failureOf } from '../errorAnswer.ts'
import { readObject, readText } from '../read.ts'
import { type Reading, readError } from '../readError.ts'
import type { ErrorAnswer } from '../wire.ts'

const DETAIL_LENGTH_MAX = 500

/** https://platform.claude.com/docs/en/api/errors; decides where there is no error status. */
const KIND_BY_TYPE: ReadonlyMap<string, FailureKind> = new Map([
  ['invalid_request_error', 'bad_request'],
  ['authentication_error', 'credential'],
  ['permission_error', 'credential'],
  ['billing_error', 'billing'],
  ['not_found_error', 'not_found'],
  ['request_too_large', 'too_large'],
  ['rate_limit_error', 'rate_limited'],
  ['api_error', 'server'],
  ['timeout_error', 'server'],
  ['conflict_error', 'server'],
  ['overloaded_error', 'overloaded'],
])

/** `error.details.error_code` of refusals that no waiting cures. */
const BILLING_CODES = new Set([
  'enforced_spend_limit_reached',
  'contract_spend_limit_reached',
  'linked_organization_billing_unavailable',
  'linked_organization_spend_limit_reached',
])

/** Classifies an answer with an error status, or an error object inside a 200. */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  const error = readObject(readObject(parseJson(answer.body))?.error)
  const reading = readingOf(error, answer.status >= 400 ? answer.status : undefined, answer.sent)
  return failureOf(answer, reading, { codes: codesOf(error), ...describe(reading.kind, error) })
}

/** Classifies an `error` object in the body or a frame of a 200. */
export function decodeErrorObject(body: JsonObject): UpstreamFailure {
  const error = readObject(body.error)
  const reading = readingOf(error, undefined, undefined)
  return {
    ...reading,
    ...codeOf(codesOf(error)),
    detail: JSON.stringify(body.error ?? body).slice(0, DETAIL_LENGTH_MAX),
    ...describe(reading.kind, error),
  }
}

/** The account's own spend limit and an empty balance are plain 400s: only the words say so. */
function readingOf(
  error: JsonObject | undefined,
  status: number | undefined,
  sent: JsonObject | undefined,
): Reading {
  const errorCode = readText(readObject(error?.details)?.error_code) ?? ''
  const type = status === undefined ? kindOfType(error) : undefined
  // The type of a plain mistake is vaguer than its words.
  const vague = type === 'bad_request' || type === 'invalid_answer'
  return readError({
    status,
    code: BILLING_CODES.has(errorCode) ? 'billing' : vague ? undefined : type,
    message: readText(error?.message) ?? '',
    sent,
    vagueCode: vague ? type : undefined,
  })
}

function kindOfType(error: JsonObject | undefined): FailureKind {
  return KIND_BY_TYPE.get(readText(error?.type) ?? '') ?? 'invalid_answer'
}

/** What refines the type comes before it. */
function codesOf(error: JsonObject | undefined): (Json | undefined)[] {
  return [readObject(error?.details)?.error_code, error?.type]
}

function describe(kind: FailureKind, error: JsonObject | undefined): { detail?: string; param?: string } {
  if (!error) return {}
  const message = readText(error.message) ?? ''
  const detail = `${readText(error.type) ?? 'error'}: ${message}`.slice(0, DETAIL_LENGTH_MAX)
  const param = kind === 'bad_request' ? paramOf(message) : undefined
  return { detail, ...(param !== undefined && { param }) }
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
