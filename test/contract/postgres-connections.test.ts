import { expect, test } from 'bun:test'
import { nano } from '../../src/core/money.ts'
import { CONNECTIONS, type Store } from '../../src/core/ports/store.ts'
import { openStore } from '../../src/store/open.ts'
import { badLineTo } from '../support/postgres-proxy.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createFolder, startTollgate } from '../support/tollgateProcess.ts'
import {
  type Customer,
  admissionOf,
  createCustomer,
  ids,
  moneyOf,
  newKey,
  NOON,
  openCall,
  proveLedgers,
  settlementOf,
  tallyOf,
} from './customer.ts'

const onPostgres = test.skipIf(mustSkip('connections to Postgres'))
const BALANCE = 1_000_000n
const HOLD = 10n
const CALLS = 48
const KEYS = 10
/** After so many calls each connection has prepared what they say. */
const WARMING = 3

onPostgres(
  'a command opens two connections at most',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const store = await openStore({ engine: 'postgres', url }, { now: Date.now })
    await createCustomer(store, 5n)
    await store.close()
    await using folder = await createFolder()
    for (const words of [['workspace', 'list'], ['ledger', 'verify'], ['migrate']]) {
      await using line = await watchedLineTo(url)
      await using command = startTollgate(folder, [...words, '--database-url', line.url])
      expect(await command.exitCode).toBe(0)
      expect(line.connections()).toBeGreaterThan(0)
      expect(line.connections()).toBeLessThanOrEqual(CONNECTIONS.brief)
    }
  },
  TEST_LIMIT_MS,
)

onPostgres(
  'a process opens no more connections than its setting, and with the smallest it does everything',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    for (const connections of [CONNECTIONS.min, undefined]) {
      await using line = await watchedLineTo(url)
      const settings = { engine: 'postgres', url: line.url, ...(connections && { connections }) } as const
      const store = await openStore(settings, { now: Date.now })
      const customer = await createCustomer(store, BALANCE)
      await doEverything(store, customer)

      const revoked = Promise.withResolvers<void>()
      store.directory.onChange(({ key }) => key === customer.keyId && revoked.resolve())
      const command = await openStore({ engine: 'postgres', url }, { now: Date.now, isBrief: true })
      await command.directory.revokeKey(customer.keyId, NOON)
      await revoked.promise
      await command.close()
      expect(line.connections()).toBeLessThanOrEqual(connections ?? CONNECTIONS.default)
      await store.close()
    }
  },
  TEST_LIMIT_MS,
)

async function doEverything(store: Store, customer: Customer): Promise<void> {
  const { workspaceId, keyId } = customer
  const claim = {
    id: ids.request('chatcmpl-'),
    workspaceId,
    idempotencyKey: ids.request('chatcmpl-'),
    bodyHash: 'hash',
    at: NOON,
    leaseUntil: NOON + 1,
  }
  const [made] = await Promise.all([
    Promise.all([
      ...Array.from({ length: KEYS }, () => store.directory.createKey(newKey(workspaceId))),
      store.answers.claim(claim),
    ]),
    Promise.all(
      Array.from({ length: CALLS }, async () => {
        const id = await openCall(store, customer, HOLD)
        const at = NOON
        await store.till.extend({ id, at, workspaceId, keyId, amount: nano(1n), keyMonthlySpend: null })
        await store.till.renew([id], NOON + 60_000)
        await store.till.settle(settlementOf(customer, id, 1n))
      }),
    ),
  ])
  expect(tallyOf(made)).toEqual({ made: KEYS, claimed: 1 })
  expect(await moneyOf(store, customer)).toEqual({ balance: nano(BALANCE - BigInt(CALLS)), held: nano(0n) })
  expect((await store.directory.keys(workspaceId, { limit: 100 })).items).toHaveLength(KEYS + 1)
  const usage = await store.books.usage({ workspaceId, groupBy: 'day' })
  expect(usage).toMatchObject([{ requests: CALLS, charge: nano(BigInt(CALLS)) }])
  expect(await store.till.sweep(NOON)).toBe(0)
  expect(await store.answers.expire(claim.leaseUntil)).toBe(1)
  expect(await proveLedgers(store)).toBeGreaterThan(0)
}

onPostgres('each step of the till takes two round trips, and a single query takes one', async () => {
  const url = await (await sharedPostgres()).createDatabase()
  await using line = await watchedLineTo(url)
  const store = await openStore({ engine: 'postgres', url: line.url }, { now: Date.now })
  const customer = await createCustomer(store, BALANCE)
  const trips: Record<string, number> = {}
  async function count<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
    const before = line.roundTrips()
    const result = await work()
    trips[step] = line.roundTrips() - before
    return result
  }
  // The last time counts.
  for (let i = 0; i <= WARMING; i++) {
    const admission = admissionOf(customer, HOLD)
    await count('admit', () => store.till.admit(admission))
    await count('settle', () => store.till.settle(settlementOf(customer, admission.id, 1n)))
    // One after the other, so that each connection of the pool has its turn.
    for (let each = 0; each < CONNECTIONS.default; each++) {
      await count('look-up', () => store.directory.workspace(customer.workspaceId))
    }
  }
  expect(trips).toEqual({ admit: 2, settle: 2, 'look-up': 1 })
  await store.close()
})

/** A good line that counts connections, and how often a client has spoken after the server. */
async function watchedLineTo(url: string) {
  let connections = 0
  let roundTrips = 0
  const clientsTurn = new Set<number>()
  const line = await badLineTo(url, ({ from, connection }) => {
    connections = Math.max(connections, connection)
    if (from === 'server') clientsTurn.delete(connection)
    else if (!clientsTurn.has(connection)) {
      clientsTurn.add(connection)
      roundTrips++
    }
    return false
  })
  return {
    url: line.url,
    connections: () => connections,
    roundTrips: () => roundTrips,
    [Symbol.asyncDispose]: () => line.close(),
  }
}
