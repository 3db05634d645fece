import { SQL } from 'bun'

/** How long to wait for a connection, new or of a pool, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 2_000

/** A client of the database that the URL names; Bun alone would let `PGDATABASE` name another one. */
export function createClient(url: string, options: Omit<SQL.PostgresOrMySQLOptions, 'url'>): SQL {
  const database = URL.canParse(url) ? decodeURIComponent(new URL(url).pathname.slice(1)) : ''
  return new SQL(url, {
    connectionTimeout: CONNECT_TIMEOUT_MS / 1_000,
    ...options,
    ...(database !== '' && { database }),
  })
}
