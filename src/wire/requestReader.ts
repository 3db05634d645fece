import type { ChatRequest } from '../core/chat/request.ts'
import { refuse } from '../core/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import {
  checkBoolean,
  checkInteger,
  checkList,
  checkNumber,
  checkObject,
  checkString,
  InvalidField,
} from './check.ts'
import type { DecodedRequest } from './wire.ts'

/** Runs a reader over a body; the first field it finds wrong becomes the refusal. */
export function readRequest(body: Json, read: (body: JsonObject) => ChatRequest): DecodedRequest {
  if (!isJsonObject(body)) {
    return { ok: false, refusal: refuse('invalid_request', 'The request body must be a JSON object.') }
  }
  try {
    return { ok: true, request: read(body) }
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error
    const { message, param, details } = error
    return { ok: false, refusal: refuse('invalid_request', message, { param, ...(details && { details }) }) }
  }
}

/** @param problem ends the sentence that the field's name begins */
export function invalid(param: string, problem: string): never {
  throw new InvalidField(param, problem)
}

/** Null is how many clients write what they do not say. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

/** Whether a list or an object has nothing in it. */
export function isEmpty(value: object): boolean {
  for (const _ in value) return false
  return true
}

export function optionalNumber(
  value: Json | undefined,
  param: string,
  least: number,
  most: number,
): number | undefined {
  return isAbsent(value) ? undefined : checkNumber(value, param, least, most)
}

export function optionalInteger(
  value: Json | undefined,
  param: string,
  least?: number,
  most?: number,
): number | undefined {
  return isAbsent(value) ? undefined : checkInteger(value, param, least, most)
}

export function optionalBoolean(value: Json | undefined, param: string): boolean | undefined {
  return isAbsent(value) ? undefined : checkBoolean(value, param)
}

export function optionalString(value: Json | undefined, param: string): string | undefined {
  return isAbsent(value) ? undefined : checkString(value, param)
}

export function optionalObject(value: Json | undefined, param: string): JsonObject | undefined {
  return isAbsent(value) ? undefined : checkObject(value, param)
}

export function optionalList(value: Json | undefined, param: string): readonly Json[] | undefined {
  return isAbsent(value) ? undefined : checkList(value, param)
}

/** Stop sequences: texts, where an empty list is none. */
export function optionalStop(value: Json | undefined, param: string): readonly string[] | undefined {
  const texts = optionalList(value, param)
    ?.map((text, i) => requireString(text, `${param}[${i}]`))
    .filter((text) => text !== '')
  return texts?.length === 0 ? undefined : texts
}

export function requireString(value: Json | undefined, param: string): string {
  return optionalString(value, param) ?? invalid(param, 'is required')
}

export function requireObject(value: Json | undefined, param: string): JsonObject {
  return optionalObject(value, param) ?? invalid(param, 'is required')
}

export function requireList(value: Json | undefined, param: string): readonly Json[] {
  return optionalList(value, param) ?? invalid(param, 'is required')
}

export function requireObjects(value: Json | undefined, param: string): readonly JsonObject[] {
  return requireList(value, param).map((item, i) => requireObject(item, `${param}[${i}]`))
}

/** The turns of a conversation, of which there must be one. */
export function requireTurns(value: Json | undefined, param: string): readonly Json[] {
  const turns = requireList(value, param)
  return turns.length === 0 ? invalid(param, 'must not be empty') : turns
}

/** Drops absent fields, so that a request holds only what was said. */
export function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }
}
