import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { WorkspaceId } from '../../core/id.ts'
import { readNumber } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { Pace } from './turns.ts'

/** How many usage records a part of a report looks at, at most, when it finds all it needs of them in the index. */
export const INDEXED_RECORDS_PER_PART = 4_000
/** The same when it looks at the records themselves: they fill many more pages. */
export const WHOLE_RECORDS_PER_PART = 1_000

/**
 * Records that follow each other in an order. A query has no other bounds of that order than these two: with a second
 * one SQLite may follow the wrong one, and look at everything again for each window.
 */
export interface Window<Place> {
  /** Included; undefined: down to the oldest. */
  readonly from?: Place | undefined
  /** Not included; undefined: up to the newest. */
  readonly before?: Place | undefined
}

/** In milliseconds since the epoch: of one millisecond, a window has all records or none. */
export type TimeWindow = Window<number>
export type IdWindow = Window<string>

/**
 * Reads usage records of a workspace, or of all, window by window, newest first, one part of the pace each. Stops when
 * the reader of this generator does.
 */
export function readTimeWindows<Result>(
  db: Kysely<Schema>,
  { workspaceId, from, before }: TimeWindow & { readonly workspaceId: WorkspaceId | undefined },
  pace: Pace,
  read: (window: TimeWindow) => Promise<Result>,
): AsyncGenerator<Result> {
  return readWindows({ from, before }, pace, read, async (rest, rows) => {
    const select = db
      .selectFrom('usage_records')
      .select('started_at')
      .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId ?? ''))
      .orderBy('started_at', 'desc')
      .limit(1)
      .offset(rows)
    const row = await within(select, 'started_at', rest).executeTakeFirst()
    return row && readNumber(row.started_at)
  })
}

/** Reads the usage records of all workspaces window by window, the highest id first. */
export function readIdWindows<Result>(
  db: Kysely<Schema>,
  all: IdWindow,
  pace: Pace,
  read: (window: IdWindow) => Promise<Result>,
): AsyncGenerator<Result> {
  return readWindows(all, pace, read, async (rest, rows) => {
    const select = db.selectFrom('usage_records').select('id').orderBy('id', 'desc').limit(1).offset(rows)
    return (await within(select, 'id', rest).executeTakeFirst())?.id
  })
}

/** @param placeAfter the place after the first so many rows; undefined when there are not so many */
async function* readWindows<Place, Result>(
  all: Window<Place>,
  pace: Pace,
  read: (window: Window<Place>) => Promise<Result>,
  placeAfter: (rest: Window<Place>, rows: number) => Promise<Place | undefined>,
): AsyncGenerator<Result> {
  let rest = all
  for (;;) {
    const { next, result } = await pace.part(async (rows) => {
      const next = rows === Infinity ? undefined : await placeAfter(rest, rows)
      return { next, result: await read({ ...rest, ...(next !== undefined && { from: next }) }) }
    })
    yield result
    if (next === undefined) return
    rest = { ...rest, before: next }
  }
}

/** Limits a query of usage records to a window. */
export function within<Output>(
  select: SelectQueryBuilder<Schema, 'usage_records', Output>,
  column: 'started_at' | 'id',
  { from, before }: TimeWindow | IdWindow,
): SelectQueryBuilder<Schema, 'usage_records', Output> {
  let limited = select
  if (from !== undefined) limited = limited.where(column, '>=', from)
  if (before !== undefined) limited = limited.where(column, '<', before)
  return limited
}
