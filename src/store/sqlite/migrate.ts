import type { Database } from 'bun:sqlite'
import { MIGRATIONS_TABLE, pendingMigrations } from '../migrations/migrations.ts'

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
