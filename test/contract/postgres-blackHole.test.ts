import { expect, test } from 'bun:test'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { SETTLEMENT_PATIENCE_MS } from '../../src/pipeline/settle/settle.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { badLineTo } from '../support/postgres-proxy.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createCustomer, openCall, settlementOf } from './customer.ts'

const HOLE_MS = 8_000
const CALLS = 20
const RETRY_MS = 100

test.skipIf(mustSkip('a line that swallows'))(
  'a line that swallows everything for eight seconds, and every connection of before for good, costs no ready answer: each settlement is there before its caller is sent away',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    let opened = 0
    let dead = 0
    let isHole = false
    await using line = await badLineTo(url, ({ connection }) => {
      opened = Math.max(opened, connection)
      return isHole || connection <= dead ? 'swallow' : false
    })
    const store = await openPostgresStore({ url: line.url })
    const customer = await createCustomer(store, 1_000n)
    const ids = await Promise.all(Array.from({ length: CALLS }, () => openCall(store, customer, 10n)))
    // So that every connection there is has been used, and dies.
    await Promise.all(Array.from({ length: CALLS }, () => store.directory.workspace(customer.workspaceId)))
    dead = opened
    isHole = true
    const startedAt = performance.now()
    setTimeout(() => (isHole = false), HOLE_MS)

    const took = await Promise.all(
      ids.map(async (id) => {
        for (;;) {
          try {
            const { charge } = await store.till.settle(settlementOf(customer, id, 7n))
            expect(charge as bigint).toBe(7n)
            return performance.now() - startedAt
          } catch (error) {
            expect(error).toBeInstanceOf(StoreUnavailable)
            await Bun.sleep(RETRY_MS)
          }
        }
      }),
    )
    expect(Math.max(...took)).toBeLessThan(SETTLEMENT_PATIENCE_MS)
    // What else the process does goes on at once, too: nobody meets one of the dead connections again.
    const readAt = performance.now()
    await Promise.all(Array.from({ length: CALLS }, () => store.directory.workspace(customer.workspaceId)))
    await openCall(store, customer, 10n)
    expect(performance.now() - readAt).toBeLessThan(HOLE_MS / 2)
    await store.close()
  },
  TEST_LIMIT_MS,
)
