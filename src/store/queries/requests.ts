import type { Kysely, Selectable } from 'kysely'
import type { KeyId, WorkspaceId } from '../../core/id.ts'
import type { Receipt, RequestQuery } from '../../core/ports/books.ts'
import { type Page, UnknownCursor } from '../../core/ports/directory.ts'
import { readNumber, readReceipt } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { pageOf, rowsToRead } from './page.ts'
import { steadyPace, type Turns } from './turns.ts'
import {
  INDEXED_RECORDS_PER_PART,
  WHOLE_RECORDS_PER_PART,
  readIdWindows,
  readTimeWindows,
  within,
  type IdWindow,
  type TimeWindow,
} from './windows.ts'

/**
 * A page of usage records, newest first. What a filter matches may be anywhere among all records, or nowhere: it is
 * looked for window by window.
 * @param turns undefined: the engine looks for it in one statement
 */
export async function listRequests(
  db: Kysely<Schema>,
  query: RequestQuery,
  turns: Turns | undefined,
): Promise<Page<Receipt>> {
  const workspaceId = await workspaceAsked(db, query)
  const cursor = query.cursor === undefined ? undefined : await placeOf(db, query.cursor)
  if (cursor === null) throw new UnknownCursor('the cursor is not of this list')
  if (workspaceId === null) return pageOf<Receipt>([], query)

  const wanted = rowsToRead(query)
  const found: Receipt[] = []
  const rowsMax = workspaceId === undefined ? WHOLE_RECORDS_PER_PART : INDEXED_RECORDS_PER_PART
  const pace = turns?.pace(rowsMax) ?? steadyPace(Infinity)
  const windows =
    workspaceId === undefined
      ? readIdWindows(db, { before: cursor?.id }, pace, readMore)
      : readTimeWindows(db, { workspaceId, before: cursor && cursor.startedAt + 1 }, pace, readMore)
  for await (const rows of windows) {
    found.push(...rows.map(readReceipt))
    if (found.length === wanted) break
  }
  return pageOf(found, query)

  function readMore(window: TimeWindow | IdWindow): Promise<Selectable<Schema['usage_records']>[]> {
    let select = db
      .selectFrom('usage_records')
      .selectAll()
      .limit(wanted - found.length)
    if (query.model !== undefined) select = select.where('model', '=', query.model)
    if (query.keyId !== undefined) select = select.where('key_id', '=', query.keyId)
    if (workspaceId === undefined) {
      // Ids are in order of time: no index is needed for a list of everything.
      return within(select, 'id', window).orderBy('id', 'desc').execute()
    }
    select = select.where('workspace_id', '=', workspaceId)
    if (cursor) {
      // Of the cursor's own millisecond, what comes after it.
      select = select.where(({ eb, or }) =>
        or([eb('started_at', '<', cursor.startedAt), eb('id', '<', cursor.id)]),
      )
    }
    return within(select, 'started_at', window).orderBy('started_at', 'desc').orderBy('id', 'desc').execute()
  }
}

/**
 * The one workspace whose records can match; undefined: any. Null when none can: the key is unknown, or another
 * workspace's. A key's records are found through its workspace, so that no index on keys has to be kept up.
 */
export async function workspaceAsked(
  db: Kysely<Schema>,
  { workspaceId, keyId }: { readonly workspaceId?: WorkspaceId; readonly keyId?: KeyId },
): Promise<WorkspaceId | undefined | null> {
  if (keyId === undefined) return workspaceId
  const key = await db.selectFrom('keys').select('workspace_id').where('id', '=', keyId).executeTakeFirst()
  if (!key || (workspaceId !== undefined && workspaceId !== key.workspace_id)) return null
  return key.workspace_id as WorkspaceId
}

/** Null when there is no such record. */
async function placeOf(db: Kysely<Schema>, id: string) {
  const row = await db
    .selectFrom('usage_records')
    .select('started_at')
    .where('id', '=', id)
    .executeTakeFirst()
  return row ? { id, startedAt: readNumber(row.started_at) } : null
}
