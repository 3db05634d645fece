import { type Json, type JsonObject, isJsonObject } from '../core/json.ts'
import type { JsonEdit } from '../core/jsonText.ts'
import { staysInside } from './staysInside.ts'

/**
 * The fields that the interface of a format knows of an object, or of each object of a list. `true`: what is in the field is
 * not looked into, because it is plain, or the model or the caller wrote it.
 */
export interface Shape {
  readonly [field: string]: Shape | true
}

/** A shape of fields that are not looked into. @param names separated by blanks */
export function plainFields(names: string): Record<string, true> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, true]),
  )
}

/**
 * The changes that take out of an answer what stays inside (`staysInside`): of fields that the interface does not know those
 * that speak of the operator's business, or hold such a field.
 */
export function insideEdits(answer: JsonObject, shape: Shape): readonly JsonEdit[] {
  const edits: JsonEdit[] = []
  find(answer, shape, [], edits)
  return edits
}

function find(
  value: Json | undefined,
  shape: Shape,
  path: readonly (string | number)[],
  edits: JsonEdit[],
): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) find(value[i] as Json, shape, [...path, i], edits)
    return
  }
  if (!isJsonObject(value)) return
  for (const name in value) {
    const known = shape[name]
    if (known === true) continue
    // What every object has from its prototype is not a field.
    if (known === undefined || !Object.hasOwn(shape, name)) {
      if (staysInside(name, value[name])) edits.push({ path: [...path, name] })
    } else if (typeof value[name] === 'object') {
      find(value[name], known, [...path, name], edits)
    }
  }
}
