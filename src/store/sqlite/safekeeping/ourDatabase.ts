import { Database } from 'bun:sqlite'
import { SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { pendingMigrations, UnknownSchema } from '../../migrations/migrations.ts'
import { unavailable } from '../connection.ts'
import { doInThread } from './longWork.ts'

/**
 * Refuses a file that is not a whole database of Tollgate, or that a newer version wrote.
 * Returns whether its schema is older than this version's.
 */
export async function checkDatabase(file: string): Promise<{ readonly outdated: boolean }> {
  const applied = appliedMigrations(file)
  if (applied.length === 0) throw new SafekeepingRefused(`${file} is not a database of Tollgate`)
  const outdated = pendingOf(file, applied) > 0
  const answer = await doInThread({ kind: 'check', file })
  if (!answer.ok) throw new SafekeepingRefused(`${file} cannot be read: ${answer.message}`)
  const [mistake] = answer.mistakes
  if (mistake !== undefined) throw new SafekeepingRefused(`${file} is damaged: ${mistake}`)
  return { outdated }
}

function appliedMigrations(file: string): string[] {
  let db: Database | undefined
  try {
    db = new Database(file, { readonly: true })
    const known = db.query("select 1 from sqlite_master where name = 'schema_migrations'").get()
    if (known === null) return []
    return db
      .query<{ id: string }, []>('select id from schema_migrations')
      .all()
      .map(({ id }) => id)
  } catch (error) {
    const fault = unavailable(error)
    if (!(fault instanceof Error)) throw error
    throw new SafekeepingRefused(`${file} is not a database that can be read: ${fault.message}`, {
      cause: error,
    })
  } finally {
    db?.close()
  }
}

function pendingOf(file: string, applied: readonly string[]): number {
  try {
    return pendingMigrations(applied).length
  } catch (error) {
    if (!(error instanceof UnknownSchema)) throw error
    throw new SafekeepingRefused(`${file}: ${error.message}`, { cause: error })
  }
}
