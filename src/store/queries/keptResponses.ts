import { sql, type Kysely, type Selectable } from 'kysely'
import type { WorkspaceId } from '../../core/id.ts'
import { itemTexts } from '../../core/jsonText.ts'
import { canBeFound } from '../../core/keptRoom.ts'
import {
  KEPT_RESPONSES_MAX,
  type KeptItem,
  type KeptResponse,
  type KeptResponses,
} from '../../core/ports/keptResponses.ts'
import { readKeptResponse, readMadeBy, readNumber } from '../rows.ts'
import type { Schema, StoredInteger } from '../schema.ts'
import type { Atomically } from './atomically.ts'
import { givenRows } from './givenRows.ts'
import { createKeptChanges, DELETED_PER_CHANGE } from './keepResponse.ts'
import { steadyPace, type Turns } from './turns.ts'

/** How many answers are read at a time, at most, and how many items are looked for. */
const ANSWERS_PER_PART = 64
const ITEMS_PER_PART = 500

const RESPONSE_COLUMNS = [
  'kept_responses.id',
  'kept_responses.workspace_id',
  'previous_id',
  'created_at',
  'provider',
  'upstream_model',
  'credential',
  'input',
  'response',
] as const

/** An answer of a chain, without its texts. */
interface Link {
  readonly id: string
  readonly previous_id: string | null
  readonly conversation_id: string
  readonly expires_at: StoredInteger
  readonly bytes: StoredInteger
}

/** Where an item was found. */
interface Found {
  readonly item_id: string
  readonly response_id: string
  readonly made: StoredInteger
  readonly place: StoredInteger
  readonly conversation_id: string
  readonly expires_at: StoredInteger
  /** Of its answer, all of which is read. */
  readonly bytes: StoredInteger
}

/**
 * The memory of Responses, the same on every engine.
 * @param turns for an engine that blocks the event loop while it reads
 */
export function createKeptResponses(
  db: Kysely<Schema>,
  atomically: Atomically,
  turns?: Turns,
): KeptResponses {
  const { locks } = atomically
  const changes = createKeptChanges(db, atomically)

  /** Calls back with a few rows at a time. */
  async function inParts<Row>(
    rows: readonly Row[],
    most: number,
    read: (some: readonly Row[]) => Promise<void>,
  ): Promise<void> {
    const pace = turns?.pace(most) ?? steadyPace(most)
    for (let done = 0; done < rows.length;) {
      done += await pace.part(async (count) => {
        await read(rows.slice(done, done + count))
        return count
      })
    }
  }

  const given = (ids: readonly string[]) =>
    givenRows(
      locks,
      ids.map((id) => ({ id })),
      { id: 'text' },
    )

  /** Lets conversations that have not expired live at least until then. One that another process has in hand is left out. */
  async function renew(
    conversations: readonly { readonly conversation_id: string; readonly expires_at: StoredInteger }[],
    at: number,
    until: number,
  ): Promise<void> {
    const earlier = conversations.filter(({ expires_at }) => readNumber(expires_at) < until)
    const ids = [...new Set(earlier.map(({ conversation_id }) => conversation_id))]
    await inParts(ids, ITEMS_PER_PART, async (some) => {
      await db
        .updateTable('kept_conversations')
        .set({ expires_at: until })
        .where('id', 'in', ({ selectFrom }) =>
          selectFrom('kept_conversations as renewed')
            .select('renewed.id')
            .where('renewed.id', 'in', sql<string>`(select id from ${given(some)})`)
            .where('renewed.expires_at', '>', at)
            .where('renewed.expires_at', '<', until)
            // So that it never waits while it holds others.
            .$if(locks, (query) => query.forUpdate().skipLocked()),
        )
        .execute()
    })
  }

  type Row = Parameters<typeof readKeptResponse>[0]

  /** Calls back with each answer that is there, in no order. */
  async function readAnswers(ids: readonly string[], use: (row: Row) => void): Promise<void> {
    await inParts(ids, ANSWERS_PER_PART, async (some) => {
      const rows = await db
        .selectFrom('kept_responses')
        .select(RESPONSE_COLUMNS)
        .where('id', 'in', sql<string>`(select id from ${given(some)})`)
        .execute()
      for (const row of rows) use(row)
    })
  }

  /** The oldest first. */
  async function linksOf(workspaceId: WorkspaceId, id: string, at: number): Promise<readonly Link[]> {
    const { rows } =
      await sql<Link>`with recursive chain (id, previous_id, conversation_id, bytes, place) as (
      select id, previous_id, conversation_id, bytes, 1 from kept_responses
        where id = ${id} and workspace_id = ${workspaceId}
      union all
      select before.id, before.previous_id, before.conversation_id, before.bytes, chain.place + 1
        from chain join kept_responses as before
          on before.id = chain.previous_id and before.conversation_id = chain.conversation_id
        where chain.place < ${KEPT_RESPONSES_MAX.answersInChain}
    )
    select chain.id, previous_id, conversation_id, bytes, expires_at
      from chain join kept_conversations on kept_conversations.id = conversation_id
      where expires_at > ${at} order by place desc`.execute(db)
    return rows
  }

  /** The best place of each item: see `0008-kept-responses`. */
  async function findItems(
    workspaceId: WorkspaceId,
    ids: readonly string[],
    at: number,
  ): Promise<readonly Found[]> {
    const places: Found[] = []
    await inParts([...new Set(ids)].filter(canBeFound), ITEMS_PER_PART, async (some) => {
      const { rows } = await sql<Found>`select kept_items.item_id, kept_items.response_id, kept_items.made,
          kept_items.place, kept_conversations.id as conversation_id, kept_conversations.expires_at,
          kept_responses.bytes
        from (
          select given.id, (
            select i.response_id from kept_items as i
              join kept_responses as r on r.id = i.response_id
              join kept_conversations as c on c.id = r.conversation_id
              where i.workspace_id = ${workspaceId} and i.item_id = given.id and c.expires_at > ${at}
              order by i.made desc, i.kept_at desc, i.response_id desc limit 1
          ) as response_id from ${given(some)}
        ) as best
        join kept_items on kept_items.workspace_id = ${workspaceId} and kept_items.item_id = best.id
          and kept_items.response_id = best.response_id
        join kept_responses on kept_responses.id = best.response_id
        join kept_conversations on kept_conversations.id = kept_responses.conversation_id`.execute(db)
      places.push(...rows)
    })
    return places
  }

  return {
    async keep(kept) {
      for (;;) {
        // Each round deletes answers, of which a workspace has a bounded number.
        const verdict = await atomically.run(changes.keep(kept))
        if (verdict !== 'made_room') return verdict === 'kept'
      }
    },

    async chain(workspaceId, id, { at, keepUntil, mayRead }) {
      const links = await linksOf(workspaceId, id, at)
      const [first] = links
      if (!first || first.previous_id !== null) return undefined
      if (!mayRead(sumOfBytes(links))) return 'too_large'
      await renew([first], at, keepUntil)
      const expiresAt = Math.max(readNumber(first.expires_at), keepUntil)
      const answers = new Map<string, KeptResponse>()
      const ids = links.map((link) => link.id)
      await readAnswers(ids, (row) => answers.set(row.id, readKeptResponse(row, expiresAt)))
      const chain = ids.flatMap((one) => answers.get(one) ?? [])
      // One was deleted meanwhile.
      return chain.length < ids.length ? undefined : chain
    },

    async response(workspaceId, id, { at, mayRead }) {
      const found = await db
        .selectFrom('kept_responses')
        .innerJoin('kept_conversations', 'kept_conversations.id', 'kept_responses.conversation_id')
        .select(['bytes', 'expires_at'])
        .where('kept_responses.id', '=', id)
        .where('kept_responses.workspace_id', '=', workspaceId)
        .where('expires_at', '>', at)
        .executeTakeFirst()
      if (!found) return undefined
      if (!mayRead(readNumber(found.bytes))) return 'too_large'
      let kept: KeptResponse | undefined
      await readAnswers([id], (row) => (kept = readKeptResponse(row, readNumber(found.expires_at))))
      return kept
    },

    async items(workspaceId, ids, { at, keepUntil, mayRead }) {
      const places = await findItems(workspaceId, ids, at)
      const byAnswer = Map.groupBy(places, (found) => found.response_id)
      if (!mayRead(sumOfBytes(Array.from(byAnswer.values(), ([found]) => found)))) return 'too_large'
      await renew(places, at, keepUntil)
      const items = new Map<string, KeptItem>()
      await readAnswers([...byAnswer.keys()], (row) => {
        for (const [id, item] of itemsOf(row, byAnswer.get(row.id) ?? [])) items.set(id, item)
      })
      return items
    },

    forget: (workspaceId, id) => atomically.run(changes.forget(workspaceId, id)),

    async expire(at) {
      const pace = turns?.pace(DELETED_PER_CHANGE) ?? steadyPace(DELETED_PER_CHANGE)
      let expired = 0
      for (;;) {
        const next = await db
          .selectFrom('kept_conversations')
          .select('workspace_id')
          .where('expires_at', '<=', at)
          .orderBy('expires_at')
          .limit(1)
          .executeTakeFirst()
        if (!next) return expired
        const workspaceId = next.workspace_id as WorkspaceId
        expired += await pace.part((rows) => atomically.run(changes.expire(workspaceId, at, rows)))
      }
    },
  }
}

function sumOfBytes(answers: readonly ({ readonly bytes: StoredInteger } | undefined)[]): number {
  return answers.reduce((sum, answer) => sum + readNumber(answer?.bytes ?? 0), 0)
}

function itemsOf(
  row: Pick<
    Selectable<Schema['kept_responses']>,
    'input' | 'response' | 'provider' | 'upstream_model' | 'credential'
  >,
  places: readonly Found[],
): [string, KeptItem][] {
  let input: readonly string[] | undefined
  let output: readonly string[] | undefined
  const madeBy = readMadeBy(row)
  return places.flatMap(({ item_id: id, made, place }): [string, KeptItem][] => {
    const isMade = readNumber(made) === 1
    const texts = isMade
      ? (output ??= itemTexts(row.response, ['output']))
      : (input ??= itemTexts(row.input, []))
    const json = texts[readNumber(place)]
    return json === undefined ? [] : [[id, { json, madeBy: isMade ? madeBy : null }]]
  })
}
