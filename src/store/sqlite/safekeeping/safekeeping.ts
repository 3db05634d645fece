import { SQLiteError } from 'bun:sqlite'
import { type Safekeeping, SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { sqliteWords } from '../sqliteWords.ts'
import { backup } from './backup.ts'
import { restore } from './restore.ts'

/** Copies of the SQLite database at `path`, made and put back by a process beside the gateway. */
export function createSqliteSafekeeping(path: string): Safekeeping {
  return {
    backup: (order) => inWords(backup(path, order)),
    restore: (order) => inWords(restore(path, order)),
  }
}

/** A fault of SQLite in one of the steps: mostly of the disk. */
async function inWords<Made>(work: Promise<Made>): Promise<Made> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error
    throw new SafekeepingRefused(`SQLite: ${sqliteWords(error)}`, { cause: error })
  }
}
