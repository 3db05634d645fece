import { refuse, type Refusal } from '../core/error.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { DecodedRequest } from './wire.ts'

/** Ends the reading of a request at its first offending field. */
class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** Runs a reader over a body; whatever it finds wrong becomes the refusal. */
export function readRequest(body: Json, read: (body: JsonObject) => ChatRequest): DecodedRequest {
  if (!isJsonObject(body)) {
    return { ok: false, refusal: refuse('invalid_request', 'The request body must be a JSON object.') }
  }
  try {
    return { ok: true, request: read(body) }
  } catch (error) {
    if (error instanceof Refused) return { ok: false, refusal: error.refusal }
    throw error
  }
}

export function invalid(param: string, message: string): never {
  throw new Refused(refuse('invalid_request', message, { param }))
}

export function checkNumber(
  value: Json | undefined,
  param: string,
  min: number,
  max: number,
): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !(value >= min && value <= max)) {
    return invalid(param, `${param} must be a number from ${min} to ${max}.`)
  }
  return value
}

export function checkInteger(
  value: Json | undefined,
  param: string,
  min: number,
  max: number,
): number | undefined {
  const number = checkNumber(value, param, min, max)
  if (number !== undefined && !Number.isInteger(number)) return invalid(param, `${param} must be an integer.`)
  return number
}

export function checkBoolean(value: Json | undefined, param: string): boolean | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'boolean' ? value : invalid(param, `${param} must be true or false.`)
}

export function checkString(value: Json | undefined, param: string): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : invalid(param, `${param} must be a string.`)
}

export function requireString(value: Json | undefined, param: string): string {
  return checkString(value, param) ?? invalid(param, `${param} is required.`)
}

export function checkObject(value: Json | undefined, param: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  return isJsonObject(value) ? value : invalid(param, `${param} must be an object.`)
}

export function requireObject(value: Json | undefined, param: string): JsonObject {
  return checkObject(value, param) ?? invalid(param, `${param} is required.`)
}

export function checkList(value: Json | undefined, param: string): readonly Json[] | undefined {
  if (value === undefined || value === null) return undefined
  return Array.isArray(value) ? (value as readonly Json[]) : invalid(param, `${param} must be a list.`)
}

export function checkStrings(value: Json | undefined, param: string): readonly string[] | undefined {
  return checkList(value, param)?.map((item, index) => requireString(item, `${param}[${index}]`))
}

/** Drops absent fields, so that a request holds only what was said. */
export function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }
}
