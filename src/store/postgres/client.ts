import { SQL } from 'bun'
import { CONNECT_TIMEOUT_MS } from './session.ts'

/** A client of the database that the URL names; Bun alone would let `PGDATABASE` name another one. */
export function createClient(url: string, options: Omit<SQL.PostgresOrMySQLOptions, 'url'>): SQL {
  const database = URL.canParse(url) ? decodeURIComponent(new URL(url).pathname.slice(1)) : ''
  return new SQL(url, {
    connectionTimeout: CONNECT_TIMEOUT_MS / 1_000,
    ...options,
    ...(database !== '' && { database }),
  })
}
