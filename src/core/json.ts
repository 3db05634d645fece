import { type JsonBounds, createJsonScan, scanJsonText } from './jsonScan.ts'
import { parseExactly, parseIntegersExactly } from './exactNumber.ts'

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

/** From this length on, in UTF-16 units or bytes, a text may be such that parsing it takes seconds and gigabytes. */
const SCANNED_LENGTH_MIN = 64 * 1024
/** Of an answer, or of a frame of a streamed one: one token with twenty alternatives has about 150 values. */
export const ANSWER_JSON: JsonBounds = { depthMax: 1_000, valuesMax: 200_000, digitsMax: 100 }
/** Of each choice of a whole answer that has the log probabilities of all its tokens. */
export const LOGPROBS_VALUES_MAX = 3_000_000

/** Of a whole answer with so many choices. */
export function wholeAnswerJson(choices: number, logprobs: boolean): JsonBounds {
  return logprobs ? { ...ANSWER_JSON, valuesMax: choices * LOGPROBS_VALUES_MAX } : ANSWER_JSON
}

/** Parses text as JSON; undefined when it is not JSON, or is beyond `ANSWER_JSON`. */
export function parseJson(text: string): Json | undefined {
  if (text.length >= SCANNED_LENGTH_MIN && scanJsonText(text, ANSWER_JSON)) return undefined
  try {
    return parseExactly(text) as Json
  } catch {
    return undefined
  }
}

/** The same for a frame of a stream: of its numbers only integers are exact, because a stream has thousands of frames. */
export function parseFrame(text: string): Json | undefined {
  if (text.length >= SCANNED_LENGTH_MIN && scanJsonText(text, ANSWER_JSON)) return undefined
  try {
    return parseIntegersExactly(text) as Json
  } catch {
    return undefined
  }
}

const UTF_8 = new TextDecoder()

/** The same for a whole answer in UTF-8, of which nothing is made into text that is beyond its bounds; with its text. */
export function parseJsonBytes(
  bytes: Uint8Array,
  bounds: JsonBounds,
): { readonly json: Json; readonly text: string } | undefined {
  if (bytes.length >= SCANNED_LENGTH_MIN && createJsonScan(bounds).push(bytes)) return undefined
  try {
    const text = UTF_8.decode(bytes)
    return { json: parseExactly(text) as Json, text }
  } catch {
    return undefined
  }
}
