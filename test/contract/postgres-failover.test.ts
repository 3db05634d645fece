import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { nano, ZERO } from '../../src/core/money.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import {
  createCustomer,
  freeSettlementOf,
  moneyOf,
  openCall,
  proveLedgers,
  settlementOf,
} from './customer.ts'

const onPostgres = test.skipIf(mustSkip('settlements after a failover'))
const LOOK_PAUSE_MS = 50

/** Takes the place of the database with a copy of how it is now, at a later moment: a standby that lagged. */
async function copyOf(url: string): Promise<{ takeOver(): Promise<void>; close(): Promise<void> }> {
  const name = new URL(url).pathname.slice(1)
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  const sql = new SQL(maintenance.href, { max: 1 })
  async function withNobodyThere(work: () => Promise<void>): Promise<void> {
    await sql.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await sql`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = ${name}`
    await work()
    await sql.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  }
  await withNobodyThere(async () => {
    await sql.unsafe(`CREATE DATABASE ${name}_standby TEMPLATE ${name}`)
  })
  return {
    takeOver: () =>
      withNobodyThere(async () => {
        await sql.unsafe(`ALTER DATABASE ${name} RENAME TO ${name}_lost`)
        await sql.unsafe(`ALTER DATABASE ${name}_standby RENAME TO ${name}`)
      }),
    close: () => sql.close({ timeout: 0 }),
  }
}

onPostgres(
  'settlements that a standby did not have when it took over are made again there, each once',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const sentences: string[] = []
    const store = await openPostgresStore({ url, warn: (sentence) => void sentences.push(sentence) })
    const customer = await createCustomer(store, 1_000n)
    const open = () => openCall(store, customer, 50n)
    const [before, across, refunded] = [await open(), await open(), await open()]
    await store.till.settle(settlementOf(customer, before, 10n))
    await store.till.settle(settlementOf(customer, refunded, 40n))

    const copy = await copyOf(url)
    await store.till.settle(settlementOf(customer, across, 20n))
    await store.till.settle(freeSettlementOf(customer, refunded))
    const after = await open()
    await store.till.settle(settlementOf(customer, after, 30n))
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(940n), held: ZERO })
    await copy.takeOver()

    const at = new SQL(url, { max: 1 })
    const charges = () =>
      at<{ id: string; charge: bigint }[]>`SELECT id, charge FROM usage_records`.then(
        (rows) => new Map(rows.map(({ id, charge }) => [id, Number(charge)])),
        () => new Map<string, number>(),
      )
    const expected = new Map([
      [before, 10],
      [across, 20],
      [refunded, 0],
      [after, 30],
    ] as [string, number][])
    while (!Bun.deepEquals(await charges(), expected)) await Bun.sleep(LOOK_PAUSE_MS)
    while (sentences.length === 0) await Bun.sleep(LOOK_PAUSE_MS)
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(940n), held: ZERO })
    expect(await proveLedgers(store)).toBe(1)
    expect(sentences).toEqual([expect.stringContaining('3 were repeated ($0.00000005 charged)')])
    await at.close({ timeout: 0 })
    await copy.close()
    await store.close()
  },
  TEST_LIMIT_MS,
)
