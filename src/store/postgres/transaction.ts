import { sql, type Kysely } from 'kysely'
import { OutcomeUnknown, StoreUnavailable } from '../../core/ports/till.ts'
import type { Schema } from '../schema.ts'
import { BEGIN, COMMIT, ROLLBACK } from './begin.ts'
import { combineWrites } from './combine.ts'
import { callersError, classifyFailure, isCertain } from './failure.ts'
import type { Rows, Statement } from './pool.ts'
import type { Session } from './session.ts'

/** One step for a group of requests, in two round trips: lock and load, decide, write and commit. */
export interface Transaction<Result> {
  /** The first statement locks every row that guards what the others load. */
  readonly load: readonly Statement[]
  /** Pure: a transaction that lost to others is decided again from what is loaded then. */
  readonly decide: (loaded: readonly Rows[]) => Decision<Result>
}

export interface Decision<Result> {
  /** For `combineWrites`. Empty: nothing is committed. */
  readonly writes: readonly Statement[]
  readonly result: Result
}

/** Runs one transaction after the other, each exactly once. */
export interface Lane {
  /**
   * Throws `StoreUnavailable` when the database is away and nothing was done, and `OutcomeUnknown` when it went away
   * during COMMIT and did not come back to say whether that went through.
   */
  run<Result>(transaction: Transaction<Result>): Promise<Result>
  /** Waits for what is under way; later transactions are refused with `StoreUnavailable`. */
  close(): Promise<void>
}

/** How often a transaction is tried, and the pauses between, in milliseconds. */
const ATTEMPTS_MAX = 5
const PAUSES_MS = [0, 20, 100, 300]
/**
 * No further attempt later than this after the first, in milliseconds: callers wait. But for one that asks what became
 * of a COMMIT that got no answer.
 */
const LAST_ATTEMPT_AFTER_MS = 3_000

/** A lane that has been silent for so long, in milliseconds, asks for its mark no more. */
const MARK_LIFE_MS = 86_400_000

/** Removes the marks of lanes that have ended. */
export async function forgetMarks(db: Kysely<Schema>, at: number): Promise<void> {
  await sql`DELETE FROM lane_marks WHERE written_at < ${BigInt(at - MARK_LIFE_MS)}`.execute(db)
}

/** What is known of a transaction while it is tried. */
interface Progress<Result> {
  /** What the attempt under way has sent with its COMMIT. */
  committing?: Decision<Result> | undefined
  /** What an earlier attempt sent with a COMMIT that got no answer. */
  doubtful?: Decision<Result> | undefined
}

/**
 * When the connection is lost during COMMIT, nobody says whether it went through. So every transaction
 * leaves its number under the lane's name, and a repetition first looks for it. It looks behind the lost transaction's
 * own lock on that row: by then it has ended one way or the other.
 *
 * @param name of this lane alone, in this life of this process
 */
export function createLane(session: Session, name: string, now: () => number, begin = BEGIN): Lane {
  let number = 0

  /** Writes the row as it is: that waits for a transaction which has not ended yet, also for one that inserts it. */
  function readMark(): Statement {
    return {
      text: `INSERT INTO lane_marks (lane, number, written_at) VALUES ($1, -1, $2)
        ON CONFLICT (lane) DO UPDATE SET written_at = lane_marks.written_at RETURNING number`,
      values: [name, BigInt(now())],
    }
  }
  function writeMark(): Statement {
    return {
      text: `INSERT INTO lane_marks (lane, number, written_at) VALUES ($1, $2, $3)
        ON CONFLICT (lane) DO UPDATE SET number = excluded.number, written_at = excluded.written_at`,
      values: [name, BigInt(number), BigInt(now())],
    }
  }

  async function attempt<Result>(
    { load, decide }: Transaction<Result>,
    progress: Progress<Result>,
  ): Promise<Result> {
    progress.committing = undefined
    const { doubtful } = progress
    const answers = await session.send([...begin, ...load, ...(doubtful ? [readMark()] : [])])
    const loaded = answers.slice(begin.length, begin.length + load.length)
    if (doubtful && answers.at(-1)?.[0]?.['number'] === BigInt(number)) {
      // It is done, whatever becomes of this connection.
      await session.send([ROLLBACK]).catch(() => session.reset())
      return doubtful.result
    }
    progress.doubtful = undefined
    const decision = decide(loaded)
    if (decision.writes.length === 0) {
      await session.send([ROLLBACK])
      return decision.result
    }
    progress.committing = decision
    const written = await session.send([combineWrites([...decision.writes, writeMark()]), COMMIT])
    if (written.at(-1)?.command !== 'COMMIT') {
      progress.committing = undefined
      throw new StoreUnavailable('the database did not commit')
    }
    return decision.result
  }

  async function run<Result>(transaction: Transaction<Result>): Promise<Result> {
    number++
    const lastAttemptAt = performance.now() + LAST_ATTEMPT_AFTER_MS
    const progress: Progress<Result> = {}
    let isLate = false
    for (let attempts = 1; ; attempts++) {
      try {
        const result = await attempt(transaction, progress)
        session.rest()
        return result
      } catch (error) {
        const failure = classifyFailure(error)
        // Also ends a transaction that `decide` threw in.
        await session.reset()
        const isDoubtful = failure === 'unavailable' && !isCertain(error)
        const newDoubt = isDoubtful ? progress.committing : undefined
        progress.doubtful ??= newDoubt
        const mayAskOnceMore = newDoubt !== undefined && !isLate
        isLate = performance.now() > lastAttemptAt
        if (failure === 'fault' || attempts === ATTEMPTS_MAX || (isLate && !mayAskOnceMore)) {
          if (!progress.doubtful) throw callersError(error)
          throw new OutcomeUnknown('the database did not say whether it has committed', {
            cause: callersError(error),
          })
        }
        await Bun.sleep(PAUSES_MS[attempts - 1] ?? 0)
      }
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  let closed = false
  return {
    run(transaction) {
      if (closed) return Promise.reject(new StoreUnavailable('the store is closed'))
      const next = last.then(() => run(transaction))
      last = next.catch(() => undefined)
      return next
    },
    async close() {
      closed = true
      await last
    },
  }
}
