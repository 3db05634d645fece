import { type JsonBounds, createJsonScan, scanJsonText } from './jsonScan.ts'

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

/** From this length on, in UTF-16 units, a text could be nested so deep that parsing it takes seconds and gigabytes. */
const SCANNED_LENGTH_MIN = 64 * 1024
/** Of providers' answers. How many values they may have is bounded by their bytes: log probabilities are many. */
const ANSWER_JSON: JsonBounds = {
  depthMax: 1_000,
  valuesMax: Number.MAX_SAFE_INTEGER,
  digitsMax: Number.MAX_SAFE_INTEGER,
}

/** Parses text as JSON; undefined when it is not JSON, or is nested beyond reason. */
export function parseJson(text: string): Json | undefined {
  if (text.length >= SCANNED_LENGTH_MIN && scanJsonText(text, ANSWER_JSON)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

const UTF_8 = new TextDecoder()

/** The same for UTF-8, of which nothing is made into text that is nested beyond reason. */
export function parseJsonBytes(bytes: Uint8Array): Json | undefined {
  if (bytes.length >= SCANNED_LENGTH_MIN && createJsonScan(ANSWER_JSON).push(bytes)) return undefined
  try {
    return JSON.parse(UTF_8.decode(bytes)) as Json
  } catch {
    return undefined
  }
}
