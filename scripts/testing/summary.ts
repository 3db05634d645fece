import { inWords } from './limits.ts'
import type { TestReport, TestResult } from './testProcess.ts'

/** What a run came to, with what became of its failures when they were run once more. */
export interface Outcome {
  readonly report: TestReport
  /** Failed, and failed again alone, or were not run again. */
  readonly failed: readonly TestResult[]
  /** Failed, and passed alone. */
  readonly flaky: readonly TestResult[]
  /** Files that take more than their budget, though not so much more that the run fails. */
  readonly grown: readonly string[]
  /** What is wrong with the run beyond its tests: what hangs, or why it did not run to its end. */
  readonly problems: readonly string[]
  readonly tookMs: number
}

const SLOWEST_FILES = 10

/** The closing lines of a run. Machines read the last one. */
export function summarise({ report, failed, flaky, grown, problems, tookMs }: Outcome): string[] {
  const skipped = report.results.filter(({ status }) => status === 'skip')
  const passed = report.results.filter(({ status }) => status === 'pass').length + flaky.length
  const slowest = [...report.fileTimes].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST_FILES)
  return [
    ...section(
      'Slowest files',
      report.fileTimes.size > 1 ? slowest.map(([file, ms]) => `${inWords(ms).padStart(8)}  ${file}`) : [],
    ),
    ...section('Skipped', skippedFiles(skipped, report.skipReasons)),
    ...section('Flaky (failed, and passed when run once more, alone)', flaky.map(nameOf)),
    ...section('Failed', failed.map(nameOf)),
    ...section('Grown, which fails nothing yet', grown),
    ...section('Not run to its end', problems),
    '',
    `Tests took ${Math.round(tookMs / 1000)} s`,
    `${passed} passed, ${failed.length + problems.length} failed, ${skipped.length} skipped`,
  ]
}

export function nameOf({ file, name }: TestResult): string {
  return `${file}: ${name}`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)]
}

/** A line for each file that skipped tests: how many, and why. */
function skippedFiles(
  skipped: readonly TestResult[],
  reasons: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const counts = new Map<string, number>()
  for (const { file } of skipped) counts.set(file, (counts.get(file) ?? 0) + 1)
  return Array.from(
    counts,
    ([file, count]) =>
      `${count} in ${file}: ${[...(reasons.get(file) ?? ['for a reason that several files share'])].join('; ')}`,
  )
}
