import { randomBytes } from 'node:crypto'
import { SQL } from 'bun'
import { findBinaries } from './postgres-binaries.ts'
import { startCluster, type Cluster } from './postgres-cluster.ts'

/** A Postgres server for tests. */
export interface TestPostgres {
  /** Of its maintenance database; the user may create databases. */
  readonly url: string
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** The server itself, to take it away and bring it back; undefined when it was given by the environment. */
  readonly server: Cluster | undefined
  /** Stops the server and removes its files; leaves a server given by the environment alone. */
  stop(): Promise<void>
}

export type PostgresAvailability =
  | { readonly available: true; readonly from: 'environment' | 'binaries' }
  | { readonly available: false; readonly reason: string }

/** Names a running server whose user may create databases. */
export const POSTGRES_URL_VARIABLE = 'TOLLGATE_TEST_POSTGRES_URL'

/** Says whether tests can have a Postgres here and, when not, why and what to do. */
export function postgresAvailability(): PostgresAvailability {
  if (process.env[POSTGRES_URL_VARIABLE]) return { available: true, from: 'environment' }
  const found = findBinaries()
  if ('reason' in found) {
    return {
      available: false,
      reason: `${found.reason}; or set ${POSTGRES_URL_VARIABLE} to a running server`,
    }
  }
  return { available: true, from: 'binaries' }
}

/** Whether tests must be skipped for want of a Postgres; says so aloud, once for each `what`. */
export function mustSkip(what: string): boolean {
  const availability = postgresAvailability()
  if (!availability.available) console.warn(`SKIPPED: ${what}: ${availability.reason}`)
  return !availability.available
}

/** Starts a private cluster; it also ends when this process dies. Throws when `postgresAvailability` says no. */
export async function startPostgres(options: { fsync?: boolean } = {}): Promise<TestPostgres> {
  const binaries = findBinaries()
  if ('reason' in binaries) throw new Error(binaries.reason)
  const cluster = await startCluster(binaries, { fsync: options.fsync ?? false })
  return { ...databasesOf(cluster.url), server: cluster, stop: () => cluster.remove() }
}

/**
 * The one server that all tests of a run share: the environment's when it names one, else a private
 * cluster that lives as long as this process. Nobody stops it.
 */
export function sharedPostgres(): Promise<TestPostgres> {
  const given = process.env[POSTGRES_URL_VARIABLE]
  shared.postgres ??= given
    ? Promise.resolve({ ...databasesOf(given), server: undefined, stop: () => Promise.resolve() })
    : startPostgres()
  return shared.postgres
}

// Test files of one run may each have a copy of this module: they share what hangs on the global object.
const SHARED = Symbol.for('tollgate.test.postgres')
const globals = globalThis as { [SHARED]?: { postgres?: Promise<TestPostgres> } }
const shared = (globals[SHARED] ??= {})

function databasesOf(url: string): Pick<TestPostgres, 'url' | 'createDatabase'> {
  return {
    url,
    async createDatabase() {
      const name = `test_${randomBytes(8).toString('hex')}`
      const sql = new SQL(url, { max: 1 })
      try {
        await sql.unsafe(`CREATE DATABASE ${name}`)
      } finally {
        await sql.close()
      }
      const database = new URL(url)
      database.pathname = `/${name}`
      return database.href
    },
  }
}
