/**
 * Which known entry each place of a final list is: the one at the same place, else one of those that are left, in order.
 * A place without an entry is new. So nothing comes twice where a stream and its final list number differently.
 */
export function matchPlaces<Entry>(
  known: ReadonlyMap<number, Entry>,
  places: readonly number[],
): ReadonlyMap<number, Entry> {
  const left = new Map(known)
  const matched = new Map<number, Entry>()
  for (const place of places) {
    const entry = left.get(place)
    if (entry !== undefined) matched.set(place, entry)
    left.delete(place)
  }
  const rest = left.values()
  for (const place of places) {
    if (matched.has(place)) continue
    const next = rest.next()
    if (next.done) break
    matched.set(place, next.value)
  }
  return matched
}
