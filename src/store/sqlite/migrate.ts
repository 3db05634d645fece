import type { Database } from 'bun:sqlite'
import { MIGRATIONS_TABLE, pendingMigrations, requireMigrated } from '../migrations/migrations.ts'

/** Brings the schema up to date under the file's write lock, so that of several processes one does it. */
export function migrate(db: Database, at: number): void {
  db.transaction(() => {
    db.run(MIGRATIONS_TABLE)
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
  const tables = db.query("select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'")
  const applied = (): string[] =>
    db
      .query<{ id: string }, []>('select id from schema_migrations')
      .all()
      .map(({ id }) => id)
  requireMigrated(tables.get() === null ? undefined : applied())
}
