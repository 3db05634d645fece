import { StoreUnavailable } from '../../core/ports/till.ts'
import { books } from './0001-books.ts'
import { oneUsageIndex } from './0002-one-usage-index.ts'
import { changesOnce } from './0003-changes-once.ts'
import { refusedCalls } from './0004-refused-calls.ts'
import { auditLog } from './0005-audit-log.ts'
import { tokenNames } from './0006-token-names.ts'
import { refusalsByCode } from './0007-refusals-by-code.ts'
import { keptResponses } from './0008-kept-responses.ts'
import type { Migration } from './migration.ts'

/** The schema from its beginning, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  books,
  oneUsageIndex,
  changesOnce,
  refusedCalls,
  auditLog,
  tokenNames,
  refusalsByCode,
  keptResponses,
]

/** The table in which each engine records what it has applied. */
export const MIGRATIONS_TABLE = `create table if not exists schema_migrations (
  id text not null primary key,
  applied_at bigint not null
)`

/** The database was written by a newer Tollgate: running on would be guesswork. */
export class UnknownSchema extends Error {
  override readonly name = 'UnknownSchema'
}

/** What is still to be applied. Throws `UnknownSchema` when something was applied that this version does not know. */
export function pendingMigrations(
  applied: readonly string[],
  known: readonly Migration[] = MIGRATIONS,
): readonly Migration[] {
  const unknown = applied.filter((id) => !known.some((migration) => migration.id === id))
  if (unknown.length > 0) {
    throw new UnknownSchema(
      `the database was written by a newer version of tollgate (it has ${unknown.join(', ')}); update tollgate`,
    )
  }
  return known.filter((migration) => !applied.includes(migration.id))
}

/**
 * For who only reads: throws `StoreUnavailable` unless the schema is there as this version writes it.
 * @param applied undefined: there is no table of migrations
 */
export function requireMigrated(applied: readonly string[] | undefined): void {
  if (applied === undefined) {
    throw new StoreUnavailable(
      'it holds no tables of tollgate, and commands that read do not create one: "tollgate serve" and "tollgate migrate" do',
    )
  }
  if (pendingMigrations(applied).length > 0) {
    throw new StoreUnavailable(
      'its tables are of an older version, and commands that read do not change them: "tollgate migrate" brings them up to date',
    )
  }
}
