import { tmpdir } from 'node:os'
import { SQL } from 'bun'
import { findBinaries } from '../../support/postgres-binaries.ts'
import { type Cluster, startCluster, startStandby } from '../../support/postgres-cluster.ts'

const POLL_MS = 50

/** A server and a standby that streams from it and has caught up. */
export interface Pair extends AsyncDisposable {
  readonly primary: Cluster
  readonly standby: Cluster
  /** Makes the standby a server of its own. Resolves when it takes writes. */
  promote(): Promise<void>
}

/** @param synchronous whether a COMMIT waits until the standby has it */
export async function startPair({ synchronous }: { readonly synchronous: boolean }): Promise<Pair> {
  const binaries = findBinaries()
  if ('reason' in binaries) throw new Error(binaries.reason)
  const options = { fsync: false, folder: tmpdir() }
  const primary = await startCluster(binaries, options)
  const standby = await startStandby(binaries, primary, options)
  await using sql = new SQL(primary.url, { max: 1 })
  if (synchronous) {
    await sql`ALTER SYSTEM SET synchronous_standby_names = '*'`
    await sql`SELECT pg_reload_conf()`
  }
  const wanted = synchronous ? 'sync' : 'async'
  const follows = async (): Promise<boolean> => {
    const rows = await sql<{ sync_state: string }[]>`
      SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn = pg_current_wal_lsn()`
    return rows.some(({ sync_state }) => sync_state === wanted)
  }
  while (!(await follows())) await Bun.sleep(POLL_MS)
  return {
    primary,
    standby,
    async promote() {
      await using promoter = new SQL(standby.url, { max: 1 })
      await promoter`SELECT pg_promote()`
    },
    async [Symbol.asyncDispose]() {
      await standby.remove()
      await primary.remove()
    },
  }
}
