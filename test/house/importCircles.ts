import { type Import, importsOf } from './imports.ts'
import type { SourceFile } from './sourceFiles.ts'

/** Files that import each other, each by way of the others. */
interface Circle {
  readonly files: readonly string[]
  /** Each import between them: `a.ts → b.ts (Name)`. */
  readonly arrows: readonly string[]
}

/** A sentence for each circle, with its imports. */
export function circleComplaints(files: readonly SourceFile[]): string[] {
  return circlesOf(files).map(({ files: members, arrows }) =>
    [
      `${members.length} files import each other in a circle:`,
      ...arrows.map((arrow) => `  ${arrow}`),
      '  Move what they share into a file that imports none of them.',
    ].join('\n'),
  )
}

/** All circles of files, by Tarjan's algorithm: files of a circle are those that reach each other. */
function circlesOf(files: readonly SourceFile[]): Circle[] {
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
