import type { Database } from 'bun:sqlite'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { MOVE_TABLE, unfinishedMove } from '../unfinishedMove.ts'
import { MIGRATIONS_TABLE, pendingMigrations, requireMigrated } from '../migrations/migrations.ts'

/** `toll`: says in a file's head whose database it is. */
export const APPLICATION_ID = 0x746f6c6c
/** Named at most, of the tables that are not ours. */
const FOREIGN_TABLES_NAMED = 3

/** Throws `StoreUnavailable` for a file that another program keeps its data in; changes nothing. */
export function refuseForeign(db: Database): void {
  const { application_id: owner } =
    db.query<{ application_id: bigint }, []>('pragma application_id').get() ?? {}
  if (owner === BigInt(APPLICATION_ID)) return
  const tables = db
    .query<{ name: string }, []>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
    )
    .all()
    .map(({ name }) => name)
  const columns = db.query<{ name: string }, []>('pragma table_info(schema_migrations)').all()
  const isOurs = columns.some(({ name }) => name === 'applied_at')
  if (owner === 0n && (tables.length === 0 || isOurs)) return
  const named = tables.slice(0, FOREIGN_TABLES_NAMED).join(', ')
  const what =
    named === '' ? '' : ` (it has the tables ${named}${tables.length > FOREIGN_TABLES_NAMED ? ', …' : ''})`
  throw new StoreUnavailable(`the file is the database of another program${what}, and is not changed`)
}

/** Throws `StoreUnavailable` for a database that a move into it has filled in part. */
export function refuseUnfinishedMove(db: Database): void {
  if (hasTable(db, MOVE_TABLE)) throw unfinishedMove()
}

export function hasTable(db: Database, name: string): boolean {
  return db.query("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== null
}

/** Brings the schema up to date under the file's write lock, so that of several processes one does it. */
export function migrate(db: Database, at: number): void {
  db.transaction(() => {
    db.run(MIGRATIONS_TABLE)
    db.run(`pragma application_id = ${APPLICATION_ID}`)
    const applied = db.query<{ id: string }, []>('select id from schema_migrations').all()
    const record = db.query('insert into schema_migrations (id, applied_at) values (?, ?)')
    for (const migration of pendingMigrations(applied.map(({ id }) => id))) {
      for (const statement of migration.statements('sqlite')) db.run(statement)
      record.run(migration.id, at)
    }
  }).immediate()
}

/** Throws `StoreUnavailable` unless the schema is up to date; changes nothing. */
export function requireSchema(db: Database): void {
  const applied = (): string[] =>
    db
      .query<{ id: string }, []>('select id from schema_migrations')
      .all()
      .map(({ id }) => id)
  requireMigrated(hasTable(db, 'schema_migrations') ? applied() : undefined)
}
