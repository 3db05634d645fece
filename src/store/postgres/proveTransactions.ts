import { StoreUnavailable } from '../../core/ports/till.ts'
import { COMMIT } from './begin.ts'
import type { Pool, Row, Statement } from './pool.ts'
import { createSession, type Session } from './session.ts'

const ENCODING = 'server_encoding'
/** Those that take every text: the second keeps bytes as they come. */
const ENCODINGS = new Set(['UTF8', 'SQL_ASCII'])
/** One alone never meets what another has prepared. */
const CONNECTIONS_TRIED = 2

/**
 * Throws where a pooler between us and the server does not keep what we rely on: `StoreUnavailable` where what a
 * transaction begins with does not hold until its end, and the server's own error where the statements that one
 * connection has prepared meet those of another. Later that could run the wrong statement.
 */
export async function proveTransactions(pool: Pool, begin: readonly Statement[]): Promise<void> {
  const sessions = Array.from({ length: CONNECTIONS_TRIED }, () => createSession(pool, { keeps: false }))
  try {
    // One after the other: an idle pooler then gives both the same connection to the server.
    for (const session of sessions) await proveTransaction(session, begin)
    for (const session of sessions) session.rest()
  } finally {
    // Does nothing where the connections went back.
    for (const session of sessions) await session.reset()
  }
}

async function proveTransaction(session: Session, begin: readonly Statement[]): Promise<void> {
  const asked = (await session.send(begin)).at(-1)?.[0] ?? {}
  const names = Object.keys(asked)
  const settings = [...names, ENCODING].map((name) => `current_setting('${name}') AS ${name}`)
  // A round trip of its own: what is sent together may stay together by chance.
  const [found] = await session.send([{ text: `SELECT ${settings.join(', ')}` }, COMMIT])
  const row: Row = found?.[0] ?? {}
  const encoding = String(row[ENCODING])
  if (!ENCODINGS.has(encoding)) {
    throw new StoreUnavailable(
      `its encoding is ${encoding}, which cannot hold every text: create it with ENCODING 'UTF8'`,
    )
  }
  if (names.every((name) => row[name] === asked[name])) return
  throw new StoreUnavailable(
    'time limits set in a transaction have no effect there: a pooler before the database must pool sessions or transactions, not statements',
  )
}
