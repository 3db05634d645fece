import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import type { StoreAccess } from '../../core/ports/store.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { fileIdentity } from './fileIdentity.ts'
import { refuseForeign, requireSchema } from './migrate.ts'
import { SIDE_FILES, createPrivateFile } from './privateFile.ts'
import { sqliteWords } from './sqliteWords.ts'

/** `default`: nothing is lost when the process dies, at most 100 ms when the power fails. `strict`: nothing at all. */
export type Durability = 'default' | 'strict'

/** How long a statement blocks for another process's lock; the event loop stands still meanwhile. */
const BUSY_TIMEOUT_MS = 5
/** After that, attempts are this far apart, and the event loop goes on between them. */
const BUSY_PAUSE_MS = 1
/** How long another process's lock is waited for in all. */
export const BUSY_WAIT_MAX_MS = 5_000
/**
 * How long the log may grow until a commit brings it into the file: longer, and that commit takes longer. Some ten
 * milliseconds for the disk; see `checkpoints.ts`.
 */
const CHECKPOINT_PAGES = 2_000
/** The log is cut back to this after a checkpoint. */
export const LOG_SIZE_MAX_BYTES = 64 * 1024 * 1024

/**
 * Opens the file. It and its folder are created when they are not there, unless it is only to be read: then it must be a
 * database with our schema. Every column that is an integer comes back as a bigint: money has 64 bits.
 */
export function openConnection(
  path: string,
  durability: Durability,
  access: StoreAccess = 'change',
): Database {
  if (path === '' || path.startsWith(':memory:')) {
    throw new StoreUnavailable('the SQLite database must be a file: processes share it')
  }
  let db: Database | undefined
  try {
    refuseDevice(path)
    if (!existsSync(path)) {
      if (access === 'read') throw new StoreUnavailable(noFile(path))
      refuseBesideLog(path)
    }
    if (access === 'change') createPrivateFile(path)
    const named = fileIdentity(path)
    const create = access === 'change'
    db = new Database(path, { create, readwrite: true, safeIntegers: true, strict: true })
    // Before anything else: switching to WAL takes a lock that another process may hold.
    db.run(`pragma busy_timeout = ${BUSY_WAIT_MAX_MS}`)
    // Waits for a restore that is putting another file in the place of this one: see `takePlaceOf`.
    db.run('pragma schema_version')
    if (fileIdentity(path) !== named) {
      throw new StoreUnavailable('the SQLite database was replaced while it was being opened')
    }
    // Before anything is set: a file that is not ours stays as it is.
    refuseForeign(db)
    if (access === 'read') requireSchema(db)
    db.run('pragma journal_mode = wal')
    db.run(`pragma synchronous = ${durability === 'strict' ? 'full' : 'normal'}`)
    db.run('pragma foreign_keys = on')
    letCommitsCheckpoint(db, true)
    return db
  } catch (error) {
    db?.close()
    throw unavailable(error)
  }
}

function noFile(path: string): string {
  return `there is no file ${path}, and commands that read do not create one: "tollgate serve" and "tollgate migrate" do; --config or --database-url names another`
}

/** SQLite would write a journal beside it. */
function refuseDevice(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there && !there.isFile() && !there.isDirectory())
    throw new StoreUnavailable(`${path} is a device or a pipe: the SQLite database must be a file`)
}

/** What the log of a database holds would be lost with a new database beside it, and a gateway may still write to it. */
function refuseBesideLog(path: string): void {
  const left = SIDE_FILES.map((suffix) => path + suffix).find((file) => existsSync(file))
  if (left === undefined) return
  throw new StoreUnavailable(
    `there is no file ${path}, but ${left} is still there: the database was deleted or moved away, and a gateway may still run on it. Stop it; then put the database back, or restore a backup, or delete ${path}-wal and ${path}-shm to begin with an empty one`,
  )
}

/**
 * Whether a commit that finds the log long brings it into the file, and the one after it cuts the log back; otherwise
 * somebody else has to do both.
 */
export function letCommitsCheckpoint(db: Database, they: boolean): void {
  db.run(`pragma wal_autocheckpoint = ${they ? CHECKPOINT_PAGES : 0}`)
  db.run(`pragma journal_size_limit = ${they ? LOG_SIZE_MAX_BYTES : -1}`)
}

/** From here on nothing may block the event loop for long: see `patiently`. */
export function blockBriefly(db: Database): void {
  db.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
}

/** Tries again while another process holds the lock, without blocking the event loop. */
export async function patiently<Result>(
  attempt: () => Result,
  waitMaxMs: number = BUSY_WAIT_MAX_MS,
): Promise<Result> {
  const deadline = performance.now() + waitMaxMs
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw unavailable(error)
    }
    await Bun.sleep(BUSY_PAUSE_MS)
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY') === true
}

/** What is wrong with the database, not with what it was asked to do. */
const FAULTS = [
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_NOMEM',
  'SQLITE_PROTOCOL',
  'SQLITE_PERM',
  'SQLITE_AUTH',
]

/** What the file system refused: it says nothing about the call that met it, and the next one would meet it too. */
const DISK_FAULTS = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY']

export function isDiskFault(error: unknown): boolean {
  return error instanceof SQLiteError && DISK_FAULTS.some((fault) => error.code?.startsWith(fault) === true)
}

/** Gives a fault of the database its name, `StoreUnavailable`; any other error stays what it is. */
export function unavailable(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return isFileError(error) ? fileUnavailable(error) : error
  const { code } = error
  if (code === undefined || !FAULTS.some((fault) => code.startsWith(fault))) return error
  return new StoreUnavailable(`SQLite: ${sqliteWords(error)}`, { cause: error })
}

function isFileError(error: unknown): error is Error & { readonly syscall: string } {
  return error instanceof Error && 'syscall' in error && typeof error.syscall === 'string'
}

function fileUnavailable(error: Error): StoreUnavailable {
  return new StoreUnavailable(`SQLite: ${error.message}`, { cause: error })
}
