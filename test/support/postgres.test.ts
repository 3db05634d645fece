import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { SQL } from 'bun'
import { mustSkip, startPostgres } from './postgres.ts'

test.skipIf(mustSkip('the private Postgres of the tests'))(
  'a private Postgres goes away and comes back with its data, and leaves nothing behind',
  async () => {
    const postgres = await startPostgres()
    const url = await postgres.createDatabase()
    const before = new SQL(url, { max: 1 })
    await before.unsafe('CREATE TABLE kept AS SELECT 7 AS value')
    const directory = (await before.unsafe("SELECT current_setting('data_directory') AS path"))[0].path
    await before.close()
    await postgres.server?.end('stop')
    await postgres.server?.start()
    const after = new SQL(url, { max: 1 })
    expect((await after.unsafe('SELECT value FROM kept'))[0].value).toBe(7)
    await after.close()
    await postgres.stop()
    expect(existsSync(directory)).toBe(false)
  },
)
