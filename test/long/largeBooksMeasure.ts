import { expect } from 'bun:test'
import type { Store } from '../../src/core/ports/store.ts'
import { LEASE_MS, admissionOf, settlementOf, type Customer } from '../contract/customer.ts'
import { watchEventLoop, type Stalls } from '../support/eventLoopWatch.ts'
import { COMMON_MODEL, type LargeBooks } from './largeBooks.ts'
import type { Operation } from './largeBooksOperations.ts'

const CALLERS = 4
const CALLER_PAUSE_MS = 2

/** Calls that go on beside the operation, and how long their admissions took. */
function startCallers(store: Store, { workspaces }: LargeBooks) {
  const waits: number[] = []
  const first = Promise.withResolvers<void>()
  const ended = new AbortController()
  let calls = 0

  async function call(customer: Customer): Promise<void> {
    const at = Date.now()
    const admission = admissionOf(customer, 1_000n, { at, expiresAt: at + 10 * LEASE_MS })
    const askedAt = performance.now()
    const { kind } = await store.till.admit(admission)
    waits.push(performance.now() - askedAt)
    first.resolve()
    expect(kind).toBe('admitted')
    await store.till.settle(settlementOf(customer, admission.id, 10n, { startedAt: at, model: COMMON_MODEL }))
  }

  async function callOn(): Promise<void> {
    while (!ended.signal.aborted) {
      const customer = workspaces[calls++ % workspaces.length]
      if (customer) await call(customer)
      await Bun.sleep(CALLER_PAUSE_MS)
    }
  }

  const callers = Array.from({ length: CALLERS }, callOn)
  return {
    underWay: first.promise,
    async stop(): Promise<readonly number[]> {
      ended.abort()
      await Promise.all(callers)
      return waits
    },
  }
}

export interface Measured {
  readonly name: string
  readonly stalls: Stalls
  readonly totalMs: number
  /** How long each admission beside it took. */
  readonly admissionsMs: readonly number[]
}

export async function measure(store: Store, books: LargeBooks, { name, run }: Operation): Promise<Measured> {
  const callers = startCallers(store, books)
  await callers.underWay
  const watch = watchEventLoop()
  const startedAt = performance.now()
  await run(store, books)
  const totalMs = performance.now() - startedAt
  const stalls = watch.stop()
  return { name, stalls, totalMs, admissionsMs: await callers.stop() }
}

/** The value that only one in a hundred exceeds. */
export function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0
}
