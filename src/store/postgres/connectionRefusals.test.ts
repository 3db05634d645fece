import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { admissionOf, createCustomer } from '../../../test/contract/customer.ts'
import { mustSkip, sharedPostgres } from '../../../test/support/postgres.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { TEST_LIMIT_MS } from '../../../test/support/scale.ts'
import type { StoreUnavailable } from '../../core/ports/till.ts'
import { openPostgresStore } from './openPostgresStore.ts'
import { createPool } from './pool.ts'

const WORDS = 'too many connections for role'

test.skipIf(mustSkip('connections that the server refuses'))(
  'the words of a server that has no connection left reach whoever waits for one, and the health of a store',
  async () => {
    const { url: server, createDatabase } = await sharedPostgres()
    const url = await createDatabase()
    await using admin = new SQL(server, { max: 1 })
    const role = `few_${new URL(url).pathname.slice(1)}`
    await admin.unsafe(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 1`)
    const as = Object.assign(new URL(url), { username: role }).href
    await admin.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO ${role}`)

    const pool = createPool({ url: as, connections: 2 })
    const first = await pool.take()
    expect(String(await rejectionOf(pool.take()))).toContain(WORDS)
    first.release()
    await pool.close()

    await admin.unsafe(`ALTER ROLE ${role} CONNECTION LIMIT 30`)
    const away = Promise.withResolvers<StoreUnavailable>()
    const store = await openPostgresStore({ url: as, onHealth: (fault) => fault && away.resolve(fault) })
    const customer = await createCustomer(store, 100n)
    await admin.unsafe(`ALTER ROLE ${role} CONNECTION LIMIT 0`)
    await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${role}`
    expect(String(await rejectionOf(store.till.admit(admissionOf(customer, 1n))))).toContain(WORDS)
    expect((await away.promise).message).toContain(WORDS)
    await store.close()
  },
  TEST_LIMIT_MS,
)
