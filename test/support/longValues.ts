import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts'

/** Never five times in a row in what the gateway writes by itself. */
const MARK = 'Q'
const RUN = /Q{5,}/gi

/** A text that can be found again in a message. */
export function longText(length: number): string {
  return MARK.repeat(length)
}

/** How many characters of long texts an answer repeats. */
export function repeatedIn(text: string): number {
  return (text.match(RUN) ?? []).reduce((sum, run) => sum + run.length, 0)
}

/**
 * The value with the long text in each of its places, one at a time: instead of the value that is there, as the only
 * entry of a list, and as the name of a field.
 */
export function* withLongText(value: Json, long: string): Generator<Json> {
  yield long
  yield [long]
  yield isJsonObject(value) ? { ...value, [long]: 1 } : { [long]: 1 }
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  for (const [name, part] of entries) {
    for (const other of withLongText(part ?? null, long)) {
      if (Array.isArray(value)) yield (value as Json[]).with(Number(name), other)
      else yield { ...(value as JsonObject), [name]: other }
    }
  }
}
