import type { Kysely, Selectable } from 'kysely'
import { encodeTime, type KeyId, type WorkspaceId } from '../../core/id.ts'
import type { Receipt, RequestQuery } from '../../core/ports/books.ts'
import { type Page, UnknownCursor } from '../../core/ports/page.ts'
import { readNumber, readReceipt } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { pageOf, rowsToRead } from './page.ts'
import type { Turns } from './turns.ts'
import {
  INDEXED_RECORDS_PER_PART,
  WHOLE_RECORDS_PER_PART,
  readIdWindows,
  readTimeWindows,
  within,
  type IdWindow,
  type TimeWindow,
} from './windows.ts'

/** What the ids of all usage records begin with. */
export const CALL_ID_PREFIX = 'chatcmpl-'
/** A body may take minutes to arrive, and a call starts when it is there. */
const ADMITTED_AFTER_MAX_MS = 60 * 60_000

/**
 * A page of usage records, newest first. What a filter matches may be anywhere among all records, or nowhere: it is
 * looked for window by window.
 */
export async function listRequests(
  db: Kysely<Schema>,
  query: RequestQuery,
  turns: Turns,
): Promise<Page<Receipt>> {
  const workspaceId = await workspaceAsked(db, query)
  const cursor = query.cursor === undefined ? undefined : await placeOf(db, query.cursor)
  if (cursor === null) throw new UnknownCursor('the cursor is not of this list')
  if (workspaceId === null) return pageOf<Receipt>([], query)
  const asked = { query, workspaceId, cursor, wanted: rowsToRead(query) }
  return pageOf(await readRequests(db, asked, turns), query)
}

/** Where a list goes on: after the call with this id, or where it would be. */
export interface RequestPlace {
  readonly id: string
  readonly startedAt: number
}

/** Which usage records, newest first: in order of start within a workspace, else of ids. */
export interface AskedRequests {
  readonly query: RequestQuery
  /** Undefined: of all. */
  readonly workspaceId: WorkspaceId | undefined
  readonly cursor: RequestPlace | undefined
  readonly wanted: number
  /** Only those with at least this status. */
  readonly statusMin?: number
}

export async function readRequests(
  db: Kysely<Schema>,
  { query, workspaceId, cursor, wanted, statusMin }: AskedRequests,
  turns: Turns,
): Promise<Receipt[]> {
  const { from, to } = query
  const found: Receipt[] = []
  // The status is not in the index: every record is looked at.
  const indexed = workspaceId !== undefined && statusMin === undefined
  const pace = turns.pace(indexed ? INDEXED_RECORDS_PER_PART : WHOLE_RECORDS_PER_PART)
  const windows =
    workspaceId === undefined
      ? readIdWindows(db, idsBetween(from, to, cursor), pace, readMore)
      : readTimeWindows(
          db,
          { workspaceId, from, before: least(to, cursor && cursor.startedAt + 1) },
          pace,
          readMore,
        )
  for await (const rows of windows) {
    found.push(...rows.map(readReceipt))
    if (found.length === wanted) break
  }
  return found

  function readMore(window: TimeWindow | IdWindow): Promise<Selectable<Schema['usage_records']>[]> {
    let select = db
      .selectFrom('usage_records')
      .selectAll()
      .limit(wanted - found.length)
    if (query.model !== undefined) select = select.where('model', '=', query.model)
    if (query.keyId !== undefined) select = select.where('key_id', '=', query.keyId)
    if (statusMin !== undefined) select = select.where('status', '>=', statusMin)
    if (workspaceId === undefined) {
      if (from !== undefined) select = select.where('started_at', '>=', from)
      if (to !== undefined) select = select.where('started_at', '<', to)
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

/** Ids that can be of calls that started between the two moments: a call has its id before it has its body. */
function idsBetween(
  from: number | undefined,
  to: number | undefined,
  cursor: RequestPlace | undefined,
): IdWindow {
  return {
    from: from === undefined ? undefined : firstIdAt(from - ADMITTED_AFTER_MAX_MS),
    before: least(to === undefined ? undefined : firstIdAt(to), cursor?.id),
  }
}

/** Lower than every id of a call that is given from this moment on. */
function firstIdAt(at: number): string {
  return `${CALL_ID_PREFIX}${encodeTime(Math.max(0, Math.floor(at)))}`
}

function least<Place extends number | string>(a: Place | undefined, b: Place | undefined): Place | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
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
