import { CONNECTIONS } from '../core/ports/store.ts'
import { isLoopback } from './adminToken.ts'
import { readPostgresUrl } from './postgresUrl.ts'
import type { DatabaseEntry } from './schema.ts'
import { withoutLineEnd } from './secret.ts'
import type { DatabaseSettings } from './settings.ts'

export const DEFAULT_DATABASE_URL = 'sqlite:./data/tollgate.db'

/** Reads `sqlite:<path>` or `postgres://…`; a string says what is wrong, without the URL: it may hold a password. */
export function resolveDatabase(
  written: string,
  { durability = 'default', connections }: Omit<DatabaseEntry, 'url'>,
): DatabaseSettings | string {
  // Both spellings are in use, as libpq takes both.
  const url = withoutLineEnd(written).replace(/^postgresql:/, 'postgres:')
  if (url.startsWith('postgres://')) {
    const found = readPostgresUrl(url)
    if (typeof found === 'string') return found
    if (durability === 'strict')
      return 'takes `durability: strict` with SQLite only: Postgres decides by itself'
    return { engine: 'postgres', url: withTls(found.url), connections: connections ?? CONNECTIONS.default }
  }
  if (!url.startsWith('sqlite:')) return 'must begin with sqlite: or postgres://'
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/|\.)/, '')
  if (path === '') return 'must name a file: sqlite:./data/tollgate.db'
  if (connections !== undefined) return 'takes `connections` with Postgres only: SQLite is a file'
  return { engine: 'sqlite', path, durability }
}

/** What goes to another machine is encrypted unless the URL says otherwise; on this machine, where the server can. */
function withTls(url: string): string {
  const { hostname, search, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  // A unix socket leaves the machine nowhere.
  if (searchParams.has('sslmode') || host === '' || host.startsWith('/')) return url
  // Added as text: whatever else stands there stays as it was written.
  return `${url}${search === '' ? '?' : '&'}sslmode=${isLoopback(host) ? 'prefer' : 'require'}`
}
