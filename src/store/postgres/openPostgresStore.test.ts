import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { admissionOf, createCustomer, moneyOf, openCall, tallyOf } from '../../../test/contract/customer.ts'
import { mustSkip, sharedPostgres } from '../../../test/support/postgres.ts'
import { nano } from '../../core/money.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { UnknownSchema } from '../migrations/migrations.ts'
import { openPostgresStore } from './openPostgresStore.ts'

test('a store whose database cannot be reached does not open', async () => {
  // Port 1 is reserved, so nobody listens there.
  const opening = openPostgresStore({ url: 'postgres://nobody@127.0.0.1:1/none' })
  expect(await opening.catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailable)
})

describe.skipIf(mustSkip('the store on Postgres'))('the store on Postgres', () => {
  test('does not open a database that a newer version has written', async () => {
    const url = await (await sharedPostgres()).createDatabase()
    await (await openPostgresStore({ url })).close()
    const sql = new SQL(url, { max: 1 })
    await sql.unsafe("INSERT INTO schema_migrations VALUES ('9999-future', 0)")
    expect(await openPostgresStore({ url }).catch((error: unknown) => error)).toBeInstanceOf(UnknownSchema)
    await sql.close({ timeout: 0 })
  })

  test.each(['CREATE TABLE workspaces (id text)', 'CREATE TABLE schema_migrations (version text)'])(
    'leaves a database as it is in which another program has a table of our names: %s',
    async (made) => {
      const url = await (await sharedPostgres()).createDatabase()
      const sql = new SQL(url, { max: 1 })
      await sql.unsafe(made)
      expect(await openPostgresStore({ url }).catch((error: unknown) => error)).toMatchObject({
        name: 'StoreUnavailable',
        message: expect.stringContaining('another program has a table'),
      })
      expect(await sql.unsafe("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toHaveLength(1)
      await sql.close({ timeout: 0 })
    },
  )

  test('says what to do about a server without TLS', async () => {
    const url = new URL(await (await sharedPostgres()).createDatabase())
    url.searchParams.set('sslmode', 'require')
    expect(await openPostgresStore({ url: url.href }).catch((error: unknown) => error)).toMatchObject({
      name: 'StoreUnavailable',
      message: expect.stringContaining('sslmode=disable'),
    })
  })

  test('does not open a database that cannot hold every text', async () => {
    const url = new URL(await (await sharedPostgres()).createDatabase())
    const sql = new SQL(url.href, { max: 1 })
    const name = `${url.pathname.slice(1)}_latin1`
    await sql.unsafe(
      `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    )
    url.pathname = `/${name}`
    expect(await openPostgresStore({ url: url.href }).catch((error: unknown) => error)).toMatchObject({
      name: 'StoreUnavailable',
      message: expect.stringContaining('its encoding is LATIN1'),
    })
    await sql.close({ timeout: 0 })
  })

  test('only to be read creates no table and says what does', async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const sql = new SQL(url, { max: 1 })
    const tables = () => sql.unsafe("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")
    const opening = openPostgresStore({ url, access: 'read' })
    expect(await opening.catch((error: unknown) => error)).toMatchObject({
      name: 'StoreUnavailable',
      message: expect.stringContaining('it holds no tables of tollgate'),
    })
    expect(await tables()).toHaveLength(0)

    await (await openPostgresStore({ url })).close()
    const store = await openPostgresStore({ url, access: 'read' })
    expect((await store.directory.workspaces({ limit: 1 })).items).toEqual([])
    await store.close()
    await sql.unsafe('DELETE FROM schema_migrations')
    const older = openPostgresStore({ url, access: 'read' })
    expect(await older.catch((error: unknown) => String(error))).toContain('of an older version')
    await sql.close({ timeout: 0 })
  })

  test('opens the database of its URL, whatever the environment names', async () => {
    const url = await (await sharedPostgres()).createDatabase()
    process.env['PGDATABASE'] = 'elsewhere'
    try {
      const store = await openPostgresStore({ url })
      await store.ping()
      await store.close()
    } finally {
      delete process.env['PGDATABASE']
    }
  })

  test('is exact whatever isolation the database has by default', async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const sql = new SQL(url, { max: 1 })
    await sql.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)}
      SET default_transaction_isolation = 'repeatable read'`)
    const stores = await Promise.all([openPostgresStore({ url }), openPostgresStore({ url })])
    const customer = await createCustomer(stores[0], 0n)
    const verdicts = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        stores[i % 2 ? 0 : 1].till.admit(
          admissionOf(customer, undefined, { limits: { workspacePerMinute: 60 } }),
        ),
      ),
    )
    expect(tallyOf(verdicts)).toEqual({ admitted: 60, rate_limited: 240 })
    for (const store of stores) await store.close()
    await sql.close({ timeout: 0 })
  })

  test('goes on when another node has changed the tables under its prepared statements', async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const store = await openPostgresStore({ url })
    const customer = await createCustomer(store, 100n)
    await openCall(store, customer, 10n)
    const sql = new SQL(url, { max: 1 })
    for (const table of ['workspaces', 'key_counters', 'key_spend', 'holds']) {
      await sql.unsafe(`ALTER TABLE ${table} ADD COLUMN of_a_newer_version bigint`)
    }
    await openCall(store, customer, 10n)
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(20n) })
    await sql.close({ timeout: 0 })
    await store.close()
  })

  test('does not wait for ever for what somebody else has locked', async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const store = await openPostgresStore({ url, statementTimeoutMs: 100 })
    const sql = new SQL(url, { max: 1 })
    await sql.unsafe('BEGIN')
    await sql.unsafe('LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE')
    const reading: unknown = await store.directory.workspaces({ limit: 1 }).catch((error: unknown) => error)
    expect(reading).toBeInstanceOf(StoreUnavailable)
    await sql.close({ timeout: 0 })
    await store.close()
  })
})
