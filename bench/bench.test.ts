import { expect, test } from 'bun:test'
import { runBench } from './bench.ts'
import { OWN_PROGRAM, readOptions } from './options.ts'

const WITHIN_MS = 120_000

test.each([
  { run: 'the brief benchmark', words: [] },
  { run: 'a benchmark of two programs', words: ['--alone', '--only', 'saturated', '--before', OWN_PROGRAM] },
])(
  '$run runs, and every call is answered, forwarded and booked once',
  async ({ words }) => {
    const result = await runBench(readOptions(['--quick', ...words]), () => undefined)
    expect(result.discrepancies).toEqual([])
    for (const targets of result.scenarios.values()) {
      for (const { calls } of targets.values()) expect(calls).toBeGreaterThan(0)
    }
  },
  WITHIN_MS,
)
