import type { ItemSigns, OpenItems } from './openItems.ts'
import type { ItemKind, OutputItem } from './outputItem.ts'

/** An item of the final list. */
interface ListedItem {
  /** Undefined: it has no place in the canonical language. */
  readonly kind: ItemKind | undefined
  readonly signs: ItemSigns
}

/**
 * Which streamed item each place of the final list is: by its ids, else by its place, else the next of its kind that is
 * left. So nothing is said twice where a server's final list has other ids and places than its events.
 */
export function matchItems(items: OpenItems, list: readonly ListedItem[]): ReadonlyMap<number, OutputItem> {
  const left = new Set<OutputItem>([...items.ended, ...items.open])
  const matched = new Map<number, OutputItem>()

  function match(find: (kind: ItemKind, signs: ItemSigns) => OutputItem | undefined): void {
    for (const [index, { kind, signs }] of list.entries()) {
      if (kind === undefined || matched.has(index)) continue
      const item = find(kind, signs)
      if (item && left.delete(item)) matched.set(index, item)
    }
  }

  match((kind, signs) => items.findNamed(kind, signs))
  match((kind, signs) => items.findPlaced(kind, signs))
  const rest = new Map(
    Array.from(
      Map.groupBy(left, ({ kind }) => kind),
      ([kind, all]) => [kind, all.values()],
    ),
  )
  match((kind) => rest.get(kind)?.next().value)
  return matched
}
