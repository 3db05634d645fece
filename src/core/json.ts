/** A value that JSON can express. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** An object as JSON expresses it. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Whether the value is a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses text as JSON; undefined when it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
