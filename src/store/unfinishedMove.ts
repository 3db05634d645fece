import { StoreUnavailable } from '../core/ports/till.ts'

/** The table that a target of `tollgate move` has until the move has ended: half the books must not be served. */
export const MOVE_TABLE = 'database_move'

/** Why a database with that table is not opened. */
export function unfinishedMove(): StoreUnavailable {
  return new StoreUnavailable(
    'a move into this database has not ended: run the same "tollgate move" again, and it goes on where it stopped',
  )
}
