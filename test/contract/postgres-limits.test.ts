import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { BEGIN, beginning } from '../../src/store/postgres/begin.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import { proveTransactions } from '../../src/store/postgres/proveTransactions.ts'
import { createPool } from '../../src/store/postgres/pool.ts'
import { createSession } from '../../src/store/postgres/session.ts'
import { createLane } from '../../src/store/postgres/transaction.ts'
import { lockWorkspaces } from '../../src/store/postgres/tillRows.ts'
import { mustSkipPooler, type PgbouncerOptions, startPgbouncer } from '../support/pgbouncer.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { rejectionOf } from '../support/rejection.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createCustomer, openCall } from './customer.ts'

/** Ways to the database; the last word is of its URL. */
const WAYS: readonly [name: string, pooler: PgbouncerOptions | undefined, query: string][] = [
  ['straight', undefined, ''],
  ['through a pool of sessions', {}, ''],
  ['through a pool of transactions', { mode: 'transaction' }, '?prepare=false'],
]

/** A database whose roles and own settings limit nothing. */
async function createUnlimited(): Promise<string> {
  const url = await (await sharedPostgres()).createDatabase()
  const sql = new SQL(url, { max: 1 })
  const name = new URL(url).pathname.slice(1)
  for (const setting of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
    await sql.unsafe(`ALTER DATABASE ${name} SET ${setting} = 0`)
  }
  await sql.close({ timeout: 0 })
  return url
}

for (const [name, options, query] of WAYS) {
  const skips = options ? mustSkipPooler(`limits ${name}`) : mustSkip(`limits ${name}`)

  // Beside each other: each waits for the two seconds of the limit.
  test.concurrent.skipIf(skips)(
    `a process that is frozen in a transaction lets the others go on, ${name}`,
    async () => {
      const url = await createUnlimited()
      await using pooler = options && (await startPgbouncer(url, options))
      const way = (pooler?.url ?? url) + query
      const store = await openPostgresStore({ url: way })
      const customer = await createCustomer(store, 100n)
      // Has loaded what it decides on, and its locks with it, and says no more.
      await using frozen = await startFrozen(way, customer.workspaceId)
      await using watch = new SQL(url, { max: 1 })
      const isFree = () => watch`SELECT 1 FROM workspaces FOR UPDATE SKIP LOCKED`
      expect(await isFree()).toHaveLength(0)
      // Would be refused when the server had cancelled it for its own wait, with the lock still there.
      await openCall(store, customer, 10n)
      expect(frozen.hasEnded()).toBe(false)
      await store.close()
    },
    TEST_LIMIT_MS,
  )
}

for (const [name, options, query] of WAYS) {
  const skips = options ? mustSkipPooler(`limits ${name}`) : mustSkip(`limits ${name}`)

  test.skipIf(skips)(
    `the limits of a transaction are in force from its first statement to its last, ${name}`,
    async () => {
      const url = await createUnlimited()
      await using pooler = options && (await startPgbouncer(url, options))
      const pool = createPool({ url: (pooler?.url ?? url) + query, connections: 1 })
      const settings = {
        text: `SELECT current_setting('statement_timeout') AS statement,
          current_setting('idle_in_transaction_session_timeout') AS idle,
          current_setting('transaction_isolation') AS isolation`,
      }
      const session = createSession(pool)
      const [loaded] = await createLane(session, 'limits', Date.now).run({
        load: [settings],
        decide: (loaded) => ({ writes: [], result: loaded }),
      })
      expect(loaded?.[0]).toEqual({ statement: '5s', idle: '2s', isolation: 'read committed' })
      await session.send(BEGIN)
      const [later] = await session.send([settings, { text: 'COMMIT' }])
      expect(later?.[0]).toEqual({ statement: '5s', idle: '2s', isolation: 'read committed' })
      // And behind it everything is as before, for whoever else the connection serves.
      const [after] = await session.send([settings])
      expect(after?.[0]).toMatchObject({ statement: '0', idle: '0' })
      await session.reset()
      await pool.close('at once')
    },
    TEST_LIMIT_MS,
  )
}

test.skipIf(mustSkip('limits that do not hold'))(
  'a store whose limits do not hold until the end of a transaction is refused',
  async () => {
    const { url } = await sharedPostgres()
    const pool = createPool({ url, connections: 2 })
    // As behind a pooler that makes each statement a transaction: what is set for one is gone with it.
    const error = await rejectionOf(proveTransactions(pool, beginning().slice(1)))
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(String(error)).toContain('time limits set in a transaction have no effect there')
    await proveTransactions(pool, beginning())
    await pool.close('at once')
  },
)

/** A process that stops (SIGSTOP) in the middle of a transaction which has locked a workspace. */
async function startFrozen(url: string, workspaceId: string) {
  const program = `
    import { createPool } from ${JSON.stringify(import.meta.resolve('../../src/store/postgres/pool.ts'))}
    import { createSession } from ${JSON.stringify(import.meta.resolve('../../src/store/postgres/session.ts'))}
    import { BEGIN } from ${JSON.stringify(import.meta.resolve('../../src/store/postgres/begin.ts'))}
    const pool = createPool({ url: ${JSON.stringify(url)}, connections: 1 })
    const session = createSession(pool)
    await session.send([...BEGIN, ${JSON.stringify(lockWorkspaces([workspaceId as never]))}])
    console.log('locked')
    setInterval(() => [pool, session], 1_000)`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
  await child.stdout.getReader().read()
  child.kill('SIGSTOP')
  return {
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
