import { type Json, type JsonObject, isJsonObject } from '../../core/json.ts'
import { readObject, readText } from '../read.ts'

/** What an error says, wherever its author put it. */
export interface ErrorWords {
  /** From the HTTP status, or the number in `code` or `status` where the status tells nothing. */
  readonly status: number | undefined
  /** `code`, `type` and `status` in lowercase, joined: what the patterns below look at. */
  readonly codes: string
  /** The same as they are, the surest first. */
  readonly written: readonly (Json | undefined)[]
  readonly message: string
  readonly param: string | undefined
}

/** Undefined when there is nothing that could be an error. */
export function readWords(body: Json | undefined, status: number | undefined): ErrorWords | undefined {
  // Google's OpenAI-compatible endpoint wraps its error object in a list.
  const outer = Array.isArray(body) ? body[0] : body
  if (typeof outer === 'string') return { status, codes: '', written: [], message: outer, param: undefined }
  if (!isJsonObject(outer)) return undefined
  const error = outer.error ?? outer
  if (typeof error === 'string') {
    return {
      status,
      codes: codesOf(outer),
      written: writtenCodes(outer),
      message: `${error} ${readText(outer.message) ?? ''}`.trim(),
      param: undefined,
    }
  }
  if (!isJsonObject(error)) {
    return { status, codes: '', written: [], message: JSON.stringify(error), param: undefined }
  }
  const inner = readObject(error.innererror)
  const validation = firstValidationError(error.detail ?? error.message)
  return {
    status: status ?? statusIn(error.code) ?? statusIn(error.status) ?? statusIn(error.status_code),
    codes: [codesOf(error), inner ? codesOf(inner) : ''].join(' '),
    written: [...writtenCodes(error), ...(inner ? writtenCodes(inner) : [])],
    message:
      readText(error.message) ??
      validation?.message ??
      readText(error.detail) ??
      JSON.stringify(error).slice(0, 1000),
    param: readText(error.param) ?? validation?.param,
  }
}

/** OpenRouter gives the reasons of its moderation where others have a code. */
function writtenCodes(error: JsonObject): (Json | undefined)[] {
  const moderated = isJsonObject(error.metadata) && Array.isArray(error.metadata.reasons)
  return [...(moderated ? ['moderation'] : []), error.code, error.type, error.status]
}

function codesOf(error: JsonObject): string {
  return writtenCodes(error)
    .filter((code) => typeof code === 'string')
    .join(' ')
    .toLowerCase()
}

/** FastAPI's form: `[{loc: ['body', 'messages', 0, 'content'], msg}]`. */
function firstValidationError(value: unknown): { message: string; param: string | undefined } | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  if (!isJsonObject(first)) return undefined
  const path = Array.isArray(first.loc) ? first.loc.filter((step) => step !== 'body') : []
  return {
    message: readText(first.msg) ?? JSON.stringify(first),
    param: path.length > 0 ? path.join('.') : undefined,
  }
}

/** An HTTP status written as a number or as digits. */
function statusIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 400 && number < 600
    ? number
    : undefined
}
