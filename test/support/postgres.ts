import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { SQL } from 'bun'
import { POSTGRES_OFF_VARIABLE, findBinaries } from './postgres-binaries.ts'
import { skipFor } from './runEvents.ts'
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
  const off = process.env[POSTGRES_OFF_VARIABLE] === '1'
  if (process.env[POSTGRES_URL_VARIABLE] && !off) return { available: true, from: 'environment' }
  const found = findBinaries()
  if ('reason' in found) {
    const remedy = off ? '' : `; or set ${POSTGRES_URL_VARIABLE} to a running server`
    return { available: false, reason: `${found.reason}${remedy}` }
  }
  return { available: true, from: 'binaries' }
}

/** Whether tests must be skipped because there is no Postgres for them; reports why. */
export function mustSkip(what: string): boolean {
  const availability = postgresAvailability()
  return skipFor(availability.available ? undefined : `${what}: ${availability.reason}`)
}

/** The same for tests that take their server away: one that the environment names is not theirs to stop. */
export function mustSkipPrivate(what: string): boolean {
  const found = findBinaries()
  return skipFor('reason' in found ? `${what}: ${found.reason}` : undefined)
}

/**
 * Starts a private cluster; it also ends when this process dies. Throws when `postgresAvailability` says no.
 * @param options.folder where its files go; default: the temporary directory
 */
export async function startPostgres(
  options: { readonly fsync?: boolean; readonly folder?: string } = {},
): Promise<TestPostgres> {
  const binaries = findBinaries()
  if ('reason' in binaries) throw new Error(binaries.reason)
  const cluster = await startCluster(binaries, {
    fsync: options.fsync ?? false,
    folder: options.folder ?? tmpdir(),
  })
  return { ...databasesOf(cluster.url), server: cluster, stop: () => cluster.remove() }
}

/**
 * The server that all tests share: the one that the environment names (the test command starts one for its whole
 * run), else a private cluster that lives as long as this process. Nobody stops it.
 */
export function sharedPostgres(): Promise<TestPostgres> {
  const given = process.env[POSTGRES_URL_VARIABLE]
  shared ??= given
    ? Promise.resolve({ ...databasesOf(given), server: undefined, stop: () => Promise.resolve() })
    : startPostgres()
  return shared
}

let shared: Promise<TestPostgres> | undefined

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
