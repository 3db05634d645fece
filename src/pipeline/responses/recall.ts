import { type Refusal, refuse } from '../../core/error.ts'
import { isIdLike, type RequestId } from '../../core/id.ts'
import { parseExactly } from '../../core/exactNumber.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { mayBeKept, placesById } from '../../core/keptRoom.ts'
import type { KeptItem, KeptReading, KeptResponse, MadeBy } from '../../core/ports/keptResponses.ts'
import { printableStart } from '../../core/printable.ts'
import {
  type References,
  goingOn,
  inputOf,
  placesOf,
  referencesIn,
  secretsIn,
  withItems,
} from '../../wire/openai-responses/references.ts'
import { nameOfLeftOut, sendableItem } from '../../wire/openai-responses/sendable.ts'
import type { Call } from '../call.ts'
import type { Recalled } from '../memory.ts'
import { createRecallRoom } from './recallRoom.ts'

/** How many items a request may refer to. */
export const REFERENCES_MAX = 2_000
/** How much of an id a message repeats. */
const ID_LENGTH_MAX = 100

/**
 * Puts kept answers and items in the places where a request refers to them, so that it says all by itself. Refuses a reference
 * to what is not there.
 */
export async function recall(body: Json, call: Call, at: number): Promise<Recalled> {
  if (!isJsonObject(body)) return { ok: true, body }
  const keepMs = keepTimeOf(call)
  const keeps = keepMs > 0 && body.store !== false && hasRoomFor(body, 1)
  const references = referencesIn(body)
  if (references === undefined) return { ok: true, body, memory: { asked: body, input: body, keeps } }
  if (keepMs === 0) return refusedWithout(references, body, keeps)
  if (references.items.length > REFERENCES_MAX) return { ok: false, refusal: TOO_MANY }
  const { share, deps, caller } = call
  const { previous } = references
  const param = previous === undefined ? 'input' : 'previous_response_id'
  const room = createRecallRoom(share, inputOf(body), param)
  let read = 0
  const reading: KeptReading = {
    at,
    keepUntil: at + keepMs,
    mayRead(bytes) {
      read += bytes
      return room.take(bytes)
    },
  }
  const { keptResponses } = deps.store
  const makers = new Map<string, MadeBy>()

  const ids = references.items.map(({ id }) => id)
  const found = ids.length === 0 ? NO_ITEMS : await keptResponses.items(caller.workspace.id, ids, reading)
  if (found === 'too_large') return { ok: false, refusal: room.refusal }
  const missing = references.items.find(({ id, isNeeded }) => isNeeded && !found.has(id))
  if (missing) return { ok: false, refusal: itemNotFound(missing.id, missing.place) }
  // An item is read once and sent in each place that it has.
  const more = bytesOf(ids, found) - read
  if (more > 0 && !room.take(more)) return { ok: false, refusal: room.refusal }
  const items = new Map<string, Json>()
  for (const [id, { json, madeBy }] of found) {
    const item = parseExactly(json) as Json
    items.set(id, item)
    noteMakers(makers, [item], madeBy)
  }
  if (!ids.every((id) => room.add(items.get(id) ?? null))) return { ok: false, refusal: room.refusal }
  const input = withItems(body, references, items)

  if (previous === undefined) return { ok: true, body: input, memory: { asked: body, input, keeps, makers } }
  if (!isIdLike(previous)) return { ok: false, refusal: previousNotFound(previous) }
  const chain = await keptResponses.chain(caller.workspace.id, previous as RequestId, reading)
  if (chain === 'too_large') return { ok: false, refusal: room.refusal }
  if (chain === undefined) return { ok: false, refusal: previousNotFound(previous) }
  const before: Json[] = []
  const leftOut = new Set<string>()
  for (const kept of chain) {
    for (const item of itemsOf(kept, makers, leftOut)) {
      if (!room.add(item)) return { ok: false, refusal: room.refusal }
      before.push(item)
    }
  }
  const memory = {
    asked: body,
    input,
    keeps: keeps && hasRoomFor(input, chain.length + 1),
    makers,
    leftOut: [...leftOut],
  }
  return { ok: true, body: goingOn(input, before), memory }
}

/** What is beyond its bounds before it is answered says `store: false`. @param depth how many answers its chain has with it */
function hasRoomFor(body: JsonObject, depth: number): boolean {
  return mayBeKept({ bytes: 0, items: placesById(placesOf(inputOf(body), [])).length }, depth)
}

const NO_ITEMS: ReadonlyMap<string, KeptItem> = new Map()

const TOO_MANY = refuse(
  'invalid_request',
  `\`input\` may refer to at most ${REFERENCES_MAX} kept items. Send the others as they are.`,
  { param: 'input' },
)

/** Of the items in all places that have these ids. */
function bytesOf(ids: readonly string[], items: ReadonlyMap<string, KeptItem>): number {
  const sizes = new Map(Array.from(items, ([id, { json }]) => [id, Buffer.byteLength(json)]))
  return ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0)
}

/** How long the answers of a call's workspace are kept, in milliseconds; 0: not at all. */
export function keepTimeOf({ caller, deps }: Pick<Call, 'caller' | 'deps'>): number {
  return caller.workspace.keepResponses ? deps.responsesKeepMs() : 0
}

/** What a kept request brought, and what was answered, without what cannot be sent again: `leftOut` gets its names. */
function itemsOf(
  { input, response, madeBy }: KeptResponse,
  makers: Map<string, MadeBy>,
  leftOut: Set<string>,
): Json[] {
  const { output } = parseExactly(response) as { readonly output: readonly Json[] }
  noteMakers(makers, output, madeBy)
  const sendable = output.flatMap((item) => {
    const sent = sendableItem(item)
    if (sent === undefined) leftOut.add(nameOfLeftOut(item))
    return sent ?? []
  })
  return [...(parseExactly(input) as readonly Json[]), ...sendable]
}

function noteMakers(makers: Map<string, MadeBy>, items: readonly Json[], madeBy: MadeBy | null): void {
  if (madeBy) for (const secret of secretsIn(items)) makers.set(secret, madeBy)
}

/** Where answers are not kept, reasoning that came back without its content is left to the decoder. */
function refusedWithout({ previous, items }: References, body: JsonObject, keeps: boolean): Recalled {
  if (previous !== undefined) return { ok: false, refusal: previousNotFound(previous, NOT_KEPT_HERE) }
  const needed = items.find(({ isNeeded }) => isNeeded)
  if (needed) return { ok: false, refusal: itemNotFound(needed.id, needed.place, NOT_KEPT_HERE) }
  return { ok: true, body, memory: { asked: body, input: body, keeps } }
}

const NOT_KEPT_HERE = ' Responses are not kept here: send the whole conversation, with `store: false`.'

function previousNotFound(id: string, why = ''): Refusal {
  const message = `Previous response with id '${printableStart(id, ID_LENGTH_MAX)}' not found.${why}`
  return refuse('previous_response_not_found', message, { param: 'previous_response_id' })
}

/** In the words of OpenAI. */
function itemNotFound(id: string, place: number, why = ''): Refusal {
  const message = `Item with id '${printableStart(id, ID_LENGTH_MAX)}' not found.${why}`
  return refuse('not_found', message, { param: `input[${place}]` })
}
