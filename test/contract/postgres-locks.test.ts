import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { RequestId } from '../../src/core/id.ts'
import { nano } from '../../src/core/money.ts'
import type { Claim } from '../../src/core/ports/answers.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import {
  type Customer,
  admissionOf,
  createCustomer,
  ids,
  LEASE_MS,
  NOON,
  openCall,
  settlementOf,
} from './customer.ts'

const BALANCE = 1_000_000n
const HOLD = 100n

/**
 * Two processes that lock the same workspaces in different orders wait for each other. Here each step gets
 * its calls in the order opposite to the ids, and the rows lie in the table in that order too: a statement
 * that locks them as it finds them locks the last id first.
 */
describe.skipIf(mustSkip('the order of locks on Postgres'))('Postgres', () => {
  let store: Store
  let pool: SQL
  let first: Customer
  let last: Customer

  beforeAll(async () => {
    const url = await (await sharedPostgres()).createDatabase()
    pool = new SQL(url, { max: 3 })
    // An index would return the rows in the order of the ids by itself, for as long as the planner likes it.
    for (const plan of ['enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan'])
      await pool.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${plan} = off`)
    store = await openPostgresStore({ url })
    await pool.unsafe('CREATE INDEX opposite ON workspaces (id DESC)')
    const customers = [await createCustomer(store, BALANCE), await createCustomer(store, BALANCE)]
    customers.sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1))
    ;[first, last] = customers as [Customer, Customer]
  }, TEST_LIMIT_MS)
  afterAll(async () => {
    await store.close()
    await pool.close({ timeout: 0 })
  }, TEST_LIMIT_MS)

  /** Opens one call of each workspace. */
  async function openBoth(expiresAt = NOON + LEASE_MS): Promise<readonly [RequestId, RequestId]> {
    return [
      await openCall(store, last, HOLD, { expiresAt }),
      await openCall(store, first, HOLD, { expiresAt }),
    ]
  }

  /**
   * Runs a step that begins while somebody else has the row of the first workspace, and proves that it
   * waits for that row with the row of the last workspace still free. Returns what the step comes to.
   */
  async function provedInOrder<Result>(step: () => Promise<Result>): Promise<Result> {
    await pool.unsafe('CLUSTER workspaces USING opposite')
    const holder = await pool.reserve()
    await holder.unsafe('BEGIN')
    await holder.unsafe('SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE', [first.workspaceId])
    const [{ pid }] = await holder.unsafe<[{ pid: number }]>('SELECT pg_backend_pid() AS pid')
    const state = { over: false }
    const stepped = step().finally(() => (state.over = true))
    let waits = false
    while (!waits && !state.over) waits = await someoneWaitsFor(pid)
    const lastIsFree = await isFree(last)
    await holder.unsafe('ROLLBACK')
    await holder.release()
    const result = await stepped
    expect({ waits, lastIsFree }).toEqual({ waits: true, lastIsFree: true })
    return result
  }

  async function someoneWaitsFor(pid: number): Promise<boolean> {
    const waiting = await pool.unsafe<unknown[]>(
      'SELECT 1 FROM pg_locks WHERE NOT granted AND $1 = ANY(pg_blocking_pids(pid))',
      [pid],
    )
    return waiting.length > 0
  }

  async function isFree({ workspaceId }: Customer): Promise<boolean> {
    const rows = await pool.unsafe<unknown[]>(
      'SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE SKIP LOCKED',
      [workspaceId],
    )
    return rows.length > 0
  }

  test(
    'a group of admissions locks its workspaces in the order of their ids',
    async () => {
      const verdicts = await provedInOrder(() =>
        Promise.all([last, first].map((customer) => store.till.admit(admissionOf(customer, HOLD)))),
      )
      expect(verdicts.map(({ kind }) => kind)).toEqual(['admitted', 'admitted'])
    },
    TEST_LIMIT_MS,
  )

  test(
    'a group of extensions locks its workspaces in the order of their ids',
    async () => {
      const opened = await openBoth()
      const verdicts = await provedInOrder(() =>
        Promise.all(
          [last, first].map((customer, index) =>
            store.till.extend({
              ...customer,
              id: opened[index] ?? ids.request('chatcmpl-'),
              at: NOON,
              amount: nano(1n),
              keyMonthlySpend: null,
            }),
          ),
        ),
      )
      expect(verdicts.map(({ kind }) => kind)).toEqual(['extended', 'extended'])
    },
    TEST_LIMIT_MS,
  )

  test(
    'a group of settlements locks its workspaces in the order of their ids',
    async () => {
      const opened = await openBoth()
      const results = await provedInOrder(() =>
        Promise.all(
          [last, first].map((customer, index) =>
            store.till.settle(settlementOf(customer, opened[index] ?? ids.request('chatcmpl-'), 7n)),
          ),
        ),
      )
      expect(results.map(({ charge }) => charge)).toEqual([nano(7n), nano(7n)])
    },
    TEST_LIMIT_MS,
  )

  test(
    'a group of idempotency claims locks its workspaces in the order of their ids',
    async () => {
      const verdicts = await provedInOrder(() =>
        Promise.all([last, first].map((customer) => store.answers.claim(claimOf(customer)))),
      )
      expect(verdicts.map(({ kind }) => kind)).toEqual(['claimed', 'claimed'])
    },
    TEST_LIMIT_MS,
  )

  test(
    'a renewal of leases locks the workspaces of the holds in the order of their ids',
    async () => {
      const opened = await openBoth()
      await provedInOrder(() => store.till.renew(opened, NOON + 3 * LEASE_MS))
      await store.till.sweep(NOON + 2 * LEASE_MS)
      const left = await pool.unsafe<{ id: string }[]>('SELECT id FROM holds')
      expect(left.map(({ id }) => id).toSorted()).toEqual(opened.toSorted())
    },
    TEST_LIMIT_MS,
  )

  test(
    'a sweep of expired holds locks their workspaces in the order of their ids',
    async () => {
      await openBoth(NOON + 1)
      const released = await provedInOrder(() => store.till.sweep(NOON + 1))
      expect(released).toBe(2)
    },
    TEST_LIMIT_MS,
  )
})

function claimOf({ workspaceId }: Customer): Claim {
  const id = ids.request('chatcmpl-')
  return { id, workspaceId, idempotencyKey: id, bodyHash: 'hash', at: NOON, leaseUntil: NOON + LEASE_MS }
}
