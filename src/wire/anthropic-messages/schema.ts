import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { isLongInteger } from '../../core/longInteger.ts'

/** Nesting beyond this is left as it is. */
const SCHEMA_DEPTH_MAX = 64

/**
 * Says `additionalProperties: false` on every object of a JSON schema that says nothing about it: the
 * API takes no other, and OpenAI's strict mode asks the same of its callers.
 */
export function closeObjects(schema: JsonObject, depth = 0): JsonObject {
  if (depth > SCHEMA_DEPTH_MAX) return schema
  const entries = Object.entries(schema).map(([key, value]) => [key, closeWithin(value, depth + 1)] as const)
  const closed: JsonObject = Object.fromEntries(entries)
  const isObject = closed.type === 'object' && closed.additionalProperties === undefined
  return isObject ? { ...closed, additionalProperties: false } : closed
}

function closeWithin(value: Json | undefined, depth: number): Json | undefined {
  if (isJsonObject(value)) return isLongInteger(value) ? value : closeObjects(value, depth)
  if (isList(value) && depth <= SCHEMA_DEPTH_MAX)
    return value.map((item) => closeWithin(item, depth + 1) ?? null)
  return value
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
