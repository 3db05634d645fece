import { sql, type Kysely, type Selectable } from 'kysely'
import type { RequestId } from '../../core/id.ts'
import { MINUTE_MS, dayAt, minuteAt, utcMonth } from '../../core/limit.ts'
import type { Books, Transfer } from '../../core/ports/books.ts'
import { UnknownCursor } from '../../core/ports/page.ts'
import { FRESH_KEY, FRESH_SPEND } from '../../core/tillState.ts'
import type { LedgerPlaces } from '../ledgerPlaces.ts'
import { readKeySpend, readKeyState, readPlace, readReceipt, readTransfer, sequenceOf } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { listFailedRequests } from './failedRequests.ts'
import { createLedgerReader, placesOf } from './ledger.ts'
import { pageOf, rowsToRead } from './page.ts'
import { listRequests } from './requests.ts'
import type { Turns } from './turns.ts'
import { sumUsage } from './usage.ts'
import { INDEXED_RECORDS_PER_PART } from './windows.ts'

/** How an engine reads much without harm. */
export interface ReadingManner {
  /** For ledgers; absent: parts of one size, one after the other. */
  readonly ledgers?: Turns
  /** For usage and lists of requests. */
  readonly reports: Turns
  /** The order in which the engine finds the usage of all workspaces: those of one after the other, or all by time. */
  readonly usageBy: 'workspace' | 'time'
}

/** What can be read of the books, the same on every engine. Crediting is the engine's own: it takes the lock. */
export function createBookQueries(
  db: Kysely<Schema>,
  { ledgers, reports, usageBy }: ReadingManner,
): Omit<Books, 'credit'> {
  return {
    ...createLedgerReader(db, ledgers),

    async ledger(workspace, page) {
      const places = await placesOf(db, workspace)
      const cursor = page.cursor === undefined ? undefined : await placeOf(db, page.cursor)
      if (!places) return pageOf<Transfer>([], page)
      if (cursor === null || (cursor !== undefined && !isWithin(cursor, places))) {
        throw new UnknownCursor('the cursor is not of this ledger')
      }
      const rows = await db
        .selectFrom('transfers')
        .selectAll()
        .where('workspace_id', '=', workspace)
        .where('sequence', '>', places.before)
        .where('sequence', '<=', cursor === undefined ? places.last : cursor - 1n)
        .orderBy('sequence', 'desc')
        .limit(rowsToRead(page))
        .execute()
      return pageOf(rows.map(readTransfer), page)
    },

    usage: (query) => sumUsage(db, query, reports.pace(INDEXED_RECORDS_PER_PART), usageBy),

    requests: (query) => listRequests(db, query, reports),

    failedRequests: (query) => listFailedRequests(db, query, reports),

    async receipt(id) {
      const row = await db.selectFrom('usage_records').selectAll().where('id', '=', id).executeTakeFirst()
      return row && readReceipt(row)
    },

    async transfersOf(id) {
      const { rows } = await transfersOfCall(id).execute(db)
      return rows.map(readTransfer)
    },

    async keyStanding(key, at) {
      const counters = await db
        .selectFrom('key_counters')
        .selectAll()
        .where('key_id', '=', key)
        .executeTakeFirst()
      const month = await db
        .selectFrom('key_spend')
        .selectAll()
        .where('key_id', '=', key)
        .where('month', '=', utcMonth(at))
        .executeTakeFirst()
      const state = counters ? readKeyState(counters) : FRESH_KEY
      const spend = month ? readKeySpend(month) : FRESH_SPEND
      const minute = minuteAt(state.minute, at)
      return {
        minuteUsed: minute.count,
        minuteResetAt: minute.count > 0 ? minute.openedAt + MINUTE_MS : null,
        dayUsed: dayAt(state.day, at).count,
        monthSpent: spend.spent,
        monthHeld: spend.held,
        openCalls: state.openCalls,
      }
    },
  }
}

/**
 * The transfers of a call, oldest first: from the last one that its record or its hold names back to its first.
 * Of a call whose lease ran out, what sweeping wrote names the others; when it was settled all the same,
 * its record names what came after that.
 */
function transfersOfCall(id: RequestId) {
  return sql<Selectable<Schema['transfers']>>`
    with recursive
      ends (place) as (
        select last_transfer from usage_records where id = ${id}
        union all select last_transfer from holds where id = ${id}
        union all select sequence from transfers where request_id = ${id} and note is not null
      ),
      places (place) as (
        select place from ends where place is not null
        union
        select previous from transfers join places on sequence = place where previous is not null
      )
    select transfers.* from places join transfers on sequence = place order by sequence`
}

function isWithin(place: bigint, { before, last }: LedgerPlaces): boolean {
  return place > before && place <= last
}

/** The place of the transfer with this id; null when there is none. */
async function placeOf(db: Kysely<Schema>, id: string): Promise<bigint | null> {
  const place = sequenceOf(id)
  if (place !== undefined) return place
  const row = await db.selectFrom('transfers').select('sequence').where('id', '=', id).executeTakeFirst()
  return row ? readPlace(row.sequence) : null
}
