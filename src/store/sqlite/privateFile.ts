import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readlinkSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The database holds hashes of keys, balances and kept answers: only the user that Tollgate runs as may read it. */
export const PRIVATE_FILE_MODE = 0o600
const PRIVATE_FOLDER_MODE = 0o700
const PERMISSION_BITS = 0o777
/** A chain of more links is taken for a circle, as Linux does. */
const LINKS_MAX = 40

/** What SQLite keeps beside the database: the write-ahead log, and the index of it that processes share. */
export const SIDE_FILES = ['-wal', '-shm'] as const

/**
 * Creates the file, empty, if it is not there, and its folder. SQLite gives the files beside a database the
 * permissions of the database, so these are right from their first byte on, whatever the umask is.
 * A link to a file that is not there gets that file. Returns whether it created one.
 */
export function createPrivateFile(path: string, links = 0): boolean {
  createPrivateFolder(dirname(path))
  let file: number
  try {
    file = openSync(path, 'wx', PRIVATE_FILE_MODE)
  } catch (error) {
    // Never open a database that is there: closing it again would end every lock of this process on it.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if (existsSync(path)) return false
    if (links === LINKS_MAX) throw new Error(`${path} is a link that leads to itself`, { cause: error })
    return createPrivateFile(resolve(dirname(path), readlinkSync(path)), links + 1)
  }
  // The umask may have taken away too much.
  fchmodSync(file, PRIVATE_FILE_MODE)
  closeSync(file)
  return true
}

function createPrivateFolder(folder: string): void {
  const created = mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  if (created !== undefined) chmodSync(folder, PRIVATE_FOLDER_MODE)
}

/**
 * Takes the permissions of everybody else away from a database that is there already, and from the files beside it.
 * Returns the files whose permissions stay too wide because they belong to another user.
 */
export function makePrivate(database: string): readonly string[] {
  return ['', ...SIDE_FILES].map((suffix) => database + suffix).filter((path) => !narrow(path))
}

function narrow(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & PERMISSION_BITS & ~PRIVATE_FILE_MODE) === 0) return true
  try {
    chmodSync(path, mode & PRIVATE_FILE_MODE)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOT_OURS.includes(String(error.code))) return false
    throw error
  }
}

/** Only the owner may change permissions; on some file systems nobody can. */
const NOT_OURS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EROFS', 'ENOENT']
