import { nextTurn } from './nextTurn.ts'
import { createPartSize } from './partSize.ts'

/** Reads what may be very much in parts. */
export interface Pace {
  /** @param read is given how many rows it may look at */
  part<Result>(read: (rows: number) => Promise<Result>): Promise<Result>
}

/** How reports are cut into parts, so that none stands in the way of calls. */
export interface Turns {
  /**
   * For one report.
   * @param rowsMax how many rows a part may look at: some milliseconds' worth when they are all in memory
   */
  pace(rowsMax: number): Pace
}

/**
 * For an embedded engine, which blocks the event loop while it reads. However many reports there are, a turn of the
 * event loop has one part of one of them; they take turns.
 */
export function createTurns(): Turns {
  let last = Promise.resolve()

  return {
    pace(rowsMax) {
      const size = createPartSize(rowsMax)
      return {
        async part(read) {
          last = last.then(nextTurn)
          await last
          const startedAt = performance.now()
          const result = await read(size.rows())
          size.took(performance.now() - startedAt)
          return result
        },
      }
    },
  }
}

/** Parts of this size, one at once after the other: for an engine that blocks nothing while it reads. */
export function steadyPace(rows: number): Pace {
  return { part: (read) => read(rows) }
}
