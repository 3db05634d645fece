import type { Safekeeping } from '../../../core/ports/safekeeping.ts'
import { backup } from './backup.ts'
import { restore } from './restore.ts'

/** Copies of the SQLite database at `path`, made and put back by a process beside the gateway. */
export function createSqliteSafekeeping(path: string): Safekeeping {
  return {
    backup: (order) => backup(path, order),
    restore: (order) => restore(path, order),
  }
}
