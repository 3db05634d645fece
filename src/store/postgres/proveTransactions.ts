import type { SQL } from 'bun'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { COMMIT } from './begin.ts'
import { createSession, type Row, type Statement } from './session.ts'

/**
 * Throws `StoreUnavailable` where what a transaction begins with does not hold until its end: then somebody between us
 * and the server gives the statements of one connection to several.
 */
export async function proveTransactions(pool: SQL, begin: readonly Statement[]): Promise<void> {
  const session = createSession(pool)
  try {
    const asked = (await session.send(begin)).at(-1)?.[0] ?? {}
    const names = Object.keys(asked)
    const settings = names.map((name) => `current_setting('${name}') AS ${name}`)
    // A round trip of its own: what is sent together may stay together by chance.
    const [found] = await session.send([{ text: `SELECT ${settings.join(', ')}` }, COMMIT])
    const row: Row = found?.[0] ?? {}
    if (names.every((name) => row[name] === asked[name])) return
  } finally {
    await session.reset()
  }
  throw new StoreUnavailable(
    'time limits set in a transaction are not in force there: a pooler before the database must pool sessions or transactions, not statements',
  )
}
