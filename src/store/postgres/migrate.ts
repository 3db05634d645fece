import { SQL } from 'bun'
import { sql, type Kysely } from 'kysely'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { MOVE_TABLE, unfinishedMove } from '../unfinishedMove.ts'
import { MIGRATIONS_TABLE, pendingMigrations, requireMigrated } from '../migrations/migrations.ts'
import { beginning, COMMIT } from './begin.ts'
import { classifyFailure, isOfMissingTable } from './failure.ts'
import type { Schema } from '../schema.ts'
import type { Pool } from './pool.ts'
import { createSession, type Session } from './session.ts'

/** Under which each lane leaves the number of its last transaction; see `transaction.ts`. */
const LANE_MARKS_TABLE = `create table if not exists lane_marks (
  lane text not null primary key,
  number bigint not null,
  written_at bigint not null
)`
/** The row that nodes which start at once queue up at. */
const LOCK_ROW = 'migrations'
/** How long a migration may take, or wait for another node's, in milliseconds. */
const MIGRATION_TIMEOUT_MS = 600_000
const ATTEMPTS_MAX = 5
/** Two nodes create the same table, in spite of `if not exists`: unique_violation, duplicate_table, duplicate_object. */
const CREATED_BY_OTHERS = new Set(['23505', '42P07', '42710'])

/**
 * Brings the schema up to date; of several nodes that start at once, one does it and the others wait. Where nothing is
 * to be done, nothing is written: the role needs no right to create.
 */
export async function migrate(pool: Pool, db: Kysely<Schema>, at: number): Promise<void> {
  await refuseForeign(db)
  const applied = await appliedMigrations(db)
  if (applied && pendingMigrations(applied).length === 0) return
  const session = createSession(pool, { timeoutMs: MIGRATION_TIMEOUT_MS, keeps: false })
  for (let attempt = 1; ; attempt++) {
    try {
      await migrateOnce(session, at)
      session.rest()
      return
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isOvertaken(error)) throw error
    } finally {
      // Does nothing where the connection went back.
      await session.reset()
    }
  }
}

/** Whether another node that starts at the same time was quicker. */
function isOvertaken(error: unknown): boolean {
  const state = error instanceof SQL.PostgresError ? error.errno : undefined
  return classifyFailure(error) === 'contention' || CREATED_BY_OTHERS.has(state ?? '')
}

async function migrateOnce(session: Session, at: number): Promise<void> {
  await session.send([
    ...beginning(MIGRATION_TIMEOUT_MS),
    { text: LANE_MARKS_TABLE },
    { text: MIGRATIONS_TABLE },
  ])
  const answers = await session.send([
    {
      text: `INSERT INTO lane_marks (lane, number, written_at) VALUES ($1, 0, $2::bigint)
        ON CONFLICT (lane) DO UPDATE SET written_at = excluded.written_at`,
      values: [LOCK_ROW, BigInt(at)],
    },
    { text: 'SELECT id FROM schema_migrations' },
  ])
  const applied = (answers.at(-1) ?? []).map((row) => row['id'] as string)
  await session.send([
    ...pendingMigrations(applied).flatMap((migration) => [
      ...migration.statements('postgres').map((text) => ({ text })),
      {
        text: 'INSERT INTO schema_migrations (id, applied_at) VALUES ($1, $2::bigint)',
        values: [migration.id, BigInt(at)],
      },
    ]),
    COMMIT,
  ])
}

/** Tables by which a schema of another program is known: it has one of them, but not ours beside it. */
const TELLTALE_TABLES = ['schema_migrations', 'workspaces', 'keys', 'transfers']

/** Throws `StoreUnavailable` where another program has tables of our names; changes nothing. */
async function refuseForeign(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ table_name: string; column_name: string }>`
    SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()
      AND table_name IN (${sql.join(TELLTALE_TABLES)})`.execute(db)
  const isOurs = rows.some(
    (row) => row.table_name === 'schema_migrations' && row.column_name === 'applied_at',
  )
  const [found] = rows
  if (found === undefined || isOurs) return
  throw new StoreUnavailable(
    `another program has a table "${found.table_name}" there, and it is not changed: give tollgate a database, or a schema, of its own`,
  )
}

/** Throws `StoreUnavailable` for a database that a move into it has filled in part. */
export async function refuseUnfinishedMove(db: Kysely<Schema>): Promise<void> {
  if (await isBeingMovedInto(db)) throw unfinishedMove()
}

/** Asks the catalogue of the server: the role may not be allowed to read the table. */
export async function isBeingMovedInto(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM pg_catalog.pg_tables
    WHERE schemaname = current_schema() AND tablename = ${MOVE_TABLE}`.execute(db)
  return rows.length > 0
}

/** Throws `StoreUnavailable` unless the schema is up to date; changes nothing. */
export async function requireSchema(db: Kysely<Schema>): Promise<void> {
  requireMigrated(await appliedMigrations(db))
}

/** Undefined: there is no table of migrations. */
async function appliedMigrations(db: Kysely<Schema>): Promise<readonly string[] | undefined> {
  try {
    const { rows } = await sql<{ id: string }>`SELECT id FROM schema_migrations`.execute(db)
    return rows.map(({ id }) => id)
  } catch (error) {
    if (isOfMissingTable(error)) return undefined
    throw error
  }
}
