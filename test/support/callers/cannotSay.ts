import type { JsonObject } from '../../../src/core/json.ts'

/** Thrown where a chat completion has something that a caller of another format has no words for. */
export class CannotSay extends Error {
  override readonly name = 'CannotSay'
}

/** Throws `CannotSay` for any other field that says something. */
export function onlyThese(value: JsonObject, names: readonly string[], what: string): void {
  const other = Object.keys(value).find((name) => !names.includes(name) && !isNothing(value[name]))
  if (other !== undefined) throw new CannotSay(`${what} ${other}`)
}

function isNothing(value: JsonObject[string]): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
