import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { mustSkip, sharedPostgres } from '../../../test/support/postgres.ts'
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
