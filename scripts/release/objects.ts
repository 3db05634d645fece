import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type JsonObject, isJsonObject } from '../../src/core/json.ts'

/**
 * The object in a JSON file.
 * @throws Error where the file holds none
 */
export function readObject(folder: string, path: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(join(folder, path), 'utf8'))
  if (!isJsonObject(value)) throw new Error(`${path} is not an object`)
  return value
}

/**
 * A text of an object.
 * @throws Error where the field is not a text
 */
export function textOf(object: JsonObject, field: string): string {
  const value = object[field]
  if (typeof value !== 'string') throw new Error(`${field} is not a text`)
  return value
}

/** The object in a field; an empty one where there is none. */
export function objectOf(object: JsonObject, field: string): JsonObject {
  const value = object[field]
  return isJsonObject(value) ? value : {}
}

/** The objects of a list; none where it is not a list. */
export function objectsOf(object: JsonObject, field: string): readonly JsonObject[] {
  const value = object[field]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
