import { Database } from 'bun:sqlite'
import { SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { isBusy, unavailable } from '../connection.ts'

/** How long the lock is tried for: a process that has a database open in WAL mode keeps it until it ends. */
const LOCK_WAIT_MS = 1_000

/**
 * Opens a database that no other process has open, under a lock that keeps it so until it is closed. It is whole in its
 * one file: its log is brought in and removed. Throws `SafekeepingRefused`.
 *
 * @param remedy what to do about a file that cannot be opened
 */
export function holdAlone(path: string, remedy: string): Database {
  let db: Database | undefined
  try {
    db = new Database(path, { create: false, readwrite: true, safeIntegers: true, strict: true })
    db.run(`pragma busy_timeout = ${LOCK_WAIT_MS}`)
    db.run('pragma locking_mode = exclusive')
    db.run('pragma journal_mode = delete')
    db.run('begin exclusive')
    return db
  } catch (error) {
    db?.close()
    throw new SafekeepingRefused(isBusy(error) ? inUse(path) : unreadable(path, error, remedy), {
      cause: error,
    })
  }
}

function inUse(path: string): string {
  return `${path} is in use by another process: stop the gateway first`
}

function unreadable(path: string, error: unknown, remedy: string): string {
  const fault = unavailable(error)
  const reason = fault instanceof Error ? fault.message : String(fault)
  return `${path} cannot be opened (${reason}), so it is not known whether a gateway uses it. ${remedy}`
}
