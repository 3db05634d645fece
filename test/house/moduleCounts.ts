import { type Tally, ratchet, tally } from './ratchet.ts'

/** A fault in a comment. */
export interface Place {
  readonly path: string
  readonly line: number
  readonly fault: string
}

/** What a rule says about the faults that it counts by module. */
export interface Counted {
  /** `phrases that are read twice` */
  readonly faults: string
  /** What to do about one. */
  readonly advice: string
  /** The name of the table of known counts. */
  readonly table: string
  /** When a file was last changed: the faults of the newest files come first. */
  readonly changedAt?: (path: string) => number
}

/** A sentence for each module whose comments have more faults than it is known for, and for each that has fewer. */
export function countComplaints(
  known: Tally,
  places: readonly Place[],
  { faults, advice, table, changedAt = () => 0 }: Counted,
): string[] {
  const { more, fewer } = ratchet(known, tally(places.map(({ path }) => moduleOf(path))))
  return [
    ...more.map(({ thing, known, found }) =>
      [
        `The comments of ${thing} have ${found} ${faults}, ${found - known} more than before. ${advice}`,
        ...places
          .filter(({ path }) => moduleOf(path) === thing)
          .toSorted((a, b) => changedAt(b.path) - changedAt(a.path))
          .map(({ path, line, fault }) => `  ${path}:${line}: ${fault}`),
      ].join('\n'),
    ),
    ...fewer.map(({ thing, found }) =>
      found === 0
        ? `The comments of ${thing} have become better: remove '${thing}' from ${table}.`
        : `The comments of ${thing} have become better: lower its number in ${table} to ${found}.`,
    ),
  ]
}

/** `src/core/answer/event.ts` → `src/core`; `scripts/test.ts` → `scripts`. */
function moduleOf(path: string): string {
  const [folder = '', module = ''] = path.split('/')
  return folder === 'bench' || folder === 'scripts' ? folder : `${folder}/${module}`
}
