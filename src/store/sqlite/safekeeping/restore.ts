import { existsSync, realpathSync } from 'node:fs'
import { printableStart } from '../../../core/printable.ts'
import { type Restored, type RestoreOrder, SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { fileIdentity } from '../fileIdentity.ts'
import { inForceAgain, recordRestore } from './revokedOnce.ts'
import { nameBefore } from './keptBefore.ts'
import {
  copyDatabase,
  discard,
  discardAbandoned,
  syncToDisk,
  unfinishedName,
  updateCopy,
} from './copyDatabase.ts'
import { checkDatabase } from './ourDatabase.ts'
import { proveCopy } from './proveCopy.ts'
import { takePlaceOf } from './takePlaceOf.ts'

/**
 * Proves a copy of the file beside the database, and then puts that in the database's place: the file itself stays
 * as it is, and whatever goes wrong before the last step changes nothing.
 */
export async function restore(path: string, order: RestoreOrder): Promise<Restored> {
  const { file, unsound, at, progress, record } = order
  if (!existsSync(file)) throw new SafekeepingRefused(`there is no file ${printableStart(file)}`)
  if (fileIdentity(file) === fileIdentity(path))
    throw new SafekeepingRefused(`${file} is the database itself`)
  const database = existsSync(path) ? realpathSync(path) : path
  progress('checking', 0, 0)
  await checkDatabase(file)
  const copy = unfinishedName(database)
  try {
    await copyDatabase(file, copy, {
      readonly: true,
      progress: (bytes, total) => progress('copying', bytes, total),
    })
    updateCopy(copy, at)
    const restorable = recordRestore(copy, record)
    const proved = await proveCopy(copy, unsound, (transfers) =>
      progress('adding up transfers', transfers, 0),
    )
    syncToDisk(copy)
    discardAbandoned(database, copy)
    const before = nameBefore(database, record.at)
    let again: Restored['inForceAgain'] = []
    const kept = takePlaceOf(database, copy, before, (old) => {
      again = inForceAgain(database, old, restorable)
    })
    return { ...proved, file, before: kept ? before : undefined, inForceAgain: again }
  } finally {
    discard(copy)
  }
}
