import { type Import, importsOf } from './imports.ts'
import { ratchet, tally } from './ratchet.ts'
import type { SourceFile } from './sourceFiles.ts'

/** The circles that `src` still has, each by its files. The list may only become shorter. */
export const KNOWN_CIRCLES: readonly (readonly string[])[] = [
  [
    'src/pipeline/callScope.ts',
    'src/pipeline/extend.ts',
    'src/pipeline/hiddenReasoning.ts',
    'src/pipeline/outcome.ts',
    'src/pipeline/overrun.ts',
    'src/pipeline/settle.ts',
    'src/pipeline/unseenLearner.ts',
    'src/pipeline/usageOf.ts',
  ],
]

/** Files that import each other, each by way of the others. */
export interface Circle {
  readonly files: readonly string[]
  /** Each import between them: `a.ts → b.ts (Name)`. */
  readonly arrows: readonly string[]
}

/** A sentence for each circle that is not known, and for each known one that is gone or has become smaller. */
export function circleComplaints(known: typeof KNOWN_CIRCLES, files: readonly SourceFile[]): string[] {
  const circles = new Map(circlesOf(files).map((circle) => [keyOf(circle.files), circle]))
  const { more, fewer } = ratchet(tally(known.map(keyOf)), tally([...circles.keys()]))
  const gone = fewer.map(({ thing }) => filesOf(thing))
  const found = more.flatMap(({ thing }) => circles.get(thing) ?? [])
  const smaller = (circle: Circle): boolean =>
    gone.some((before) => circle.files.every((file) => before.includes(file)))
  return [
    ...found.map((circle) =>
      smaller(circle)
        ? `A circle has become smaller. Write into KNOWN_CIRCLES only: ${circle.files.join(', ')}`
        : [
            `${circle.files.length} files import each other in a circle:`,
            ...circle.arrows.map((arrow) => `  ${arrow}`),
            '  Move what they share into a file that imports none of them.',
          ].join('\n'),
    ),
    ...gone
      .filter((before) => !found.some(({ files }) => files.some((file) => before.includes(file))))
      .map((before) => `A circle is gone. Remove it from KNOWN_CIRCLES: ${before.join(', ')}`),
  ]
}

/** All circles of files, by Tarjan's algorithm: files of a circle are those that reach each other. */
export function circlesOf(files: readonly SourceFile[]): Circle[] {
  const imports = new Map(
    files.map((file) => [file.path, importsOf(file).filter(({ thread }) => !thread)] as const),
  )
  const circles: Circle[] = []
  const order = new Map<string, number>()
  const open: string[] = []
  // Gives the earliest open file that this one reaches.
  const visit = (path: string): number => {
    const own = order.size
    order.set(path, own)
    open.push(path)
    let earliest = own
    for (const { from } of imports.get(path) ?? []) {
      if (!imports.has(from)) continue
      const seen = order.get(from)
      if (seen === undefined) earliest = Math.min(earliest, visit(from))
      else if (open.includes(from)) earliest = Math.min(earliest, seen)
    }
    if (earliest === own) {
      const members = open.splice(open.indexOf(path)).toSorted()
      const arrows = arrowsOf(members, imports)
      if (arrows.length > 0) circles.push({ files: members, arrows })
    }
    return earliest
  }
  for (const { path } of files) if (!order.has(path)) visit(path)
  return circles
}

function arrowsOf(members: readonly string[], imports: ReadonlyMap<string, readonly Import[]>): string[] {
  return members.flatMap((path) =>
    (imports.get(path) ?? [])
      .filter(({ from }) => members.includes(from))
      .map(({ from, names }) => {
        const what = names?.map(({ exported }) => exported).join(', ') ?? 'everything'
        return `${path} → ${from} (${what})`
      }),
  )
}

function keyOf(files: readonly string[]): string {
  return files.toSorted().join('\n')
}

function filesOf(key: string): string[] {
  return key.split('\n')
}
