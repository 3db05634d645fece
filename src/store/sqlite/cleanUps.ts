import type { RequestId } from '../../core/id.ts'
import { createPartSize } from '../queries/partSize.ts'
import type { Turns } from '../queries/turns.ts'
import { patiently } from './connection.ts'
import type { GroupCommit } from './groupCommit.ts'
import type { Statements } from './statements.ts'
import type { Tables } from './tables.ts'
import { renewIn, sweepIn } from './till.ts'

/** How many holds one read looks at, at most, for those whose lease has run out. */
const HOLDS_PER_PART = 4_000
/** How many rows one transaction releases, renews or deletes at most: the calls of its group wait for it. */
const CHANGES_PER_PART = 100

/** The jobs that change many rows, in transactions that are short, so that calls go on in between. */
export interface CleanUps {
  renewLeases(ids: readonly RequestId[], expiresAt: number): Promise<void>
  /** Releases holds whose lease has run out; returns how many. */
  sweepHolds(at: number): Promise<number>
  /** Deletes kept answers that have expired; returns how many. */
  expireAnswers(at: number): Promise<number>
}

interface CleanUpsOptions {
  readonly group: GroupCommit
  readonly tables: Tables
  /** Throws `StoreUnavailable` when the store may not be read. */
  readonly statements: () => Statements
  readonly turns: Turns
}

interface Part {
  readonly looked: number
  readonly changed: number
}

interface HoldLease {
  readonly id: RequestId
  readonly expires_at: bigint
}

const SELECT_LEASES = 'select id, expires_at from holds where id > ? order by id limit ?'

export function createCleanUps({ group, tables, statements, turns }: CleanUpsOptions): CleanUps {
  /** All holds whose lease has run out. There is no index on leases: every hold is looked at. */
  async function* expiredHolds(at: number): AsyncGenerator<readonly RequestId[]> {
    const pace = turns.pace(HOLDS_PER_PART)
    let last = ''
    for (;;) {
      const { expired, more } = await pace.part(async (rows) => {
        const leases = await patiently(() => statements().passing<HoldLease>(SELECT_LEASES).all(last, rows))
        last = leases.at(-1)?.id ?? last
        const expired = leases.filter((lease) => lease.expires_at <= at).map(({ id }) => id)
        return { expired, more: leases.length === rows }
      })
      if (expired.length > 0) yield expired
      if (!more) return
    }
  }

  /**
   * Each part a transaction; ends when a part looks at fewer rows than it may. Returns how many were changed.
   * @param change is given how many rows to look at, after how many; may be called again when its group fails
   */
  async function inParts(change: (rows: number, done: number) => Part): Promise<number> {
    const size = createPartSize(CHANGES_PER_PART)
    let [done, changed] = [0, 0]
    for (;;) {
      const rows = size.rows()
      const part = await group.submit(() => {
        const startedAt = performance.now()
        const part = change(rows, done)
        size.took(performance.now() - startedAt)
        return part
      })
      done += part.looked
      changed += part.changed
      if (part.looked < rows) return changed
    }
  }

  return {
    async renewLeases(ids, expiresAt) {
      await inParts((rows, done) => {
        const some = ids.slice(done, done + rows)
        renewIn(tables, some, expiresAt)
        return { looked: some.length, changed: some.length }
      })
    },

    async sweepHolds(at) {
      let released = 0
      for await (const ids of expiredHolds(at)) {
        released += await inParts((rows, done) => {
          const some = ids.slice(done, done + rows)
          return { looked: some.length, changed: sweepIn(tables, some, at) }
        })
      }
      return released
    },

    expireAnswers: (at) =>
      inParts((rows) => {
        const deleted = tables.deleteAnswers(at, rows)
        return { looked: deleted, changed: deleted }
      }),
  }
}
