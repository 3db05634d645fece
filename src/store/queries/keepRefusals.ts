import { sql, type CompiledQuery, type Kysely } from 'kysely'
import type { KeyId } from '../../core/id.ts'
import type { RefusalCount, RefusedCall } from '../../core/ports/refusals.ts'
import { KEPT_PER_KEY } from '../../core/refusedCalls.ts'
import type { Schema } from '../schema.ts'
import type { AtomicChange, Atomically } from './atomically.ts'
import { type ColumnType, givenRows } from './givenRows.ts'

/** A ULID: the end of every id of ours, in order of time. */
const PLACE_LENGTH = 26

/** Adds to the counts. In one order, so that two processes never wait for each other. */
export function countRefusals(
  counts: readonly RefusalCount[],
  { locks }: Atomically,
  db: Kysely<Schema>,
): AtomicChange<void> {
  const given = givenRows(
    locks,
    counts.map(({ keyId, day, code, refused }) => ({ key_id: keyId, day, code, refused })),
    { key_id: 'text', day: 'bigint', code: 'text', refused: 'bigint' },
  )
  return writing(
    sql`insert into refusals_by_code (key_id, day, code, refused)
      select key_id, day, code, refused from ${given} where true order by key_id, day, code
      on conflict (key_id, day, code) do update set refused = refusals_by_code.refused + excluded.refused`.compile(
      db,
    ),
  )
}

export function keepRefusals(
  calls: readonly RefusedCall[],
  { locks }: Atomically,
  db: Kysely<Schema>,
): AtomicChange<void> {
  const columns = sql.raw(Object.keys(CALL_COLUMNS).join(', '))
  return writing(
    sql`insert into refused_calls (${columns})
      select ${columns} from ${givenRows(locks, calls.map(rowOf), CALL_COLUMNS)}`.compile(db),
  )
}

/** Deletes what the keys have beyond their newest calls. What another process deletes at the same time is left to it. */
export function deleteOlderRefusals(
  keyIds: ReadonlySet<KeyId>,
  { locks }: Atomically,
  db: Kysely<Schema>,
): AtomicChange<void> {
  const keys = Array.from(keyIds, (key_id) => ({ key_id }))
  return writing(
    sql`delete from refused_calls where id in (
      select id from refused_calls where id in (
        select id from (
          select id, row_number() over (partition by key_id order by refused_at desc, place desc) as position
          from refused_calls where key_id in (select key_id from ${givenRows(locks, keys, { key_id: 'text' })})
        ) as ranked where position > ${KEPT_PER_KEY}
      ) ${sql.raw(locks ? 'for update skip locked' : '')}
    )`.compile(db),
  )
}

function writing(write: CompiledQuery): AtomicChange<void> {
  return { load: [], decide: () => ({ writes: [write], result: undefined }) }
}

const CALL_COLUMNS: Columns<'refused_calls'> = {
  id: 'text',
  place: 'text',
  workspace_id: 'text',
  key_id: 'text',
  refused_at: 'bigint',
  status: 'bigint',
  code: 'text',
  message: 'text',
  param: 'text',
  model: 'text',
  address: 'text',
}

/** The end of an id: its place among all ids, whatever kind of request they name. */
export function placeOfId(id: string): string {
  return id.slice(-PLACE_LENGTH)
}

function rowOf(call: RefusedCall): Record<keyof Schema['refused_calls'], string | number | null> {
  return {
    id: call.id,
    place: placeOfId(call.id),
    workspace_id: call.workspaceId,
    key_id: call.keyId,
    refused_at: call.at,
    status: call.status,
    code: call.code,
    message: call.message,
    param: call.param,
    model: call.model,
    address: call.address,
  }
}

type Columns<Table extends keyof Schema> = Readonly<Record<keyof Schema[Table], ColumnType>>
