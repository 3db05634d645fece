import type { Json, JsonObject } from '../../../src/core/json.ts'

/** Without what is absent. */
export function compact(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  )
}

/** The text that a value must be. */
export function textOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw new Error(`not a text: ${JSON.stringify(value)}`)
  return value
}
