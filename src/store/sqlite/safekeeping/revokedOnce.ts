import { Database } from 'bun:sqlite'
import type { AuditEntry } from '../../../core/ports/audit.ts'
import { type RevokedOnce, SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { auditRow } from '../../rows.ts'
import { unavailable } from '../connection.ts'
import { compactUtc, keptBefore, type KeptBefore } from './keptBefore.ts'

const TABLES = [
  ['keys', 'key'],
  ['admin_tokens', 'admin token'],
] as const

/** What is in a copy that becomes the database again. */
export interface Restorable {
  /** The ids of its keys and admin tokens that are not revoked. */
  readonly valid: ReadonlySet<string>
  /** When the restores were that its audit log has, as `compactUtc` writes it. */
  readonly restores: ReadonlySet<string>
}

/** Writes into a copy that it becomes the database again. */
export function recordRestore(copy: string, entry: AuditEntry): Restorable {
  const db = new Database(copy, { create: false, readwrite: true, safeIntegers: true })
  try {
    const restores = new Set(restoresIn(db))
    const row = auditRow(entry)
    const columns = Object.keys(row)
    const places = columns.map(() => '?').join(', ')
    db.query(`insert into audit_log (${columns.join(', ')}) values (${places})`).run(
      ...(Object.values(row) as (string | number | null)[]),
    )
    const ids = TABLES.flatMap(([table]) =>
      db.query<{ id: string }, []>(`select id from ${table} where revoked_at is null`).all(),
    )
    return { valid: new Set(ids.map(({ id }) => id)), restores }
  } finally {
    db.close()
  }
}

/**
 * What is valid in the copy, and revoked in the database that it replaces, or in one that an earlier restore has put
 * aside. Earlier restores count where the copy does not know them: one that was interrupted has named nothing, and what it
 * put in place is what is replaced now. Throws `SafekeepingRefused` where one of them cannot be read.
 *
 * @param old undefined: there is no database, as after an interruption on a file system without hard links
 */
export function inForceAgain(
  database: string,
  old: Database | undefined,
  { valid, restores }: Restorable,
): readonly RevokedOnce[] {
  const kept = keptBefore(database).filter(({ time }) => !restores.has(time))
  const found = new Map<string, RevokedOnce>()
  // It grows while it is walked: each database leads to those that the restores in its audit log have put aside.
  const toRead = new Set<KeptBefore>(old ? [] : kept.slice(0, 1))

  function read(db: Database): void {
    for (const one of revokedIn(db)) if (valid.has(one.id)) found.set(one.id, one)
    const times = new Set(restoresIn(db))
    for (const one of kept) if (times.has(one.time)) toRead.add(one)
  }

  if (old) reading(database, () => read(old))
  for (const { file } of toRead) {
    reading(file, () => {
      const db = new Database(file, { readonly: true })
      try {
        read(db)
      } finally {
        db.close()
      }
    })
  }
  return [...found.values()]
}

function reading(file: string, read: () => void): void {
  try {
    read()
  } catch (error) {
    const fault = unavailable(error)
    const reason = fault instanceof Error ? fault.message : String(fault)
    throw new SafekeepingRefused(
      `${file} cannot be read (${reason}), so it is not known which keys and admin tokens were revoked in it. Move it and its -wal away, and restore again`,
      { cause: error },
    )
  }
}

/** The keys and admin tokens that are revoked in a database of this or an older version. */
function revokedIn(db: Database): readonly RevokedOnce[] {
  return TABLES.flatMap(([table, kind]) => {
    if (!hasTable(db, table)) return []
    return db
      .query<{ id: string; name: string }, []>(
        `select id, name from ${table} where revoked_at is not null order by revoked_at, id`,
      )
      .all()
      .map(({ id, name }) => ({ kind, id, name }))
  })
}

function restoresIn(db: Database): readonly string[] {
  if (!hasTable(db, 'audit_log')) return []
  return db
    .query<{ at: number | bigint }, []>("select at from audit_log where action = 'database.restore'")
    .all()
    .map(({ at }) => compactUtc(Number(at)))
}

function hasTable(db: Database, name: string): boolean {
  return db.query("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== null
}
