import { Database } from 'bun:sqlite'
import type { AuditEntry } from '../../../core/ports/audit.ts'
import type { RevokedOnce } from '../../../core/ports/safekeeping.ts'
import { auditRow } from '../../rows.ts'

const TABLES = [
  ['keys', 'key'],
  ['admin_tokens', 'admin token'],
] as const

/** Writes into a copy that it becomes the database again. Gives the ids of its keys and admin tokens that are not revoked. */
export function recordRestore(copy: string, entry: AuditEntry): ReadonlySet<string> {
  const db = new Database(copy, { create: false, readwrite: true, safeIntegers: true })
  try {
    const row = auditRow(entry)
    const columns = Object.keys(row)
    const places = columns.map(() => '?').join(', ')
    db.query(`insert into audit_log (${columns.join(', ')}) values (${places})`).run(
      ...(Object.values(row) as (string | number | null)[]),
    )
    const ids = TABLES.flatMap(([table]) =>
      db.query<{ id: string }, []>(`select id from ${table} where revoked_at is null`).all(),
    )
    return new Set(ids.map(({ id }) => id))
  } finally {
    db.close()
  }
}

/** The keys and admin tokens that are revoked in a database of this or an older version. */
export function revokedIn(file: string): readonly RevokedOnce[] {
  const db = new Database(file, { readonly: true })
  try {
    return TABLES.flatMap(([table, kind]) => {
      if (db.query('select 1 from sqlite_master where name = ?').get(table) === null) return []
      return db
        .query<{ id: string; name: string }, []>(
          `select id, name from ${table} where revoked_at is not null order by revoked_at, id`,
        )
        .all()
        .map(({ id, name }) => ({ kind, id, name }))
    })
  } finally {
    db.close()
  }
}
