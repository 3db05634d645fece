import { parseExactly } from '../../core/exactNumber.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ItemPlace } from '../../core/ports/keptResponses.ts'
import { isAbsent } from '../requestReader.ts'
import { readObject, readObjects, readText } from '../read.ts'

/** What a request refers to that earlier answers have. */
export interface References {
  /** `previous_response_id` */
  readonly previous: string | undefined
  readonly items: readonly ItemReference[]
}

/** An item of `input` in whose place a kept one comes. */
export interface ItemReference {
  readonly id: string
  /** In `input`. */
  readonly place: number
  /** Without the kept item the request says something else. Else it is reasoning, which may be left out. */
  readonly isNeeded: boolean
}

/** Undefined where a request refers to nothing, and where a reference is not one: that is for the decoder to refuse. */
export function referencesIn(body: JsonObject): References | undefined {
  const previous = readText(body.previous_response_id)
  const items = inputOf(body).flatMap((item, place) => referenceOf(item, place) ?? [])
  return previous === undefined && items.length === 0 ? undefined : { previous, items }
}

/** References, and reasoning that came back without what its model needs of it. */
function referenceOf(item: Json, place: number): ItemReference | undefined {
  if (!isJsonObject(item)) return undefined
  const id = readText(item.id)
  if (id === undefined) return undefined
  const isReference =
    item.type === 'item_reference' || (isAbsent(item.type) && isAbsent(item.role) && isAbsent(item.content))
  if (isReference) return { id, place, isNeeded: true }
  const isBare = item.type === 'reasoning' && isAbsent(item.encrypted_content)
  return isBare ? { id, place, isNeeded: false } : undefined
}

/** The items of a request's input: a text is one of the user. */
export function inputOf({ input }: JsonObject): readonly Json[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return Array.isArray(input) ? (input as readonly Json[]) : []
}

/** The request with kept items in the places that refer to them. */
export function withItems(
  body: JsonObject,
  references: References,
  kept: ReadonlyMap<string, Json>,
): JsonObject {
  if (references.items.length === 0) return body
  const byPlace = new Map(references.items.map(({ place, id }) => [place, kept.get(id)]))
  return { ...body, input: inputOf(body).map((item, place) => byPlace.get(place) ?? item) }
}

/** The request with the conversation before it. */
export function goingOn(body: JsonObject, before: readonly Json[]): JsonObject {
  const { previous_response_id: _id, ...rest } = body
  return { ...rest, input: [...before, ...inputOf(body)] }
}

/** The items that can be referred to later. */
export function placesOf(input: readonly Json[], output: readonly Json[]): ItemPlace[] {
  return [...placesIn(input, 'input'), ...placesIn(output, 'output')]
}

function placesIn(items: readonly Json[], from: ItemPlace['from']): ItemPlace[] {
  return items.flatMap((item, place) => {
    const id = isJsonObject(item) ? readText(item.id) : undefined
    return id === undefined ? [] : [{ id, from, place }]
  })
}

/** The encrypted reasoning among items, which only its maker can read. */
export function secretsIn(items: readonly Json[]): string[] {
  return items.flatMap((item) => (isJsonObject(item) ? (readText(item.encrypted_content) ?? []) : []))
}

const LAST_EVENT = /^event: response\.(?:completed|incomplete)\n((?:data: ?.*\n)+)/m

/** The response in the last event among these bytes of a stream; undefined where it did not come to its end. */
export function lastResponseIn(text: string): JsonObject | undefined {
  const data = LAST_EVENT.exec(text)?.[1]
  if (data === undefined) return undefined
  return readObject(readObject(parseExactly(data.replaceAll(/^data: ?/gm, '')))?.response)
}

/** The items of kept input. */
export function keptItems(input: string): readonly JsonObject[] {
  return readObjects(parseExactly(input))
}

/** An item of input as it is listed: with an id, and its content as parts. */
export function listedItem(
  item: JsonObject,
  responseId: string,
  place: number,
): JsonObject & { readonly id: string } {
  const suffix = responseId.slice(responseId.indexOf('_') + 1)
  const id = readText(item.id) ?? `in_${suffix}_${place}`
  const { content } = item
  return {
    type: 'message',
    ...item,
    id,
    ...(typeof content === 'string' && { content: [{ type: partType(item), text: content }] }),
  }
}

function partType({ role }: JsonObject): string {
  return role === 'assistant' ? 'output_text' : 'input_text'
}
