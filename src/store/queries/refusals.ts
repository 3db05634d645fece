import { sql, type Kysely } from 'kysely'
import type { Refusals } from '../../core/ports/refusals.ts'
import { COUNTED_DAYS, KEEP_REFUSED_MS, dayOf } from '../../core/refusedCalls.ts'
import { DAY_MS } from '../../core/limit.ts'
import { readNumber, readRefusalCount, readRefusedCall } from '../rows.ts'
import type { Schema, StoredInteger } from '../schema.ts'
import type { Atomically } from './atomically.ts'
import { countRefusals, deleteOlderRefusals, keepRefusals } from './keepRefusals.ts'
import { steadyPace, type Turns } from './turns.ts'

/** How many calls a part of forgetting deletes, at most. */
const FORGOTTEN_PER_PART = 200

/**
 * Refused calls, the same on every engine.
 * @param turns for an engine that blocks the event loop while it deletes
 */
export function createRefusals(db: Kysely<Schema>, atomically: Atomically, turns?: Turns): Refusals {
  /** The oldest, so many of them; returns how many. */
  async function forgetSome(before: number, rows: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('refused_calls')
      .where('id', 'in', (oldest) =>
        oldest
          .selectFrom('refused_calls')
          .select('id')
          .where('refused_at', '<', before)
          .orderBy('refused_at')
          .limit(rows)
          // Takes no row that somebody else has in hand, so that it never waits while holding others.
          .$if(atomically.locks, (query) => query.forUpdate().skipLocked()),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  }

  return {
    async count(counts) {
      if (counts.length > 0) await atomically.run(countRefusals(counts, atomically, db))
    },

    async keep(calls) {
      if (calls.length === 0) return
      await atomically.run(keepRefusals(calls, atomically, db))
      const keys = new Set(calls.map(({ keyId }) => keyId))
      await atomically.run(deleteOlderRefusals(keys, atomically, db))
    },

    async find(id) {
      const row = await db.selectFrom('refused_calls').selectAll().where('id', '=', id).executeTakeFirst()
      return row && readRefusedCall(row)
    },

    async tally(key, at) {
      const firstDay = dayOf(at) - COUNTED_DAYS + 1
      const counts = await db
        .selectFrom('refusals_by_code')
        .select(['day', 'code', 'refused'])
        .where('key_id', '=', key)
        .where('day', '>=', firstDay)
        .orderBy('day', 'desc')
        .orderBy('code')
        .execute()
      const calls = await db
        .selectFrom('refused_calls')
        .select(sql<StoredInteger>`count(*)`.as('kept'))
        .where('key_id', '=', key)
        .where('refused_at', '>=', firstDay * DAY_MS)
        .executeTakeFirst()
      return { counts: counts.map(readRefusalCount), kept: readNumber(calls?.kept ?? 0) }
    },

    async forget(at) {
      const pace = turns?.pace(FORGOTTEN_PER_PART) ?? steadyPace(FORGOTTEN_PER_PART)
      let forgotten = 0
      for (;;) {
        const { deleted, more } = await pace.part(async (rows) => {
          const deleted = await forgetSome(at - KEEP_REFUSED_MS, rows)
          return { deleted, more: deleted === rows }
        })
        forgotten += deleted
        if (!more) break
      }
      await db
        .deleteFrom('refusals_by_code')
        .where('day', '<=', dayOf(at) - COUNTED_DAYS)
        .execute()
      return forgotten
    },
  }
}
