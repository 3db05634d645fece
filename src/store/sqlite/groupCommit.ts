import type { Database } from 'bun:sqlite'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { patiently, unavailable } from './connection.ts'
import type { Statements } from './statements.ts'

/** The most calls that share a transaction; more wait for the next one. Bounds how long it blocks. */
export const GROUP_MAX = 256
/**
 * How long a transaction waits while every turn of the event loop brings more calls for it: a commit costs as much as
 * several calls. A lone call waits for one turn.
 */
export const GATHER_MAX_MS = 2

/** What a call does inside the group's transaction. */
type Work<Result> = () => Result

interface Waiting {
  readonly work: Work<unknown>
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

export interface GroupCommit {
  /** Runs the work in the next transaction; resolves when that is committed. */
  submit<Result>(work: Work<Result>): Promise<Result>
  /** Commits what waits; later work is refused with `StoreUnavailable`. */
  close(): Promise<void>
}

export interface GroupCommitOptions {
  readonly db: Database
  readonly statements: Statements
  /** Called before the first work of a transaction: forget what was loaded. */
  readonly begin: () => void
  /** Called after the last: write back what has changed. */
  readonly end: () => void
  readonly onCommit: () => void
  /** Called when a transaction failed by the database's fault. */
  readonly onFault: (fault: StoreUnavailable) => void
  /** Why nothing may be written now. */
  readonly refusal: () => StoreUnavailable | undefined
  /** Default: `GATHER_MAX_MS`. */
  readonly gatherMaxMs?: number
}

/** Lets the calls of one turn of the event loop, and of the turns right after it, share a transaction. */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { db, statements, begin, end, onCommit, onFault, refusal, gatherMaxMs = GATHER_MAX_MS } = options
  const beginImmediate = statements.prepare('begin immediate')
  const commit = statements.prepare('commit')
  const rollback = statements.prepare('rollback')
  let queue: Waiting[] = []
  let flushing: Promise<void> | undefined
  let closed = false

  function transact(works: readonly Work<unknown>[]): unknown[] {
    // A rollback may have met the same fault as the transaction.
    if (db.inTransaction) rollback.run()
    beginImmediate.run()
    try {
      begin()
      const results = works.map((work) => work())
      end()
      commit.run()
      return results
    } catch (error) {
      if (db.inTransaction) rollback.run()
      throw error
    }
  }

  async function runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const refused = refusal()
      if (refused) throw refused
      const works = group.map(({ work }) => work)
      const results = await patiently(() => transact(works))
      onCommit()
      for (const [i, waiting] of group.entries()) waiting.resolve(results[i] as never)
    } catch (error) {
      const fault = unavailable(error)
      if (fault instanceof StoreUnavailable) {
        // Whoever waits behind would wait as long again, and the next one longer still.
        onFault(fault)
        const all = [...group, ...queue]
        queue = []
        for (const waiting of all) waiting.reject(fault)
        return
      }
      if (group.length === 1) {
        for (const waiting of group) waiting.reject(fault)
        return
      }
      // One of them is at fault: alone, it fails alone.
      for (const waiting of group) await runGroup([waiting])
    }
  }

  /** When a turn is over, all of its calls are in the queue. Ends with a turn that has brought none. */
  async function gathered(): Promise<void> {
    const until = performance.now() + gatherMaxMs
    for (;;) {
      const before = queue.length
      await new Promise((over) => {
        setImmediate(over)
      })
      if (queue.length === before || queue.length >= GROUP_MAX || performance.now() >= until) return
    }
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      await gathered()
      const group = queue.slice(0, GROUP_MAX)
      queue = queue.slice(GROUP_MAX)
      await runGroup(group)
    }
    flushing = undefined
  }

  return {
    submit<Result>(work: Work<Result>) {
      if (closed) return Promise.reject(new StoreUnavailable('the store is closed'))
      return new Promise<Result>((resolve, reject) => {
        queue.push({ work, resolve, reject })
        flushing ??= flush()
      })
    },
    async close() {
      closed = true
      await flushing
    },
  }
}
