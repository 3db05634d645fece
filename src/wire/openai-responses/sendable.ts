import { namesAccount } from '../../core/accountNames.ts'
import { type Json, type JsonObject, isJsonObject } from '../../core/json.ts'
import { InvalidField } from '../check.ts'
import { readObjects, readText } from '../read.ts'
import { decodeInput } from './decodeInput.ts'
import { typeOfItem } from './inputTurns.ts'
import { isVendorItem } from './vendorTools.ts'

/**
 * An item of a kept answer as it can be sent again. Its provider may have written anything, and the caller cannot change it.
 *
 * @returns the item, without annotations that name something in the provider's account; undefined where a request with it
 * would be refused
 */
export function sendableItem(item: Json): Json | undefined {
  if (!isJsonObject(item)) return undefined
  // These are left out by name with the items that the caller sends.
  if (isVendorItem(item)) return item
  // An answer gives no instructions, and does not speak for its user.
  if (typeOfItem(item) === 'message' && item.role !== 'assistant') return undefined
  const plain = namesAccount({ input: [item] }) ? withoutAnnotations(item) : item
  return isDecodable(plain) && !namesAccount({ input: [plain] }) ? plain : undefined
}

/** A name for an item that is left out of a kept answer. */
export function nameOfLeftOut(item: Json): string {
  const type = isJsonObject(item) ? readText(item.type) : undefined
  return `previous_response_id[${type !== undefined && /^[a-z_]{1,40}$/.test(type) ? type : 'unknown'}]`
}

function isDecodable(item: JsonObject): boolean {
  try {
    decodeInput([item])
    return true
  } catch (error) {
    if (error instanceof InvalidField) return false
    throw error
  }
}

function withoutAnnotations(item: JsonObject): JsonObject {
  if (!Array.isArray(item.content)) return item
  return { ...item, content: readObjects(item.content).map(({ annotations: _cited, ...part }) => part) }
}
