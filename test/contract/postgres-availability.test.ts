import { expect, test } from 'bun:test'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import type { Outage } from '../../src/core/ports/store.ts'
import { mustSkipPrivate, startPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { admissionOf, createCustomer, openCall, settlementOf } from './customer.ts'

const CALLERS = 5

test.skipIf(mustSkipPrivate('a Postgres that goes away'))(
  'that the database goes away is told once, and once that it is back, with how long that was and how many were refused',
  async () => {
    const postgres = await startPostgres()
    const told: [away: boolean, outage: Outage | undefined][] = []
    const back = Promise.withResolvers<void>()
    const counted = { refused: 0, groups: 0, roundTrips: 0 }
    let inUse = (): number => -1
    const store = await openPostgresStore({
      url: await postgres.createDatabase(),
      onHealth(fault, outage) {
        told.push([fault !== undefined, outage])
        if (!fault) back.resolve()
      },
      meter: {
        group: (step, calls) => (counted.groups += step === 'admit' ? calls : 0),
        roundTrip: () => counted.roundTrips++,
        refused: (count) => (counted.refused += count),
        settledAgain: () => undefined,
        connections: (ask) => (inUse = ask),
      },
    })
    const customer = await createCustomer(store, 1_000n)
    const id = await openCall(store, customer, 10n)
    expect(counted.groups).toBe(1)
    expect(counted.roundTrips).toBeGreaterThan(0)
    expect(inUse()).toBeWithin(1, 10)

    // What was proved a moment ago says nothing of now.
    await store.ping()
    const startedAt = performance.now()
    await postgres.server?.end('kill')
    let refused = 0
    for (let i = 0; i < CALLERS; i++) {
      const call = store.till.admit(admissionOf(customer, 1n))
      await call.catch(() => refused++)
    }
    await store.directory.workspace(customer.workspaceId).catch(() => refused++)
    expect(refused).toBe(CALLERS + 1)
    await postgres.server?.start()
    await back.promise
    expect(told).toEqual([
      [true, undefined],
      [false, { ms: expect.any(Number), refused }],
    ])
    expect(told[1]?.[1]?.ms).toBeWithin(1, performance.now() - startedAt)
    expect(counted.refused).toBe(refused)
    await store.till.settle(settlementOf(customer, id, 7n))
    await store.close()
    await postgres.stop()
  },
  TEST_LIMIT_MS,
)
