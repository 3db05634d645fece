import { sql, type CompiledQuery, type Kysely, type RawBuilder, type Selectable } from 'kysely'
import type { RefusedCall, RefusedOfKey } from '../../core/ports/refusals.ts'
import { KEPT_PER_KEY, type RefusalCount, dayOf, decideKept } from '../../core/refusedCalls.ts'
import { readNumber, readRefusalCount } from '../rows.ts'
import type { Schema, StoredInteger } from '../schema.ts'
import type { AtomicChange } from './atomically.ts'

/** A ULID: the end of every id of ours, in order of time. */
const PLACE_LENGTH = 26

interface Ranked {
  readonly id: string
  readonly key_id: string
  /** 1: the newest of its key. */
  readonly position: StoredInteger
}

/**
 * Keeps refused calls of some keys, and counts them. Rows travel as JSON: the statements are the same however many there
 * are, and are prepared once.
 * @param locks whether what is loaded needs `for update`
 */
export function keepRefusals(
  refused: readonly RefusedOfKey[],
  locks: boolean,
  db: Kysely<Schema>,
): AtomicChange<void> {
  const rows = rowsFor(locks ? 'postgres' : 'sqlite')
  const keys = rows(
    refused.map(({ keyId, at }) => ({ key_id: keyId, day: dayOf(at) })),
    { key_id: 'text', day: 'bigint' },
  )
  const newMost = Math.max(...refused.map(({ calls }) => calls.length))

  /** In one order, so that two processes never wait for each other. */
  const counts = sql`select * from refusal_counts where (key_id, day) in (select key_id, day from ${keys})
    order by key_id, day ${sql.raw(locks ? 'for update' : '')}`
  const oldest = sql`select * from (
      select id, key_id, row_number() over (partition by key_id order by refused_at desc, place desc) as position
      from refused_calls where key_id in (select key_id from ${keys})
    ) as ranked where position > ${KEPT_PER_KEY - newMost}`

  return {
    load: [counts.compile(db), oldest.compile(db)],
    decide([knownRows = [], ranked = []]) {
      const known = new Map<string, RefusalCount>()
      for (const row of knownRows as Selectable<Schema['refusal_counts']>[]) {
        const count = readRefusalCount(row)
        known.set(count.keyId, count)
      }
      const verdicts = refused.map((ofKey) => decideKept(known.get(ofKey.keyId), ofKey))
      const calls = verdicts.flatMap((verdict) => verdict.calls)
      const room = new Map(verdicts.map(({ count, calls: own }) => [String(count.keyId), own.length]))
      const displaced = (ranked as Ranked[]).filter(
        (row) => readNumber(row.position) > KEPT_PER_KEY - (room.get(row.key_id) ?? 0),
      )
      const all = verdicts.map(({ count }) => count)
      return {
        writes: [
          insertCounts(all.filter(({ keyId }) => !known.has(keyId))),
          updateCounts(all.filter(({ keyId }) => known.has(keyId))),
          insertCalls(calls),
          deleteCalls(displaced),
        ].filter((write) => write !== undefined),
        result: undefined,
      }
    },
  }

  /** Another process's first refusal of the day for the same key violates the primary key: then all is decided again. */
  function insertCounts(some: readonly RefusalCount[]): CompiledQuery | undefined {
    if (some.length === 0) return undefined
    return sql`insert into refusal_counts (key_id, day, minute, minute_kept, refused)
      select key_id, day, minute, minute_kept, refused from ${countRows(some)}`.compile(db)
  }

  function updateCounts(some: readonly RefusalCount[]): CompiledQuery | undefined {
    if (some.length === 0) return undefined
    return sql`update refusal_counts
      set minute = given.minute, minute_kept = given.minute_kept, refused = given.refused
      from ${countRows(some)}
      where refusal_counts.key_id = given.key_id and refusal_counts.day = given.day`.compile(db)
  }

  function countRows(some: readonly RefusalCount[]): RawBuilder<unknown> {
    return rows(
      some.map((count) => ({
        key_id: count.keyId,
        day: count.day,
        minute: count.minute,
        minute_kept: count.minuteKept,
        refused: count.refused,
      })),
      { key_id: 'text', day: 'bigint', minute: 'bigint', minute_kept: 'bigint', refused: 'bigint' },
    )
  }

  function insertCalls(calls: readonly RefusedCall[]): CompiledQuery | undefined {
    if (calls.length === 0) return undefined
    const columns = sql.raw(Object.keys(CALL_COLUMNS).join(', '))
    return sql`insert into refused_calls (${columns})
      select ${columns} from ${rows(calls.map(rowOf), CALL_COLUMNS)}`.compile(db)
  }

  function deleteCalls(displaced: readonly Ranked[]): CompiledQuery | undefined {
    if (displaced.length === 0) return undefined
    const ids = rows(
      displaced.map(({ id }) => ({ id })),
      { id: 'text' },
    )
    return sql`delete from refused_calls where id in (select id from ${ids})`.compile(db)
  }
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

type ColumnType = 'text' | 'bigint'
type Columns<Table extends keyof Schema> = Readonly<Record<keyof Schema[Table], ColumnType>>
type Rows = <Name extends string>(
  values: readonly Readonly<Record<Name, string | number | null>>[],
  columns: Readonly<Record<Name, ColumnType>>,
) => RawBuilder<unknown>

/** Rows as one parameter: a table named `given`. */
function rowsFor(engine: 'sqlite' | 'postgres'): Rows {
  return (values, columns) => {
    const text = JSON.stringify(values)
    const entries = Object.entries<ColumnType>(columns)
    if (engine === 'postgres') {
      const list = entries.map(([name, type]) => `${name} ${type}`).join(', ')
      // By way of text: the driver would take the parameter of a JSON type for a value yet to be written as JSON.
      return sql`json_to_recordset(${text}::text::json) as given (${sql.raw(list)})`
    }
    const list = entries.map(([name]) => `value ->> '${name}' as ${name}`).join(', ')
    return sql`(select ${sql.raw(list)} from json_each(${text})) as given`
  }
}
