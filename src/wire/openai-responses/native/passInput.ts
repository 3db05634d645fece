import type { Json, JsonObject } from '../../../core/json.ts'
import { isJsonObject } from '../../../core/json.ts'
import { readObjects, readText } from '../../read.ts'
import { responsesId } from '../../toolCallIds.ts'
import { isOwnSecret } from '../secrets.ts'
import { isVendorItem } from '../vendorTools.ts'

/** The items that a provider can read, as their caller wrote them. */
interface PassedInput {
  readonly items: Json | undefined
  /** The names of the others. */
  readonly leftOut: readonly string[]
}

/** Undefined where an item has to be rewritten: reasoning that another provider made, or an id of a call that is too long. */
export function passInput(input: Json | undefined): PassedInput | undefined {
  if (!Array.isArray(input)) return { items: input, leftOut: [] }
  const items: Json[] = []
  const leftOut: string[] = []
  let isChanged = false
  for (const [i, item] of (input as readonly Json[]).entries()) {
    if (!isJsonObject(item)) {
      items.push(item)
      continue
    }
    if (!isReadable(item)) return undefined
    if (isVendorItem(item)) leftOut.push(`input[${i}]`)
    else if (isBareReasoning(item)) leftOut.push('input[reasoning]')
    else {
      const passed = withoutEmptyId(item)
      isChanged ||= passed !== item
      items.push(passed)
    }
  }
  return { items: isChanged || leftOut.length > 0 ? items : input, leftOut }
}

function isReadable({ call_id: callId, encrypted_content: encrypted }: JsonObject): boolean {
  if (typeof callId === 'string' && responsesId(callId) !== callId) return false
  return typeof encrypted !== 'string' || isOwnSecret(encrypted)
}

/** A provider that stores nothing cannot find such an item by its id, and refuses it. */
function isBareReasoning({ type, encrypted_content: encrypted, content }: JsonObject): boolean {
  return type === 'reasoning' && readText(encrypted) === undefined && readObjects(content).length === 0
}

/** The gateway writes reasoning without an id as one with an empty id, which the API refuses. */
function withoutEmptyId(item: JsonObject): JsonObject {
  if (item.id !== '') return item
  const { id: _id, ...rest } = item
  return rest
}
