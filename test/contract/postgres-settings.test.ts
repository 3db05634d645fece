import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { nano } from '../../src/core/money.ts'
import { openStore } from '../../src/store/open.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import {
  creditOf,
  createCustomer,
  ids,
  moneyOf,
  newKey,
  newWorkspace,
  NOON,
  openCall,
  proveLedgers,
  settlementOf,
  tallyOf,
} from './customer.ts'

const BALANCE = 1_000_000n
const HOLD = 10n
const CALLERS = 48
const CALLS_PER_CALLER = 3
const CHANGES = 30

/** What an administrator may have given the database for other programs. */
const SETTINGS = [
  ['default_transaction_isolation', 'repeatable read'],
  ['default_transaction_isolation', 'serializable'],
  ['array_nulls', 'off'],
  ['statement_timeout', '200'],
] as const

describe.skipIf(mustSkip('odd settings of Postgres'))('a database', () => {
  test.each(SETTINGS)(
    'whose %s is %s refuses no call, key, change or credit of a busy workspace',
    async (setting, value) => {
      const url = await (await sharedPostgres()).createDatabase()
      await using owner = new SQL(url, { max: 1 })
      await owner.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting} = '${value}'`)
      const stores = [
        await openStore({ engine: 'postgres', url }, { now: Date.now }),
        await openStore({ engine: 'postgres', url }, { now: Date.now }),
      ] as const
      const customer = await createCustomer(stores[0], BALANCE)
      const { workspaceId } = customer
      const calls = Array.from({ length: CALLERS }, async (_, caller) => {
        const store = stores[caller % 2 ? 1 : 0]
        for (let i = 0; i < CALLS_PER_CALLER; i++) {
          const id = await openCall(store, customer, HOLD)
          await store.till.settle(settlementOf(customer, id, 1n))
        }
      })
      const changes = Array.from({ length: CHANGES }, async (_, i) => {
        const made = await stores[0].directory.createKey(newKey(workspaceId))
        const changed = await stores[1].directory.updateWorkspace(workspaceId, { name: `name ${i}` })
        return { kind: changed ? made.kind : 'unchanged' }
      })
      const credit = stores[1].books.credit(creditOf(customer, { note: null }))
      await Promise.all([...calls, credit])
      expect(tallyOf(await Promise.all(changes))).toEqual({ made: CHANGES })
      expect(await moneyOf(stores[0], customer)).toEqual({
        balance: nano(BALANCE + 100n - BigInt(CALLERS * CALLS_PER_CALLER)),
        held: nano(0n),
      })
      expect(await proveLedgers(stores[0])).toBe(1)
      for (const store of stores) await store.close()
    },
    TEST_LIMIT_MS,
  )

  test.each(['repeatable read', 'serializable'])(
    'whose default isolation is %s lets a single query wait for another change, and then see it',
    async (isolation) => {
      const url = await (await sharedPostgres()).createDatabase()
      await using owner = new SQL(url, { max: 1 })
      await using watch = new SQL(url, { max: 1 })
      await owner.unsafe(
        `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = '${isolation}'`,
      )
      const store = await openStore({ engine: 'postgres', url }, { now: Date.now })
      const once = {
        name: 'n',
        inputHash: 'h',
        at: NOON,
        answerOf: () => 'answer',
        subject: 's',
        answerUntil: NOON,
      }
      await store.directory.createWorkspace(newWorkspace(), once)
      await owner.unsafe('BEGIN')
      await owner.unsafe('UPDATE admin_changes SET input_hash = input_hash')
      const forgetting = store.directory.forgetAnswers(NOON + 1)
      while (
        (
          await watch`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`
        ).length === 0
      )
        await Bun.sleep(1)
      await owner.unsafe('COMMIT')
      expect(await forgetting).toBe(1)
      await store.close()
    },
    TEST_LIMIT_MS,
  )

  test(
    'that its owner has migrated is served by a role that may create nothing, and read by one that may only read',
    async () => {
      const { url: server, createDatabase } = await sharedPostgres()
      const url = await createDatabase()
      await using admin = new SQL(server, { max: 1 })
      await using owner = new SQL(url, { max: 1 })
      const serves = `serves_${ids.request('chatcmpl-').toLowerCase().replaceAll(/\W/g, '')}`
      const reads = serves.replace('serves', 'reads')
      await admin.unsafe(`CREATE ROLE ${serves} LOGIN PASSWORD 'secret'`)
      await admin.unsafe(`CREATE ROLE ${reads} LOGIN PASSWORD 'secret'`)
      const as = (role: string) => Object.assign(new URL(url), { username: role, password: 'secret' }).href
      try {
        await (await openStore({ engine: 'postgres', url }, { now: Date.now })).close()
        // Before version 15 of Postgres everybody may create there.
        await owner.unsafe('REVOKE CREATE ON SCHEMA public FROM PUBLIC')
        // These are in docs/postgres.md.
        await owner.unsafe(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${serves}`)
        await owner.unsafe(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${serves}`)
        await owner.unsafe(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reads}`)

        const store = await openStore({ engine: 'postgres', url: as(serves) }, { now: Date.now })
        const customer = await createCustomer(store, BALANCE)
        const id = await openCall(store, customer, HOLD)
        await store.till.settle(settlementOf(customer, id, 1n))
        await store.directory.revokeKey(customer.keyId, NOON)
        await store.close()

        const reader = await openStore(
          { engine: 'postgres', url: as(reads) },
          { now: Date.now, access: 'read', isBrief: true },
        )
        expect(await proveLedgers(reader)).toBe(1)
        await reader.close()
      } finally {
        for (const role of [serves, reads]) {
          await owner.unsafe(`DROP OWNED BY ${role}`)
          await admin.unsafe(`DROP ROLE ${role}`)
        }
      }
    },
    TEST_LIMIT_MS,
  )
})
