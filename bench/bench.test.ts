import { expect, test } from 'bun:test'
import { runBench } from './bench.ts'

const WITHIN_MS = 120_000

test(
  'the brief benchmark runs, and every call is answered, forwarded and booked once',
  async () => {
    const result = await runBench(
      { quick: true, alone: false, profile: false, only: undefined },
      () => undefined,
    )
    expect(result.discrepancies).toEqual([])
    for (const targets of result.scenarios.values()) {
      for (const { calls } of targets.values()) expect(calls).toBeGreaterThan(0)
    }
  },
  WITHIN_MS,
)
