import type { Database } from 'bun:sqlite'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { SIDE_FILES } from '../privateFile.ts'
import { syncFolderOf } from './copyDatabase.ts'
import { holdAlone } from './holdAlone.ts'

const REMEDY = 'Stop the gateway, move the file and its -wal away, and restore again'

/**
 * Puts a finished copy in the place of the database at `path`, under the lock that nobody gets who is not alone with
 * it. What was there is kept as `before`. Returns whether there was something.
 *
 * @param look reads what is replaced, before anything is changed; undefined: there is nothing
 */
export function takePlaceOf(
  path: string,
  copy: string,
  before: string,
  look: (old: Database | undefined) => void,
): boolean {
  if (!existsSync(path)) {
    look(undefined)
    // A log without its database is another one's: SQLite would replay it into this one.
    for (const suffix of [...SIDE_FILES, '-journal']) rmSync(path + suffix, { force: true })
    renameSync(copy, path)
    syncFolderOf(path)
    return false
  }
  const old = holdAlone(path, REMEDY)
  try {
    look(old)
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
