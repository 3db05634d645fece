import type { Json, JsonObject } from '../../../core/json.ts'
import { isJsonObject } from '../../../core/json.ts'
import { readObjects, readText } from '../../read.ts'
import { responsesId } from '../../toolCallIds.ts'
import { isOwnSecret } from '../secrets.ts'
import { isAdditionalTools, toolsLeftIn } from '../additionalTools.ts'
import { isWithoutTools, nameOfItem } from '../leftOut.ts'
import { isVendorItem, vendorToolOf } from '../vendorTools.ts'

/** The items that a provider can read, as their caller wrote them. */
interface PassedInput {
  readonly items: Json | undefined
  /** Some of them add tools. */
  readonly addsTools: boolean
  /** The names of the others, and of tools within the items. */
  readonly leftOut: readonly string[]
}

/** Undefined where an item has to be rewritten: reasoning that another provider made, or an id of a call that is too long. */
export function passInput(input: Json | undefined): PassedInput | undefined {
  if (!Array.isArray(input)) return { items: input, addsTools: false, leftOut: [] }
  const items: Json[] = []
  const leftOut: string[] = []
  let isChanged = false
  let addsTools = false
  for (const item of input as readonly Json[]) {
    if (!isJsonObject(item)) {
      items.push(item)
      continue
    }
    if (!isReadable(item)) return undefined
    if (isAdditionalTools(item)) leftOut.push(...vendorToolsIn(item))
    if (isVendorItem(item) || isBareReasoning(item) || isWithoutTools(item)) leftOut.push(nameOfItem(item))
    else {
      const passed = withoutVendorTools(withoutEmptyId(item))
      isChanged ||= passed !== item
      addsTools ||= isAdditionalTools(item)
      items.push(passed)
    }
  }
  return { items: isChanged || leftOut.length > 0 ? items : input, addsTools, leftOut }
}

function isReadable({ call_id: callId, encrypted_content: encrypted }: JsonObject): boolean {
  if (typeof callId === 'string' && responsesId(callId) !== callId) return false
  return typeof encrypted !== 'string' || isOwnSecret(encrypted)
}

function vendorToolsIn({ tools }: JsonObject): string[] {
  return readObjects(tools).flatMap((tool) => {
    const kind = vendorToolOf(tool)
    return kind === undefined ? [] : [`tools[${kind}]`]
  })
}

function withoutVendorTools(item: JsonObject): JsonObject {
  if (!isAdditionalTools(item) || vendorToolsIn(item).length === 0) return item
  return { ...item, tools: toolsLeftIn(item) }
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
