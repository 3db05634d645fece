import { sql, type CompiledQuery, type Kysely, type Selectable } from 'kysely'
import { assert } from '../../core/assert.ts'
import type { RequestId, WorkspaceId } from '../../core/id.ts'
import { added, type KeptSums, makeRoom, mayBeKept, placesById, without } from '../../core/keptRoom.ts'
import { KEPT_RESPONSES_MAX, type ItemPlace, type NewKeptResponse } from '../../core/ports/keptResponses.ts'
import { readKeptSums, readNumber } from '../rows.ts'
import type { Schema, StoredInteger } from '../schema.ts'
import type { AtomicChange, Atomically } from './atomically.ts'
import { givenRows } from './givenRows.ts'

/** How many answers a change deletes at most: on an embedded engine the calls of its group wait for it. */
export const DELETED_PER_CHANGE = 100
/** And how many bytes and items of them, but for the first. */
const DELETED_BYTES_PER_CHANGE = 4 * 1024 * 1024
const DELETED_ITEMS_PER_CHANGE = 2_000

/** `made_room`: some of what has to go is gone, and the same again deletes more. */
export type KeepVerdict = 'kept' | 'refused' | 'made_room'

export interface KeptChanges {
  keep(kept: NewKeptResponse): AtomicChange<KeepVerdict>
  forget(workspaceId: WorkspaceId, id: RequestId): AtomicChange<boolean>
  /** Deletes so many expired answers of a workspace, at most; returns how many. */
  expire(workspaceId: WorkspaceId, at: number, rows: number): AtomicChange<number>
}

/** What is deleted with an answer, besides the answer. */
interface StoredSize {
  readonly id: string
  readonly conversationId: string
  readonly bytes: number
  readonly items: number
}

type StoredRow = Pick<Selectable<Schema['kept_responses']>, 'id' | 'conversation_id' | 'bytes' | 'items'>

interface Previous {
  readonly conversation_id: string
  readonly depth: StoredInteger
}

/** Changes of what a workspace keeps. Each begins with the workspace's row of `kept_sums`, whose lock guards the rest. */
export function createKeptChanges(db: Kysely<Schema>, { locks }: Pick<Atomically, 'locks'>): KeptChanges {
  const sumsOf = (workspaceId: WorkspaceId): CompiledQuery =>
    db
      .selectFrom('kept_sums')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .$if(locks, (query) => query.forUpdate())
      .compile()

  const sizes = () => db.selectFrom('kept_responses').select(['id', 'conversation_id', 'bytes', 'items'])

  /** The oldest answers, where there is no room for a new one beside them. */
  function oldestBeyond(workspaceId: WorkspaceId, bytes: number, items: number): CompiledQuery {
    const { perWorkspace } = KEPT_RESPONSES_MAX
    return sizes()
      .where('workspace_id', '=', workspaceId)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('kept_sums')
            .select('kept_sums.workspace_id')
            .where('kept_sums.workspace_id', '=', workspaceId)
            .where(({ eb, or }) =>
              or([
                eb('kept_sums.answers', '>=', perWorkspace.answers),
                eb('kept_sums.bytes', '>', perWorkspace.bytes - bytes),
                eb('kept_sums.items', '>', perWorkspace.items - items),
              ]),
            ),
        ),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(DELETED_PER_CHANGE)
      .compile()
  }

  /** The first conversations that have expired, with their answers: a row for each of these, at most `limit`. */
  function expiredOf(workspaceId: WorkspaceId, at: number, limit: number): CompiledQuery {
    return db
      .selectFrom((from) =>
        from
          .selectFrom('kept_conversations')
          .select('id')
          .where('workspace_id', '=', workspaceId)
          .where('expires_at', '<=', at)
          // The order of the index, which ends the search after so many.
          .orderBy('expires_at')
          .limit(limit)
          // Locked, so that none of them is renewed meanwhile.
          .$if(locks, (query) => query.forUpdate())
          .as('ended'),
      )
      .leftJoin('kept_responses', 'kept_responses.conversation_id', 'ended.id')
      .select(['ended.id as conversation_id', 'kept_responses.id', 'bytes', 'items'])
      .limit(limit)
      .compile()
  }

  /** @param isNew the workspace has no row yet; where another process inserts it too, the change is made again */
  function writeSums(workspaceId: WorkspaceId, sums: KeptSums, isNew: boolean): CompiledQuery {
    return isNew
      ? db
          .insertInto('kept_sums')
          .values({ workspace_id: workspaceId, ...sums })
          .compile()
      : db.updateTable('kept_sums').set(sums).where('workspace_id', '=', workspaceId).compile()
  }

  function insert(kept: NewKeptResponse, found: readonly ItemPlace[], row: InsertedRow): CompiledQuery[] {
    const { id, workspaceId, madeBy } = kept
    const conversation = db
      .insertInto('kept_conversations')
      .values({ id: row.conversationId, workspace_id: workspaceId, expires_at: kept.expiresAt })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((given) => ({ expires_at: given.ref('excluded.expires_at') }))
          .whereRef('excluded.expires_at', '>', 'kept_conversations.expires_at'),
      )
      .compile()
    const answer = db
      .insertInto('kept_responses')
      .values({
        id,
        workspace_id: workspaceId,
        conversation_id: row.conversationId,
        previous_id: kept.previousId,
        depth: row.depth,
        created_at: kept.createdAt,
        bytes: row.bytes,
        items: found.length,
        provider: madeBy?.provider ?? null,
        upstream_model: madeBy?.upstreamModel ?? null,
        credential: madeBy?.credential ?? null,
        input: kept.input,
        response: kept.response,
      })
      .compile()
    if (found.length === 0) return [conversation, answer]
    const given = givenRows(
      locks,
      found.map((item) => ({ item_id: item.id, made: item.from === 'output' ? 1 : 0, place: item.place })),
      { item_id: 'text', made: 'bigint', place: 'bigint' },
    )
    const items = sql`insert into kept_items (workspace_id, item_id, made, kept_at, response_id, place)
      select ${workspaceId}, item_id, made, ${kept.createdAt}, ${id}, place from ${given}`.compile(db)
    return [conversation, answer, items]
  }

  /**
   * Deletes answers and their items.
   * @param conversations those that go when none of their answers is left
   */
  function remove(
    gone: readonly StoredSize[],
    conversations: ReadonlySet<string> = conversationsOf(gone),
  ): CompiledQuery[] {
    if (gone.length === 0 && conversations.size === 0) return []
    const ids = () =>
      givenRows(
        locks,
        gone.map(({ id }) => ({ id })),
        { id: 'text' },
      )
    const ended = givenRows(
      locks,
      Array.from(conversations, (id) => ({ id })),
      { id: 'text' },
    )
    return [
      sql`delete from kept_items where response_id in (select id from ${ids()})`.compile(db),
      sql`delete from kept_conversations where id in (select id from ${ended}) and not exists (
        select 1 from kept_responses where kept_responses.conversation_id = kept_conversations.id
          and kept_responses.id not in (select id from ${ids()}))`.compile(db),
      sql`delete from kept_responses where id in (select id from ${ids()})`.compile(db),
    ]
  }

  return {
    keep(kept) {
      const { id, workspaceId, previousId, createdAt } = kept
      const found = placesById(kept.items)
      const size = {
        bytes: Buffer.byteLength(kept.input) + Buffer.byteLength(kept.response),
        items: found.length,
      }
      return {
        load: [
          sumsOf(workspaceId),
          db.selectFrom('kept_responses').select('id').where('id', '=', id).compile(),
          db
            .selectFrom('kept_responses')
            .innerJoin('kept_conversations', 'kept_conversations.id', 'kept_responses.conversation_id')
            .select(['conversation_id', 'depth'])
            .where('kept_responses.id', '=', previousId ?? '')
            .where('kept_responses.workspace_id', '=', workspaceId)
            .where('expires_at', '>', createdAt)
            .compile(),
          oldestBeyond(workspaceId, size.bytes, size.items),
        ],
        decide([sumsRows = [], same = [], previousRows = [], oldestRows = []]) {
          if (same.length > 0) return { writes: [], result: 'kept' }
          const [previous] = previousRows as Previous[]
          const depth = previous ? readNumber(previous.depth) + 1 : 1
          if (!mayBeKept(size, depth)) return { writes: [], result: 'refused' }

          const sums = sumsIn(sumsRows)
          const oldest = oldestRows.map(readSize)
          const some = bounded(oldest)
          const { gone, isEnough } = makeRoom(sums, size, some)
          if (!isEnough) {
            assert(gone.length > 0, 'what a workspace keeps has the sums that are kept')
            const writes = [...remove(gone), writeSums(workspaceId, without(sums, gone), false)]
            return { writes, result: 'made_room' }
          }
          const conversationId = previous?.conversation_id ?? id
          const writes = [
            ...remove(gone, conversationsOf(gone, conversationId)),
            ...insert(kept, found, { conversationId, depth, bytes: size.bytes }),
            writeSums(workspaceId, added(without(sums, gone), size), sumsRows.length === 0),
          ]
          return { writes, result: 'kept' }
        },
      }
    },

    forget: (workspaceId, id) => ({
      load: [
        sumsOf(workspaceId),
        sizes().where('id', '=', id).where('workspace_id', '=', workspaceId).compile(),
      ],
      decide([sumsRows = [], rows = []]) {
        const gone = rows.map(readSize)
        if (gone.length === 0) return { writes: [], result: false }
        const sums = sumsIn(sumsRows)
        return {
          writes: [...remove(gone), writeSums(workspaceId, without(sums, gone), false)],
          result: true,
        }
      },
    }),

    expire: (workspaceId, at, limit) => ({
      load: [sumsOf(workspaceId), expiredOf(workspaceId, at, limit)],
      decide([sumsRows = [], rows = []]) {
        if (rows.length === 0) return { writes: [], result: 0 }
        const read = rows as readonly (
          | StoredRow
          | (Pick<StoredRow, 'conversation_id'> & { readonly id: null })
        )[]
        const expired = new Set(read.map((row) => row.conversation_id))
        const gone = bounded(read.flatMap((row) => (row.id === null ? [] : [readSize(row)])))
        const sums = sumsIn(sumsRows)
        return {
          writes: [...remove(gone, expired), writeSums(workspaceId, without(sums, gone), false)],
          result: gone.length,
        }
      },
    }),
  }
}

interface InsertedRow {
  readonly conversationId: string
  readonly depth: number
  readonly bytes: number
}

function sumsIn([row]: readonly object[]): KeptSums {
  return readKeptSums(row as Selectable<Schema['kept_sums']> | undefined)
}

/** @param but one that stays whatever becomes of its answers */
function conversationsOf(rows: readonly StoredSize[], but?: string): ReadonlySet<string> {
  const conversations = new Set(rows.map(({ conversationId }) => conversationId))
  if (but !== undefined) conversations.delete(but)
  return conversations
}

function readSize(row: object): StoredSize {
  const { id, conversation_id, bytes, items } = row as StoredRow
  return { id, conversationId: conversation_id, bytes: readNumber(bytes), items: readNumber(items) }
}

/** As many of the first as one change may delete. */
function bounded(rows: readonly StoredSize[]): readonly StoredSize[] {
  let [bytes, items] = [0, 0]
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes
    items += row.items
    return index > 0 && (bytes > DELETED_BYTES_PER_CHANGE || items > DELETED_ITEMS_PER_CHANGE)
  })
  return end === -1 ? rows : rows.slice(0, end)
}
