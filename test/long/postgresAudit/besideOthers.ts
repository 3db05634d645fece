import { test } from 'bun:test'
import { TEST_LIMIT_MS } from '../../support/scale.ts'

/** They mostly wait for leases to end and for lines to come back. */
const AT_ONCE = 3

const state = { running: 0, waiting: [] as (() => void)[] }

/** A test that runs beside others of its file, a few at once. */
export function testBesideOthers(name: string, proof: () => Promise<void>): void {
  test.concurrent(
    name,
    async () => {
      while (state.running >= AT_ONCE) await new Promise<void>((resolve) => state.waiting.push(resolve))
      state.running++
      try {
        await proof()
      } finally {
        state.running--
        const wakes = state.waiting
        state.waiting = []
        for (const wake of wakes) wake()
      }
    },
    TEST_LIMIT_MS,
  )
}
