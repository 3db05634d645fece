import { type ItemPlace, KEPT_RESPONSES_MAX } from './ports/keptResponses.ts'

/** What a workspace keeps, or what is added to it. `bytes` are those of input and answers in UTF-8. */
export interface KeptSums {
  readonly answers: number
  readonly bytes: number
  readonly items: number
}

export const NOTHING_KEPT: KeptSums = { answers: 0, bytes: 0, items: 0 }

/** What one answer takes. */
export interface KeptSize {
  readonly bytes: number
  readonly items: number
}

/** Whether an answer may be kept at all. `depth`: how many answers its chain has with it. */
export function mayBeKept({ bytes, items }: KeptSize, depth: number): boolean {
  const { perAnswer, answersInChain } = KEPT_RESPONSES_MAX
  return bytes <= perAnswer.bytes && items <= perAnswer.items && depth <= answersInChain
}

function fits({ answers, bytes, items }: KeptSums): boolean {
  const { perWorkspace } = KEPT_RESPONSES_MAX
  return answers <= perWorkspace.answers && bytes <= perWorkspace.bytes && items <= perWorkspace.items
}

export function added({ answers, bytes, items }: KeptSums, { bytes: moreBytes, items: moreItems }: KeptSize) {
  return { answers: answers + 1, bytes: bytes + moreBytes, items: items + moreItems }
}

export function without(sums: KeptSums, gone: readonly KeptSize[]): KeptSums {
  let { answers, bytes, items } = sums
  for (const size of gone) {
    answers -= 1
    bytes -= size.bytes
    items -= size.items
  }
  return { answers, bytes, items }
}

/**
 * Which answers go for a new one. Without enough of them in `oldest` all go, and `isEnough` is false.
 * @param oldest some answers of the workspace, the oldest first
 */
export function makeRoom<Row extends KeptSize>(
  sums: KeptSums,
  fresh: KeptSize,
  oldest: readonly Row[],
): { readonly gone: readonly Row[]; readonly isEnough: boolean } {
  const gone: Row[] = []
  let rest = sums
  for (const row of oldest) {
    if (fits(added(rest, fresh))) break
    gone.push(row)
    rest = without(rest, [row])
  }
  return { gone, isEnough: fits(added(rest, fresh)) }
}

/** Of an item that is found by it: what every database can have in an index. */
export const ITEM_ID_LENGTH_MAX = 200
const VISIBLE_ASCII = /^[!-~]+$/

export function canBeFound(id: string): boolean {
  return id.length <= ITEM_ID_LENGTH_MAX && VISIBLE_ASCII.test(id)
}

/** The places under which items are found by their ids: one for each id, where a model's output is before a caller's input. */
export function placesById(items: readonly ItemPlace[]): readonly ItemPlace[] {
  const places = new Map<string, ItemPlace>()
  for (const item of items) {
    if (!canBeFound(item.id)) continue
    if (item.from === 'input' && places.get(item.id)?.from === 'output') continue
    places.set(item.id, item)
  }
  return [...places.values()]
}
