import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createCustomer, creditOf, type Customer } from '../../../test/contract/customer.ts'
import { mustSkip, sharedPostgres } from '../../../test/support/postgres.ts'
import { nano } from '../../core/money.ts'
import type { Store } from '../../core/ports/store.ts'
import { openPostgresStore } from './openPostgresStore.ts'

const WARNING = expect.stringContaining('copies no sequences')

describe.skipIf(mustSkip('moved databases'))('a database that was moved without its sequences', () => {
  let url: string
  let sql: SQL
  let old: Customer[]
  /** Of an installation that runs on there without being started anew: its place is one of the old ones. */
  let clashing: Customer

  async function opened<Result>(
    use: (store: Store) => Promise<Result>,
    access: 'read' | 'change' = 'change',
  ): Promise<{ result: Result; warnings: string[] }> {
    const warnings: string[] = []
    const store = await openPostgresStore({ url, access, warn: (sentence) => warnings.push(sentence) })
    try {
      return { result: await use(store), warnings }
    } finally {
      await store.close()
    }
  }

  beforeAll(async () => {
    url = await (await sharedPostgres()).createDatabase()
    sql = new SQL(url, { max: 1, bigint: true })
    const made = await opened(async (store) => {
      const customers = [await createCustomer(store, 10n), await createCustomer(store, 20n)]
      await sql`ALTER SEQUENCE ledgers RESTART`
      return { customers, clashing: await createCustomer(store, 0n) }
    })
    old = made.result.customers
    clashing = made.result.clashing
  })
  afterAll(() => sql.close({ timeout: 0 }))

  test('shows a new workspace nothing of the ledger of another one, and verify names the two', async () => {
    const { result } = await opened(async (store) => {
      const transfers = await store.books.ledger(clashing.workspaceId, { limit: 10 })
      const found = await Array.fromAsync(store.books.verify())
      const exported = await Array.fromAsync(store.books.exportLedger(clashing.workspaceId))
      return { transfers, exported, shared: found.map((one) => [one.workspaceId, one.sharesPlacesWith]) }
    }, 'read')
    expect(result.transfers.items).toEqual([])
    expect(result.exported).toEqual([])
    expect(Object.fromEntries(result.shared)).toEqual({
      [old[0]?.workspaceId ?? '']: clashing.workspaceId,
      [clashing.workspaceId]: old[0]?.workspaceId,
      [old[1]?.workspaceId ?? '']: null,
    })
  })

  test('is mended when a process opens it to change it: each workspace has a ledger of its own and can be credited', async () => {
    const { result, warnings } = await opened(async (store) => {
      const next = await createCustomer(store, 30n)
      await createCustomer(store, 40n)
      expect(await store.books.credit(creditOf(clashing, { amount: nano(5n) }))).toMatchObject({
        kind: 'done',
      })
      const found = await Array.fromAsync(store.books.verify())
      return { next, found }
    })
    expect(warnings).toEqual([WARNING])
    expect(result.found.map(({ sharesPlacesWith }) => sharesPlacesWith)).toEqual(Array(5).fill(null))
    const sums = result.found.map(({ balance, ledgerBalance }) => [Number(balance), Number(ledgerBalance)])
    expect(sums.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
      [5, 5],
      [10, 10],
      [20, 20],
      [30, 30],
      [40, 40],
    ])
    const again = await opened(async () => undefined)
    expect(again.warnings).toEqual([])
  })
})
