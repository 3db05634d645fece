import { cpus, loadavg, release } from 'node:os'
import type { BenchResult } from './bench.ts'
import { quantile } from './load/tally.ts'
import type { Measured } from './scenarios/measure.ts'
import type { Target } from './targets/target.ts'

const COLUMNS = ['direct', 'nginx', 'before', 'tollgate'] as const satisfies readonly Target['name'][]

/** One line of the table: a figure of one scenario for every target. */
interface Row {
  readonly scenario: string
  readonly label: string
  readonly value: (measured: Measured) => number | undefined
  /** How the last column compares the gateway: with nginx as a ratio, with another version or the direct call as a difference. */
  readonly compare: 'ratio' | 'added' | 'none'
}

const ROWS: readonly Row[] = [
  row('saturated', '1 KB request, 32 callers: CPU µs', (it) => it.cpuPerCall, 'ratio'),
  row('saturated', '  of the least disturbed round', (it) => it.leastCpuPerCall, 'ratio'),
  row('saturated', '  requests per second', (it) => it.callsPerSecond, 'none'),
  row('saturated', '  peak RSS MB', (it) => it.peakMb, 'none'),
  row('long', 'asked whole, 1,000 tokens, limit 4,000: CPU µs', (it) => it.cpuPerCall, 'ratio'),
  row('long', '  of the least disturbed round', (it) => it.leastCpuPerCall, 'ratio'),
  row('steady', '1 KB request, 200 per second: CPU µs', (it) => it.cpuPerCall, 'ratio'),
  row('steady', '  p50 ms', (it) => quantile(it.tally.latencies, 0.5), 'added'),
  row('steady', '  p99 ms', (it) => quantile(it.tally.latencies, 0.99), 'added'),
  row('steady', '  lateness of the generator p99 ms', (it) => quantile(it.tally.lateness, 0.99), 'none'),
  row('spaced', '64 streams, a chunk each 10 ms: CPU µs per chunk', (it) => it.cpuPerEvent, 'ratio'),
  row('spaced', '  of the least disturbed round', (it) => it.leastCpuPerEvent, 'ratio'),
  row('spaced', '  first event p50 ms', (it) => quantile(it.tally.firstEvents, 0.5), 'added'),
  row('spaced', '  gap between chunks p99 ms', (it) => quantile(it.tally.gaps, 0.99), 'added'),
  row('burst', '64 streams of 100 chunks at once: CPU µs per stream', (it) => it.cpuPerCall, 'ratio'),
  row('burst', '  of the least disturbed round', (it) => it.leastCpuPerCall, 'ratio'),
  ...(['Messages', 'Responses'] as const).flatMap((format) =>
    ['native', 'translated'].flatMap((lane) => {
      const load = `${format.toLowerCase()}-${lane}`
      const named = `${format}, ${lane}`
      return [
        row(load, `${named}: 1 KB request, 32 callers: CPU µs`, (it) => it.cpuPerCall, 'ratio'),
        row(load, '  of the least disturbed round', (it) => it.leastCpuPerCall, 'ratio'),
        row(`${load}-burst`, `${named}: streams of 100 chunks: CPU µs`, (it) => it.cpuPerCall, 'ratio'),
        row(`${load}-burst`, '  of the least disturbed round', (it) => it.leastCpuPerCall, 'ratio'),
      ]
    }),
  ),
  row('slow', '1,000 streams, a chunk each 250 ms: CPU µs per chunk', (it) => it.cpuPerEvent, 'ratio'),
  row('slow', '  gap between chunks p99 ms', (it) => quantile(it.tally.gaps, 0.99), 'added'),
  row('slow', '  RSS before MB', (it) => it.restingMb, 'none'),
  row('slow', '  peak RSS MB', (it) => it.peakMb, 'none'),
  row('responses-slow', 'Responses, translated: the same: RSS before MB', (it) => it.restingMb, 'none'),
  row('responses-slow', '  peak RSS MB', (it) => it.peakMb, 'none'),
]

/** What a run has shown, as a table for people. */
export function report(result: BenchResult): string {
  const isBeside = [...result.scenarios.values()].some((targets) => targets.has('before'))
  const columns = COLUMNS.filter((name) => name !== 'before' || isBeside)
  const lines = [conditions(), '', cells(['', ...columns, 'compared'])]
  for (const row of ROWS) {
    const targets = result.scenarios.get(row.scenario)
    if (!targets) continue
    const values = new Map([...targets].map(([name, measured]) => [name, row.value(measured)] as const))
    lines.push(cells([row.label, ...columns.map((name) => format(values.get(name))), compared(row, values)]))
  }
  lines.push(
    cells([
      'RSS MB of the gateway, idle / after everything',
      ...columns.slice(1).map(() => ''),
      `${format(result.idleMb)} / ${format(result.afterMb)}`,
      '',
    ]),
  )
  if (isBeside) lines.push('', ...roundsOf(result))
  lines.push('', ...verdict(result), ...result.profile)
  return lines.join('\n')
}

function row(scenario: string, label: string, value: Row['value'], compare: Row['compare']): Row {
  return { scenario, label, value, compare }
}

function compared({ compare }: Row, values: ReadonlyMap<Target['name'], number | undefined>): string {
  const [direct, nginx, before, own] = COLUMNS.map((name) => values.get(name))
  if (own === undefined || compare === 'none') return ''
  if (compare === 'added') return difference(own, direct)
  if (before !== undefined) return difference(own, before)
  return nginx === undefined ? '' : `${(own / nginx).toFixed(1)} x nginx`
}

function difference(own: number, other: number | undefined): string {
  return other === undefined ? '' : `${own < other ? '' : '+'}${(own - other).toFixed(2)}`
}

/** The CPU of each call, round by round: how far they are apart says how much a difference means. */
function roundsOf({ scenarios }: BenchResult): string[] {
  const lines = ['CPU µs of a call, round by round:']
  for (const [scenario, targets] of scenarios) {
    for (const name of ['before', 'tollgate'] as const) {
      const rounds = targets.get(name)?.cpuPerCallOfRounds ?? []
      lines.push(
        `${`${scenario}, ${name}`.padEnd(42)}${rounds.map((cpu) => cpu.toFixed(0).padStart(6)).join('')}`,
      )
    }
  }
  return lines
}

function format(value: number | undefined): string {
  if (value === undefined) return ''
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
}

function cells([label = '', ...values]: readonly string[]): string {
  return label.padEnd(56) + values.map((value) => value.padStart(14)).join('')
}

function conditions(): string {
  const [processor] = cpus()
  const load = loadavg()[0] ?? 0
  return (
    `Bun ${Bun.version}, Linux ${release()}, ${cpus().length} cores (${processor?.model.trim() ?? 'unknown'}), ` +
    `load ${load.toFixed(1)}. CPU is that of the process in the column; "direct" is the mock provider itself.`
  )
}

function verdict({ scenarios, discrepancies }: BenchResult): string[] {
  if (discrepancies.length > 0) return discrepancies.map((words) => `NOT RIGHT: ${words}`)
  let calls = 0
  for (const targets of scenarios.values()) for (const measured of targets.values()) calls += measured.calls
  return [`All ${calls} calls were answered whole, forwarded once and, through the gateway, booked once.`]
}
