import { type Json, isJsonObject } from '../../src/core/json.ts'

/** One place where a value is not what it was to be; undefined: there is nothing. */
export interface Deviation {
  readonly path: string
  readonly expected: Json | undefined
  readonly actual: Json | undefined
}

/** Where the two differ, as deep as they can be told apart. Lists of unequal length differ as a whole. */
export function deviations(expected: Json | undefined, actual: Json | undefined, path = ''): Deviation[] {
  if (Bun.deepEquals(expected, actual, true)) return []
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item: Json, i) =>
      deviations(item, (actual as readonly Json[])[i], `${path}[${i}]`),
    )
  }
  if (isJsonObject(expected) && isJsonObject(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
    return [...names].flatMap((name) =>
      deviations(expected[name], actual[name], path === '' ? name : `${path}.${name}`),
    )
  }
  return [{ path, expected, actual }]
}
