import type { SQLiteError } from 'bun:sqlite'

/** What SQLite says of a fault, and what it does not say of a disk: most of its codes for a full one do not name it. */
export function sqliteWords({ message, code }: Pick<SQLiteError, 'message' | 'code'>): string {
  const words = code === undefined ? message : `${message} (${code})`
  if (code === 'SQLITE_FULL') return `${words}; its disk is full, or a quota on it`
  return code?.startsWith('SQLITE_IOERR') && !READS.has(code) ? `${words}; its disk may be full` : words
}

/** A full disk can still be read. */
const READS: ReadonlySet<string> = new Set(['SQLITE_IOERR_READ', 'SQLITE_IOERR_SHORT_READ'])
