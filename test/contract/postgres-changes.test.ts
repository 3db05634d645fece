import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { nano } from '../../src/core/money.ts'
import type { Change } from '../../src/store/queries/directory.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import { createCustomer } from './customer.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'

const onPostgres = test.skipIf(mustSkip('changes on Postgres'))
const NODES = 5

onPostgres('nodes that start at once on an empty database all come up, with one schema', async () => {
  const url = await (await sharedPostgres()).createDatabase()
  const stores = await Promise.all(Array.from({ length: NODES }, () => openPostgresStore({ url })))
  const [first] = stores
  if (first) await createCustomer(first, 5n)
  for (const store of stores) {
    const page = await store.directory.workspaces({ limit: 10 })
    expect(page.items.map(({ balance }) => balance)).toEqual([nano(5n)])
    await store.close()
  }
})

onPostgres(
  'a key revoked in one process is heard of in the other, also after its listening was cut',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const here = await openPostgresStore({ url })
    const there = await openPostgresStore({ url })
    const { keyId, workspaceId } = await createCustomer(here)
    const heard = listenTo(there.directory.onChange.bind(there.directory))

    await here.directory.revokeKey(keyId, 1)
    await heard.until((change) => change.key === keyId && change.workspace === workspaceId)

    const admin = new SQL(url, { max: 1 })
    await admin.unsafe(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query ILIKE 'LISTEN%'`)
    // While it cannot hear, anything may have changed.
    await heard.until((change) => change.key === undefined && change.workspace === undefined)

    await here.directory.updateKey(keyId, { name: 'again' })
    await heard.until((change) => change.key === keyId || change.workspace === undefined)
    await admin.close({ timeout: 0 })
    await here.close()
    await there.close()
  },
)

/** Remembers changes; `until` takes them up to the first that fits, waiting for it. */
function listenTo(onChange: (listener: (change: Change) => void) => () => void) {
  let changes: Change[] = []
  let arrived: (() => void) | undefined
  onChange((change) => {
    changes.push(change)
    arrived?.()
  })
  return {
    async until(fits: (change: Change) => boolean): Promise<void> {
      while (!changes.some(fits)) await new Promise<void>((resolve) => (arrived = resolve))
      changes = changes.slice(changes.findIndex(fits) + 1)
    },
  }
}
