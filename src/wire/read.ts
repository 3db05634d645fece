import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'

/** The value when it is a string that is not empty. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The value when it is a JSON object. */
export function readObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

/** The value's objects when it is a list; an empty list otherwise. */
export function readObjects(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) return []
  const objects: JsonObject[] = []
  for (const item of value) if (isJsonObject(item)) objects.push(item)
  return objects
}

/** The value when it is a finite number. */
export function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The object without its undefined fields: what `JSON.stringify` would write. */
export function compact(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  const said: Record<string, Json> = {}
  for (const name in object) {
    const value = object[name]
    // To assign `__proto__` would not make a field of it.
    if (value !== undefined && name !== '__proto__') said[name] = value
  }
  return said
}

/** The object without the fields that are null, as many write what they do not say: the same one where there are none. */
export function withoutNulls<T extends object>(object: T): T {
  for (const name in object) {
    if (object[name] === null) {
      return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as T
    }
  }
  return object
}

/** JSON text of a provider's value; undefined when it is nested deeper than the engine's stack. */
export function writeJson(value: Json): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
