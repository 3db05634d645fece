/** How often each thing occurs. */
export type Tally = Readonly<Record<string, number>>

export interface Difference {
  readonly thing: string
  readonly known: number
  readonly found: number
}

/** A list as a tally. */
export function tally(things: readonly string[]): Tally {
  const counts: Record<string, number> = {}
  for (const thing of things) counts[thing] = (counts[thing] ?? 0) + 1
  return counts
}

/**
 * What differs between the faults that the rule knows and those that the source has. Both directions fail a rule:
 * a new fault because it is one, a fault that is gone because the rule would let it come back.
 */
export function ratchet(
  known: Tally,
  found: Tally,
): { readonly more: Difference[]; readonly fewer: Difference[] } {
  const things = new Set([...Object.keys(known), ...Object.keys(found)])
  const differences = [...things]
    .toSorted()
    .map((thing) => ({ thing, known: known[thing] ?? 0, found: found[thing] ?? 0 }))
  return {
    more: differences.filter((each) => each.found > each.known),
    fewer: differences.filter((each) => each.found < each.known),
  }
}
