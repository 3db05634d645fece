import type { Kysely } from 'kysely'
import type { RequestId, WorkspaceId } from '../../core/id.ts'
import type { FailedQuery, FailedRequest } from '../../core/ports/books.ts'
import { type Page, UnknownCursor } from '../../core/ports/page.ts'
import type { RefusedCall } from '../../core/ports/refusals.ts'
import { readNumber, readRefusedCall } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { placeOfId } from './keepRefusals.ts'
import { pageOf, rowsToRead } from './page.ts'
import { CALL_ID_PREFIX, readRequests, workspaceAsked } from './requests.ts'
import type { Turns } from './turns.ts'

const FAILED_STATUS_MIN = 400

/** Where a call is in the list: within a workspace by time and then place, else by place alone. */
interface Place {
  readonly place: string
  readonly at: number
}

/** A page of what failed, newest first: usage records and refused calls, which have the same order. */
export async function listFailedRequests(
  db: Kysely<Schema>,
  query: FailedQuery,
  turns: Turns,
): Promise<Page<FailedRequest>> {
  const workspaceId = await workspaceAsked(db, query)
  const cursor = query.cursor === undefined ? undefined : await placeOf(db, query.cursor)
  if (cursor === null) throw new UnknownCursor('the cursor is not of this list')
  if (workspaceId === null) return pageOf<FailedRequest>([], query)

  const wanted = rowsToRead(query)
  const before = cursor && { id: CALL_ID_PREFIX + cursor.place, startedAt: cursor.at }
  const asked = { query, workspaceId, cursor: before, wanted, statusMin: FAILED_STATUS_MIN }
  const receipts = await readRequests(db, asked, turns)
  const refused = await readRefused(db, query, workspaceId, cursor, wanted)
  const listed = [
    ...receipts.map((receipt) => ({
      place: { place: placeOfId(receipt.id), at: receipt.startedAt },
      item: { kind: 'receipt', id: receipt.id, receipt } as const,
    })),
    ...refused.map((call) => ({
      place: { place: placeOfId(call.id), at: call.at },
      item: { kind: 'refused', id: call.id, call } as const,
    })),
  ].toSorted((a, b) => newestFirst(a.place, b.place, workspaceId !== undefined))
  return pageOf(
    listed.map(({ item }) => item),
    query,
  )
}

function newestFirst(a: Place, b: Place, byTime: boolean): number {
  if (byTime && a.at !== b.at) return b.at - a.at
  return a.place < b.place ? 1 : -1
}

async function readRefused(
  db: Kysely<Schema>,
  query: FailedQuery,
  workspaceId: WorkspaceId | undefined,
  cursor: Place | undefined,
  wanted: number,
): Promise<RefusedCall[]> {
  let select = db.selectFrom('refused_calls').selectAll().limit(wanted)
  if (query.keyId !== undefined) select = select.where('key_id', '=', query.keyId)
  if (query.modelNames !== undefined) select = select.where('model', 'in', [...query.modelNames])
  if (query.from !== undefined) select = select.where('refused_at', '>=', query.from)
  if (query.to !== undefined) select = select.where('refused_at', '<', query.to)
  if (workspaceId === undefined) {
    if (cursor) select = select.where('place', '<', cursor.place)
  } else {
    select = select.where('workspace_id', '=', workspaceId).orderBy('refused_at', 'desc')
    if (cursor) {
      select = select.where(({ eb, and, or }) =>
        or([
          eb('refused_at', '<', cursor.at),
          and([eb('refused_at', '=', cursor.at), eb('place', '<', cursor.place)]),
        ]),
      )
    }
  }
  const rows = await select.orderBy('place', 'desc').execute()
  return rows.map(readRefusedCall)
}

/** Null when there is no such call. */
async function placeOf(db: Kysely<Schema>, id: string): Promise<Place | null> {
  const place = placeOfId(id)
  const receipt = await db
    .selectFrom('usage_records')
    .select('started_at')
    .where('id', '=', id as RequestId)
    .executeTakeFirst()
  if (receipt) return { place, at: readNumber(receipt.started_at) }
  const refused = await db
    .selectFrom('refused_calls')
    .select('refused_at')
    .where('id', '=', id)
    .executeTakeFirst()
  return refused ? { place, at: readNumber(refused.refused_at) } : null
}
