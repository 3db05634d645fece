import type { JsonObject } from '../../core/json.ts'
import { readNumber, readText } from '../read.ts'
import type { ItemKind, OutputItem } from './outputItem.ts'

/** What an event says of which item it is about. Any of it can be missing or wrong. */
export interface ItemSigns {
  readonly index: number | undefined
  /** The item's own id, and that of a call. */
  readonly ids: readonly string[]
}

/** The signs of an event about a piece of an item. */
export function signsOfPiece({ output_index: index, item_id: id }: JsonObject): ItemSigns {
  return { index: readNumber(index), ids: idsOf(id) }
}

/** The signs of an item, in an event or in the final list. */
export function signsOfItem({ id, call_id: callId }: JsonObject, index: unknown): ItemSigns {
  return { index: readNumber(index), ids: [...idsOf(callId), ...idsOf(id)] }
}

function idsOf(id: unknown): string[] {
  const text = readText(id)
  return text === undefined ? [] : [text]
}

/**
 * The items that a stream has opened. Ids count before the index, because some servers give all items one index; others
 * change the ids from event to event, and there the index counts: https://github.com/vercel/ai/pull/18548.
 */
export class OpenItems {
  readonly #open = new Set<OutputItem>()
  readonly #ended = new Set<OutputItem>()
  /** Of each kind the last that was opened by a piece of it, without an event of its own. */
  readonly #implied = new Map<ItemKind, OutputItem>()
  readonly #byIndex = new Map<number, OutputItem>()
  readonly #byId = new Map<string, OutputItem>()
  readonly #last = new Map<ItemKind, OutputItem>()

  /** Those that have not ended, in the order they came. */
  get open(): readonly OutputItem[] {
    return [...this.#open]
  }

  get ended(): readonly OutputItem[] {
    return [...this.#ended]
  }

  add(item: OutputItem, signs: ItemSigns): void {
    this.#open.add(item)
    this.#last.set(item.kind, item)
    if (signs.index !== undefined) this.#byIndex.set(signs.index, item)
    this.#name(item, signs)
  }

  addImplied(item: OutputItem, signs: ItemSigns): void {
    this.add(item, signs)
    this.#implied.set(item.kind, item)
  }

  /**
   * The item that an event is about. Without an index and a known id, the last of its kind that is open. An unknown id at the
   * index of an item that has ended is another item.
   */
  find(kind: ItemKind, signs: ItemSigns): OutputItem | undefined {
    const named = this.findNamed(kind, signs)
    if (named) return named
    const { index, ids } = signs
    const item = index === undefined ? this.#last.get(kind) : this.findPlaced(kind, signs)
    const mayHaveEnded = index !== undefined && ids.length === 0
    return item && (mayHaveEnded || this.#open.has(item)) ? item : undefined
  }

  findNamed(kind: ItemKind, { ids }: ItemSigns): OutputItem | undefined {
    for (const id of ids) {
      const item = this.#byId.get(id)
      if (item?.kind === kind) return item
    }
    return undefined
  }

  findPlaced(kind: ItemKind, { index }: ItemSigns): OutputItem | undefined {
    const item = index === undefined ? undefined : this.#byIndex.get(index)
    return item?.kind === kind ? item : undefined
  }

  /**
   * The item that begins with an event of its own, if pieces of it have come already. An item that has begun so before
   * cannot begin again, unless the event names it.
   */
  findBeginning(kind: ItemKind, signs: ItemSigns): OutputItem | undefined {
    const item = this.find(kind, signs)
    if (!item) return undefined
    const isSame = this.#implied.get(kind) === item || this.findNamed(kind, signs) === item
    if (!isSame) return undefined
    this.#implied.delete(kind)
    this.#name(item, signs)
    return item
  }

  /**
   * The item that ends with an event of its own. Where nothing of it has come by its own signs, pieces without an item are
   * taken for its pieces.
   */
  findEnding(kind: ItemKind, signs: ItemSigns): OutputItem | undefined {
    const item = this.find(kind, signs)
    return item?.hasContent ? item : (this.#implied.get(kind) ?? item)
  }

  isEnded(item: OutputItem): boolean {
    return this.#ended.has(item)
  }

  end(item: OutputItem, signs?: ItemSigns): void {
    this.#open.delete(item)
    this.#ended.add(item)
    if (this.#implied.get(item.kind) === item) this.#implied.delete(item.kind)
    if (signs) this.#name(item, signs)
  }

  #name(item: OutputItem, { ids }: ItemSigns): void {
    for (const id of ids) this.#byId.set(id, item)
  }
}
