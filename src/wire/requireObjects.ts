import type { Json, JsonObject } from '../core/json.ts'
import { checkList, invalid, requireObject } from './requestReader.ts'

/** A list of objects; a refusal of the request names the item that is none. */
export function requireObjects(value: Json | undefined, param: string): readonly JsonObject[] {
  const items = checkList(value, param) ?? invalid(param, `${param} is required.`)
  return items.map((item, i) => requireObject(item, `${param}[${i}]`))
}
