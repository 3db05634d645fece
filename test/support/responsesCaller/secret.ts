import type { Json, JsonObject } from '../../../src/core/json.ts'

/** How the gateway marks what another format signed: a caller sends it back as it came. */
const MARK = 'tollgate-v1:'

/** The `encrypted_content` that a caller got with a thought of another format. */
export function markedSecret(detail: JsonObject): string {
  return MARK + JSON.stringify(detail)
}

/** The thoughts that are marked so, a single one without its text; undefined: the format encrypted it itself. */
export function markedThoughts(encrypted: Json | undefined): readonly JsonObject[] | undefined {
  if (typeof encrypted !== 'string' || !encrypted.startsWith(MARK)) return undefined
  return [JSON.parse(encrypted.slice(MARK.length)) as JsonObject].flat()
}
