import { MoveRefused } from '../../core/ports/move.ts'

/** How a target is emptied. */
const EMPTY_IT = 'empty it (delete the file, or drop the database and create it again)'

export function movedByOther(target: string): MoveRefused {
  return new MoveRefused(
    `another process moves books into ${target}: let it end, or stop it and run this again`,
  )
}

export function inUse(place: string, users: string): MoveRefused {
  return new MoveRefused(
    `${place} is in use: ${users}. Stop every gateway and command that uses it, and run this again`,
  )
}

/** @param lastMove when the run began that ended the newest move into the target, in milliseconds since the epoch */
export function notEmpty(target: string, table: string, lastMove: number | undefined): MoveRefused {
  const filled = `${target} is not empty (${table} has rows)`
  if (lastMove === undefined) {
    return new MoveRefused(`${filled}: books are only moved into a database without any. Name a new one`)
  }
  const begun = new Date(lastMove).toISOString()
  return new MoveRefused(
    `${filled}: a move into it has ended, in the run of ${begun}. If you meant that move, there is nothing left to do: "tollgate audit --action database.move" on that database shows it, and "tollgate ledger verify" adds up its ledger. For another move, name a new database`,
  )
}

export function sameDatabase(place: string): MoveRefused {
  return new MoveRefused(`--from and --to name the same database, ${place}`)
}

export function unfinishedSource(source: string): MoveRefused {
  return new MoveRefused(
    `${source} has only a part of the books: a move into it has not ended. End that move first`,
  )
}

export function otherSource(target: string, source: string): MoveRefused {
  return new MoveRefused(
    `a move from ${source} into ${target} has not ended: run it again with --from naming that database; or ${EMPTY_IT} to begin with another one`,
  )
}

export function otherVersion(target: string): MoveRefused {
  return new MoveRefused(
    `the move into ${target} was begun by another version of tollgate: go on with that one; or ${EMPTY_IT} and begin again`,
  )
}

export function sourceChanged(source: string, target: string, where: string): MoveRefused {
  return new MoveRefused(
    `${source} has changed since the move began (${where}): the move has not ended. Stop every gateway that uses it; as for ${target}, ${EMPTY_IT}. Then run this again`,
  )
}

export function doesNotAddUp([first = '', ...others]: readonly string[], source: string): MoveRefused {
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return new MoveRefused(
    `everything is copied, but the ledger does not add up, neither there nor in ${source} (${first}${more}); "tollgate ledger verify" names what differs there. Run this again with --unsound to accept it`,
  )
}
