import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { mustSkipPooler, startPgbouncer } from './pgbouncer.ts'
import { sharedPostgres } from './postgres.ts'

test.skipIf(mustSkipPooler('the private pgbouncer of the tests'))(
  'a private pgbouncer is killed, comes back in another mode, and ends with its process',
  async () => {
    const { url: server } = await sharedPostgres()
    await using pooler = await startPgbouncer(server)
    const before = new SQL(pooler.url, { max: 1 })
    expect((await before`SELECT 7 AS value`)[0].value).toBe(7)
    await pooler.kill()
    await before.close({ timeout: 0 })
    await pooler.start({ mode: 'statement' })
    const after = new SQL(pooler.url, { max: 1 })
    expect(await after`BEGIN`.catch(String)).toContain('statement pooling')
    await after.close({ timeout: 0 })

    const program = `import { startPgbouncer } from ${JSON.stringify(join(import.meta.dir, 'pgbouncer.ts'))}
      console.log((await startPgbouncer(${JSON.stringify(server)})).url)
      setInterval(() => undefined, 1_000)`
    const other = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' })
    const url = new TextDecoder().decode((await other.stdout.getReader().read()).value).trim()
    other.kill('SIGKILL')
    await other.exited
    for (;;) {
      const sql = new SQL(url, { max: 1 })
      const answer: unknown = await sql`SELECT 1`.catch((error: unknown) => error)
      await sql.close({ timeout: 0 })
      if (answer instanceof Error) break
    }
  },
)
