import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { type Page, type PageRequest, UnknownCursor } from '../../core/ports/page.ts'

/** A longer page is cut to this, never refused. */
export const PAGE_LIMIT_MAX = 100

/** How many rows to read for a page: one more than it shows tells whether another follows. */
export function rowsToRead(page: PageRequest): number {
  return limitOf(page) + 1
}

/** Makes a page of the rows read. */
export function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  request: PageRequest,
): Page<Item> {
  const shown = items.slice(0, limitOf(request))
  return { items: shown, nextCursor: items.length > shown.length ? shown.at(-1)?.id : undefined }
}

function limitOf({ limit }: PageRequest): number {
  return Math.min(Math.max(1, Math.trunc(limit)), PAGE_LIMIT_MAX)
}

/**
 * What comes after the cursor in a list ordered by time, then id, both descending.
 * A cursor that names nothing gives an empty page: see `requireCursor`.
 */
export function olderThan(table: string, time: string, cursor: string): RawBuilder<SqlBool> {
  const row = sql`${sql.ref(time)}, ${sql.ref('id')}`
  return sql<SqlBool>`(${row}) < (select ${row} from ${sql.table(table)} where id = ${cursor})`
}

/**
 * Throws `UnknownCursor` unless the cursor, if there is one, is in the list: whoever pages would think that the list is
 * over.
 */
export async function requireCursor(
  { cursor }: PageRequest,
  exists: (cursor: string) => Promise<boolean>,
): Promise<void> {
  if (cursor !== undefined && !(await exists(cursor))) {
    throw new UnknownCursor('the cursor is not of this list')
  }
}
