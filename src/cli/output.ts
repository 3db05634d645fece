import type { Io } from './deps.ts'
import type { Given } from './namedInstead.ts'
import { OutputLost, outputLostAfter } from './outputLost.ts'

/** What a command writes of its work. */
export interface Output {
  /** Writes a result as JSON when that was asked for, else as `table` writes it. */
  show<Result>(result: Result, table: (result: Result) => string): void
  /** Says where a change was made: a mistyped flag is seen immediately, and not in the books. */
  sayChanged(place: string, changed: boolean): void
  /** Left out where JSON was asked for. */
  warn(warning: string): void
}

export function createOutput({ command, switches }: Given, io: Io): Output {
  return {
    show(result, table) {
      const text = switches.has('json') ? `${JSON.stringify(result, null, 2)}\n` : table(result)
      try {
        io.out(text)
      } catch (error) {
        throw command.changes && error instanceof OutputLost ? outputLostAfter(result, error) : error
      }
    },
    sayChanged(place, changed) {
      if (!command.changes || switches.has('json')) return
      io.err(changed ? `Changed ${place}.\n` : `Nothing to change in ${place}.\n`)
    },
    warn(warning) {
      if (!switches.has('json')) io.err(`tollgate: ${warning}\n`)
    },
  }
}
