import type { Recorded } from './recordedCall.ts'
import type { Findings } from './replay.ts'

/** Of a kind, where not every file is asked for. */
const FILES_SHOWN = 3

/** What was seen, for a reader. @param allFiles whether every file of a kind is named */
export function reportOf(
  { calls, others, malformed }: Recorded,
  findings: Findings,
  allFiles: boolean,
): string {
  const shown = allFiles ? Number.POSITIVE_INFINITY : FILES_SHOWN
  const formats = Map.groupBy(calls, ({ format }) => format)
  return [
    `${calls.length} calls: ${[...formats].map(([format, all]) => `${all.length} ${format}`).join(', ') || 'none'}`,
    ...[...others].map(([path, count]) => `${count} not spoken: ${path}`),
    ...malformed.map((line) => `malformed: ${line}`),
    '',
    `${findings.answers} answers; ${findings.same} say what was recorded`,
    ...linesOf(findings.answerKinds, shown),
    '',
    findings.requestKinds.size === 0
      ? 'Requests: the provider got what was recorded'
      : 'Requests, as the provider got them:',
    ...linesOf(findings.requestKinds, shown),
  ].join('\n')
}

/** The most frequent first. */
function linesOf(kinds: ReadonlyMap<string, ReadonlySet<string>>, shown: number): string[] {
  const inOrder = [...kinds].toSorted(([a, one], [b, other]) => other.size - one.size || a.localeCompare(b))
  return inOrder.flatMap(([kind, files]) => {
    const names = [...files].toSorted().slice(0, shown)
    const rest = files.size - names.length
    return [
      `${String(files.size).padStart(5)}  ${kind}`,
      ...names.map((name) => `         ${name}`),
      ...(rest > 0 ? [`         and ${rest} more`] : []),
    ]
  })
}
