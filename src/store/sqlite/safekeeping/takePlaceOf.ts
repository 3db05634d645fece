import { Database } from 'bun:sqlite'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { isBusy, unavailable } from '../connection.ts'
import { SIDE_FILES } from '../privateFile.ts'
import { syncFolderOf } from './copyDatabase.ts'

/** How long the lock is tried for: whoever has a database open in WAL mode does not let go of it before it ends. */
const LOCK_WAIT_MS = 1_000

/**
 * Puts a finished copy in the place of the database at `path`, under the lock that nobody gets who is not alone with
 * it. What was there is kept as `before`. Returns whether there was something.
 */
export function takePlaceOf(path: string, copy: string, before: string): boolean {
  if (!existsSync(path)) {
    // A log without its database is another one's: SQLite would replay it into this one.
    for (const suffix of [...SIDE_FILES, '-journal']) rmSync(path + suffix, { force: true })
    renameSync(copy, path)
    syncFolderOf(path)
    return false
  }
  const old = lock(path)
  try {
    keepAs(path, before)
    // In one step: at no moment is there no database, which a gateway that starts now would take for a new one.
    renameSync(copy, path)
    syncFolderOf(path)
  } finally {
    // Whoever waited for the lock meanwhile sees that its file is not the database any more: `openConnection`.
    old.close()
  }
  return true
}

/** A database that nobody else has open, whole in its one file: its log is brought in and removed. */
function lock(path: string): Database {
  let db: Database | undefined
  try {
    db = new Database(path, { create: false, readwrite: true })
    db.run(`pragma busy_timeout = ${LOCK_WAIT_MS}`)
    db.run('pragma locking_mode = exclusive')
    db.run('pragma journal_mode = delete')
    db.run('begin exclusive')
    return db
  } catch (error) {
    db?.close()
    throw new SafekeepingRefused(isBusy(error) ? inUse(path) : unreadable(path, error), { cause: error })
  }
}

function inUse(path: string): string {
  return `${path} is in use by another process: stop the gateway first`
}

function unreadable(path: string, error: unknown): string {
  const fault = unavailable(error)
  const reason = fault instanceof Error ? fault.message : String(fault)
  return `${path} cannot be opened (${reason}), so it is not known whether a gateway uses it. Stop the gateway, move the file and its -wal away, and restore again`
}

function keepAs(path: string, before: string): void {
  try {
    linkSync(path, before)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NO_LINKS.includes(String(error.code)))) throw error
    renameSync(path, before)
  }
}

/** Some file systems have no second names for a file. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']
