import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { OutcomeUnknown, StoreUnavailable } from '../../src/core/ports/till.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { badLineTo } from '../support/postgres-proxy.ts'
import { rejectionOf } from '../support/rejection.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { slownessOfMachine } from '../support/slowness.ts'
import { admissionOf, createCustomer, openCall, settlementOf } from './customer.ts'

const onPostgres = test.concurrent.skipIf(mustSkip('the health of the store on Postgres'))
/** The longest that a store may call itself healthy that is not; measured once, because measuring stops everything. */
const KNOWN_WITHIN_MS = 5_000 * slownessOfMachine()
const PING_PAUSE_MS = 50

/** Something befalls the database; gives how it ends again. */
type Fault = (sql: SQL, name: string) => Promise<() => Promise<unknown>>

async function lockedBy(url: URL, statement: string): Promise<() => Promise<unknown>> {
  const locker = new SQL(url.href, { max: 1 })
  await locker.unsafe('BEGIN')
  await locker.unsafe(statement)
  return () => locker.close({ timeout: 0 })
}

const FAULTS: Record<string, (url: URL) => Fault> = {
  'that only reads': () => async (sql, name) => {
    await sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const disconnect = () =>
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name} AND pid <> pg_backend_pid()`
    await disconnect()
    return async () => {
      await sql.unsafe(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
      await disconnect()
    }
  },
  'whose tables are locked': (url) => () => lockedBy(url, 'LOCK TABLE lane_marks IN ACCESS EXCLUSIVE MODE'),
  'whose holds are locked': (url) => () => lockedBy(url, 'LOCK TABLE holds IN EXCLUSIVE MODE'),
  'whose keys are locked': (url) => () => lockedBy(url, 'LOCK TABLE keys IN ACCESS EXCLUSIVE MODE'),
  'without a table': (url) => async () => {
    const own = new SQL(url.href, { max: 1 })
    await own.unsafe('ALTER TABLE usage_records RENAME TO elsewhere')
    return async () => {
      await own.unsafe('ALTER TABLE elsewhere RENAME TO usage_records')
      await own.close({ timeout: 0 })
    }
  },
  'of which calls wait for a lock': (url) => () => lockedBy(url, 'SELECT 1 FROM workspaces FOR UPDATE'),
}

for (const [what, faultAt] of Object.entries(FAULTS)) {
  onPostgres(
    `a database ${what} is known within five seconds, and again when it can be used`,
    async () => {
      const url = new URL(await (await sharedPostgres()).createDatabase())
      const maintenance = new URL(url)
      maintenance.pathname = '/postgres'
      const sql = new SQL(maintenance.href, { max: 1 })
      const store = await openPostgresStore({ url: url.href })
      const customer = await createCustomer(store, 1_000n)
      await store.ping()

      const end = await faultAt(url)(sql, url.pathname.slice(1))
      const startedAt = performance.now()
      const call = store.till.admit(admissionOf(customer, 1n)).catch(() => undefined)
      const fault = await untilPing(store, (error) => error !== undefined)
      expect(fault).toBeInstanceOf(StoreUnavailable)
      expect(performance.now() - startedAt).toBeLessThan(KNOWN_WITHIN_MS)
      await end()
      await call
      await untilPing(store, (error) => error === undefined)
      await store.close()
      await sql.close({ timeout: 0 })
    },
    TEST_LIMIT_MS,
  )
}

onPostgres(
  'an outage without a call is told once somebody asks whether the database can be used, and so is its end; no call is counted as refused',
  async () => {
    const url = new URL(await (await sharedPostgres()).createDatabase())
    const told: string[] = []
    const away = Promise.withResolvers<void>()
    const back = Promise.withResolvers<void>()
    let refused = 0
    const store = await openPostgresStore({
      url: url.href,
      meter: {
        group: () => undefined,
        roundTrip: () => undefined,
        refused: (count) => (refused += count),
        settledAgain: () => undefined,
        connections: () => undefined,
      },
      onHealth(fault) {
        told.push(fault ? 'away' : 'back')
        if (fault) away.resolve()
        else back.resolve()
      },
    })
    await store.ping()
    const end = await lockedBy(url, 'LOCK TABLE lane_marks IN ACCESS EXCLUSIVE MODE')
    await untilPing(store, (error) => error !== undefined)
    await away.promise
    await end()
    await back.promise
    expect(told).toEqual(['away', 'back'])
    expect(refused).toBe(0)
    await store.close()
  },
  TEST_LIMIT_MS,
)

onPostgres(
  'a database that takes a right from the role is known within five seconds; what needs it is refused, and done later',
  async () => {
    const url = new URL(await (await sharedPostgres()).createDatabase())
    const owner = new SQL(url.href, { max: 1 })
    await (await openPostgresStore({ url: url.href })).close()
    const role = `serve_${url.pathname.slice(1)}`
    await owner.unsafe(`CREATE ROLE ${role} LOGIN`)
    await owner.unsafe(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`)
    await owner.unsafe(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`)
    url.username = role
    const store = await openPostgresStore({ url: url.href })
    const customer = await createCustomer(store, 1_000n)
    const id = await openCall(store, customer, 10n)
    await store.ping()

    const startedAt = performance.now()
    await owner.unsafe(`REVOKE INSERT ON transfers FROM ${role}`)
    const refused = await rejectionOf(store.till.settle(settlementOf(customer, id, 5n)))
    expect(refused).toBeInstanceOf(StoreUnavailable)
    expect(refused).not.toBeInstanceOf(OutcomeUnknown)
    expect(String(refused)).toContain('permission denied for table transfers')
    expect(await untilPing(store, (error) => error !== undefined)).toBeInstanceOf(StoreUnavailable)
    expect(performance.now() - startedAt).toBeLessThan(KNOWN_WITHIN_MS)

    await owner.unsafe(`GRANT INSERT ON transfers TO ${role}`)
    await store.till.settle(settlementOf(customer, id, 5n))
    await untilPing(store, (error) => error === undefined)
    await store.close()
    await owner.close({ timeout: 0 })
  },
  TEST_LIMIT_MS,
)

onPostgres(
  'a database that answers nothing any more is known within five seconds',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    let swallows = false
    await using line = await badLineTo(url, () => (swallows ? 'swallow' : false))
    const store = await openPostgresStore({ url: line.url })
    await store.ping()
    swallows = true
    const startedAt = performance.now()
    expect(await untilPing(store, (error) => error !== undefined)).toBeInstanceOf(StoreUnavailable)
    expect(performance.now() - startedAt).toBeLessThan(KNOWN_WITHIN_MS)
    swallows = false
    await untilPing(store, (error) => error === undefined)
    await store.close()
  },
  TEST_LIMIT_MS,
)

async function untilPing(
  store: { ping(): Promise<void> },
  fits: (error: unknown) => boolean,
): Promise<unknown> {
  for (;;) {
    const error: unknown = await store.ping().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (fits(error)) return error
    await Bun.sleep(PING_PAUSE_MS)
  }
}
