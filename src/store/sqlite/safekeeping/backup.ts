import { existsSync, renameSync, statSync } from 'node:fs'
import { type BackupOrder, type Copy, SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import {
  copyDatabase,
  discard,
  discardAbandoned,
  syncFolderOf,
  syncToDisk,
  unfinishedName,
  updateCopy,
} from './copyDatabase.ts'
import { checkDatabase } from './ourDatabase.ts'
import { proveCopy } from './proveCopy.ts'

/** Copies the database at `path`, proves the copy, and only then gives it its name. */
export async function backup(path: string, order: BackupOrder): Promise<Copy> {
  const { file, overwrite, progress } = order
  if (!existsSync(path)) throw new SafekeepingRefused(`there is no database at ${path}`)
  refuseToOverwrite(file, path, overwrite)
  const copy = unfinishedName(file)
  try {
    await copyDatabase(path, copy, {
      readonly: false,
      progress: (bytes, total) => progress('copying', bytes, total),
    })
    progress('checking', 0, 0)
    const { outdated } = await checkDatabase(copy, path)
    const proved = await proveAsOfToday(copy, outdated, order)
    syncToDisk(copy)
    discardAbandoned(file, copy)
    // A large database takes a while: somebody else may have made the file meanwhile.
    refuseToOverwrite(file, path, overwrite)
    renameSync(copy, file)
    syncFolderOf(file)
    return { ...proved, file }
  } finally {
    discard(copy)
  }
}

/** A ledger is read as this version writes it: a copy with an older schema is proved by a copy of it that was updated. */
async function proveAsOfToday(copy: string, outdated: boolean, order: BackupOrder): Promise<Copy> {
  const { at, unsound, progress } = order
  const count = (transfers: number): void => progress('adding up transfers', transfers, 0)
  if (!outdated) return proveCopy(copy, unsound, count)
  const updated = unfinishedName(order.file)
  try {
    await copyDatabase(copy, updated, {
      readonly: true,
      progress: (bytes, total) => progress('copying', bytes, total),
    })
    updateCopy(updated, at)
    return { ...(await proveCopy(updated, unsound, count)), bytes: statSync(copy).size }
  } finally {
    discard(updated)
  }
}

function refuseToOverwrite(file: string, path: string, overwrite: boolean): void {
  const there = statSync(file, { throwIfNoEntry: false })
  if (!there) return
  const database = statSync(path)
  if (there.dev === database.dev && there.ino === database.ino) {
    throw new SafekeepingRefused(`${file} is the database itself`)
  }
  if (!there.isFile()) throw new SafekeepingRefused(`${file} exists and is not a file`)
  if (!overwrite) throw new SafekeepingRefused(`${file} exists; --force overwrites it`)
}
