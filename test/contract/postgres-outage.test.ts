import { expect, test } from 'bun:test'
import { nano } from '../../src/core/money.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import {
  admissionOf,
  createCustomer,
  LEASE_MS,
  moneyOf,
  proveLedgers,
  settlementOf,
  type Customer,
} from './customer.ts'
import { mustSkipPrivate, startPostgres } from '../support/postgres.ts'
import { rejectionOf } from '../support/rejection.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'

const CALLERS = 40
const CALLS_BEFORE = 400
const CALLS_AFTER = 400
const COST = 7n
const HOLD = 1_000n
const BALANCE = 1_000_000_000n
const RETRY_MS = 20

const skipped = mustSkipPrivate('a Postgres that goes away')

for (const how of ['kill', 'stop'] as const) {
  test.skipIf(skipped)(
    `a Postgres that goes away (${how}) in the middle of load loses no charge, doubles none, and serves again when it is back`,
    async () => {
      const postgres = await startPostgres()
      const store = await openPostgresStore({ url: await postgres.createDatabase() })
      const customer = await createCustomer(store, BALANCE)
      const load = startLoad(store, customer)

      await load.reach(CALLS_BEFORE)
      await postgres.server?.end(how)
      await load.failed
      expect(await rejectionOf(store.ping())).toBeInstanceOf(StoreUnavailable)
      const read = store.directory.workspace(customer.workspaceId)
      expect(await rejectionOf(read)).toBeInstanceOf(StoreUnavailable)
      await postgres.server?.start()
      await load.reach(load.settled() + CALLS_AFTER)
      await load.stop()

      expect(load.strangeErrors).toEqual([])
      // Admissions whose answer was lost may have left a hold: its lease ends.
      await store.till.sweep(Date.now() + 2 * LEASE_MS)
      expect(await proveLedgers(store)).toBe(1)
      expect(await moneyOf(store, customer)).toEqual({
        balance: nano(BALANCE - BigInt(load.settled()) * COST),
        held: nano(0n),
      })
      await store.close()
      await postgres.stop()
    },
    TEST_LIMIT_MS,
  )
}

/** Callers that admit and settle one call after the other, and repeat a settlement until it is done. */
function startLoad(store: Store, customer: Customer) {
  let settled = 0
  const state = { running: true }
  const strangeErrors: unknown[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  let reportFailure: () => void
  const failed = new Promise<void>((resolve) => (reportFailure = resolve))

  async function untilAvailable<Answer>(step: () => Promise<Answer>): Promise<Answer | undefined> {
    for (;;) {
      try {
        return await step()
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) {
          strangeErrors.push(error)
          return undefined
        }
        reportFailure()
        await Bun.sleep(RETRY_MS)
      }
    }
  }

  async function caller(): Promise<void> {
    while (state.running) {
      // A new call each time: an admission is never repeated.
      let admission = admissionOf(customer, HOLD, { at: Date.now() })
      await untilAvailable(() => {
        admission = admissionOf(customer, HOLD, { at: Date.now() })
        return store.till.admit(admission)
      })
      await untilAvailable(() => store.till.settle(settlementOf(customer, admission.id, COST)))
      settled++
      for (const { count, resolve } of waiting) if (settled >= count) resolve()
    }
  }

  const callers = Array.from({ length: CALLERS }, caller)
  return {
    failed,
    strangeErrors,
    settled: () => settled,
    reach: (count: number) => new Promise<void>((resolve) => waiting.push({ count, resolve })),
    async stop() {
      state.running = false
      await Promise.all(callers)
    },
  }
}
