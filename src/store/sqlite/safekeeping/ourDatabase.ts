import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { printableStart } from '../../../core/printable.ts'
import {
  MIGRATIONS,
  MIGRATIONS_TABLE,
  pendingMigrations,
  UnknownSchema,
} from '../../migrations/migrations.ts'
import { MOVE_TABLE, unfinishedMove } from '../../unfinishedMove.ts'
import { unavailable } from '../connection.ts'
import { doInThread } from './longWork.ts'

/**
 * Refuses a file that is not a whole database of Tollgate, or that a newer version wrote.
 * Returns whether its schema is older than this version's.
 *
 * @param name what a refusal names: of a copy, the database that it is of
 */
export async function checkDatabase(
  file: string,
  name: string = file,
): Promise<{ readonly outdated: boolean }> {
  if (!statSync(file).isFile()) throw new SafekeepingRefused(`${name} is not a regular file`)
  const applied = appliedMigrations(file, name)
  if (applied.length === 0) throw new SafekeepingRefused(`${name} is not a database of Tollgate`)
  const outdated = pendingOf(name, applied) > 0
  refuseForeign(file, name, applied)
  const answer = await doInThread({ kind: 'check', file })
  const read = file === name ? file : `the copy of ${name}`
  if (!answer.ok) throw new SafekeepingRefused(`${read} cannot be read: ${answer.message}`)
  const [mistake] = answer.mistakes
  if (mistake !== undefined) throw new SafekeepingRefused(`${read} is damaged: ${mistake}`)
  return { outdated }
}

function appliedMigrations(file: string, name: string): string[] {
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
    throw new SafekeepingRefused(`${name} is not a database that can be read: ${fault.message}`, {
      cause: error,
    })
  } finally {
    db?.close()
  }
}

/** What a database holds: `sql` is undefined for tables and indexes, which different versions may have written differently. */
interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly sql: string | undefined
}

/**
 * Refuses a file with a table, an index, a trigger or a view that Tollgate has not made: triggers would still change
 * balances after the restore.
 */
function refuseForeign(file: string, name: string, applied: readonly string[]): void {
  const expected = new Set(schemaOf(applied).map(nameOf))
  const db = new Database(file, { readonly: true })
  try {
    const foreign = objectsIn(db).find((object) => !expected.has(nameOf(object)))
    if (!foreign) return
    if (foreign.name === MOVE_TABLE) throw new SafekeepingRefused(`${name}: ${unfinishedMove().message}`)
    const message = `${name} has a ${foreign.type} that is not of Tollgate: ${printableStart(foreign.name)}`
    throw new SafekeepingRefused(message)
  } finally {
    db.close()
  }
}

/** The schema after these migrations. */
function schemaOf(applied: readonly string[]): SchemaObject[] {
  const db = new Database(':memory:')
  try {
    db.run(MIGRATIONS_TABLE)
    for (const migration of MIGRATIONS)
      if (applied.includes(migration.id))
        for (const statement of migration.statements('sqlite')) db.run(statement)
    return objectsIn(db)
  } finally {
    db.close()
  }
}

/** All but what SQLite makes by itself. */
function objectsIn(db: Database): SchemaObject[] {
  return db
    .query<{ type: string; name: string; sql: string | null }, []>(
      "select type, name, sql from sqlite_master where name not like 'sqlite\\_%' escape '\\'",
    )
    .all()
    .map(({ type, name, sql }) => ({
      type,
      name,
      sql: type === 'trigger' || type === 'view' ? (sql ?? '') : undefined,
    }))
}

function nameOf({ type, name, sql = '' }: SchemaObject): string {
  return `${type} ${name} ${sql}`
}

function pendingOf(name: string, applied: readonly string[]): number {
  try {
    return pendingMigrations(applied).length
  } catch (error) {
    if (!(error instanceof UnknownSchema)) throw error
    throw new SafekeepingRefused(`${name}: ${error.message}`, { cause: error })
  }
}
