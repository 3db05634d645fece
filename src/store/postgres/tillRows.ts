import type { Selectable } from 'kysely'
import type { KeyId, RequestId, WorkspaceId } from '../../core/id.ts'
import type { KeySpend } from '../../core/tillState.ts'
import {
  readHold,
  readKeySpend,
  readKeyState,
  readPlace,
  readSettled,
  readWorkspaceState,
  TAKEN_BACK_COLUMNS,
  takenBackValues,
  USAGE_RECORD_COLUMNS,
  usageRecordValues,
} from '../rows.ts'
import type { Schema } from '../schema.ts'
import { bigints, texts } from './arrays.ts'
import type { Row, Rows, Statement } from './pool.ts'
import { spendKey, type Changed, type Loaded, type StoredWorkspace } from './tillBook.ts'

/** The statements of the till: which rows a group loads under its lock, and how what it decided is written. */

/** Which rows a group touches. Repetitions are welcome. */
export interface Touched {
  readonly workspaceIds: readonly WorkspaceId[]
  readonly keyIds: readonly KeyId[]
  readonly months: readonly string[]
  /** Holds to load with the spend of their months; absent: none. */
  readonly holdIds?: readonly RequestId[]
}

/**
 * Locks the workspaces, then loads what they guard. Each statement sees
 * what was committed before it began, so all but the first see the rows as they are under the lock.
 */
export function loadTouched({ workspaceIds, keyIds, months, holdIds }: Touched): Statement[] {
  const keys = texts([...new Set(keyIds)])
  const holds = holdIds && texts([...new Set(holdIds)])
  return [
    lockWorkspaces(workspaceIds),
    { text: 'SELECT * FROM key_counters WHERE key_id = ANY($1::text[])', values: [keys] },
    {
      text: `SELECT * FROM key_spend WHERE key_id = ANY($1::text[]) AND (month = ANY($2::text[])
        OR month IN (SELECT month FROM holds WHERE id = ANY($3::text[])))`,
      values: [keys, texts([...new Set(months)]), holds ?? '{}'],
    },
    ...(holds === undefined
      ? []
      : [{ text: 'SELECT * FROM holds WHERE id = ANY($1::text[])', values: [holds] }]),
  ]
}

/** What has been settled before of these calls; after all that `loadTouched` loads. */
export function loadSettled(ids: readonly RequestId[]): Statement {
  return {
    text: 'SELECT id, hold, charge, writeoff, last_transfer FROM usage_records WHERE id = ANY($1::text[])',
    values: [texts(ids)],
  }
}

/** The one lock of the till, always taken in the order of the ids. */
export function lockWorkspaces(ids: readonly WorkspaceId[]): Statement {
  return {
    text: `SELECT id, balance, held, minute_opened_at, minute_count, last_transfer FROM workspaces
      WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`,
    values: [texts([...new Set(ids)])],
  }
}

/** Reads what `loadTouched` loaded, and `loadSettled` after it. */
export function readLoaded([workspaces, keys, spend, holds, records]: readonly Rows[]): Loaded {
  return {
    workspaces: new Map(
      rowsOf<'workspaces'>(workspaces).map((row) => [row.id as WorkspaceId, readStoredWorkspace(row)]),
    ),
    keys: new Map(rowsOf<'key_counters'>(keys).map((row) => [row.key_id as KeyId, readKeyState(row)])),
    spend: new Map(
      rowsOf<'key_spend'>(spend).map((row): [string, KeySpend] => [
        spendKey({ keyId: row.key_id as KeyId, month: row.month }),
        readKeySpend(row),
      ]),
    ),
    holds: new Map(rowsOf<'holds'>(holds).map((row) => [row.id as RequestId, readHold(row)])),
    settled: new Map(rowsOf<'usage_records'>(records).map((row) => [row.id as RequestId, readSettled(row)])),
  }
}

export function readStoredWorkspace(row: Selectable<Schema['workspaces']>): StoredWorkspace {
  return { state: readWorkspaceState(row), lastTransfer: readPlace(row.last_transfer) }
}

/** The rows of a statement that selects whole rows of a table (or the columns its reader needs). */
export function rowsOf<Table extends keyof Schema>(
  rows: readonly Row[] = [],
): readonly Selectable<Schema[Table]>[] {
  return rows as unknown as readonly Selectable<Schema[Table]>[]
}

/** One statement per table, none for a table that nothing changed in. */
export function writeChanged(changed: Changed): Statement[] {
  return [
    ...updateWorkspaces(changed.workspaces),
    ...upsertKeys(changed),
    ...upsertSpend(changed),
    ...insertHolds(changed),
    ...updateHolds(changed),
    ...deleteHolds(changed),
    ...insertTransfers(changed),
    ...insertUsageRecords(changed),
    ...updateUsageRecords(changed),
  ]
}

export function updateWorkspaces(workspaces: Changed['workspaces']): Statement[] {
  if (workspaces.size === 0) return []
  const rows = [...workspaces.values()]
  return [
    {
      text: `UPDATE workspaces SET balance = changed.balance, held = changed.held,
        minute_opened_at = changed.minute_opened_at, minute_count = changed.minute_count,
        last_transfer = changed.last_transfer
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
          AS changed (id, balance, held, minute_opened_at, minute_count, last_transfer)
        WHERE workspaces.id = changed.id`,
      values: [
        texts([...workspaces.keys()]),
        bigints(rows.map(({ state }) => state.balance)),
        bigints(rows.map(({ state }) => state.held)),
        bigints(rows.map(({ state }) => state.minute?.openedAt ?? null)),
        bigints(rows.map(({ state }) => state.minute?.count ?? null)),
        bigints(rows.map(({ lastTransfer }) => lastTransfer)),
      ],
    },
  ]
}

function upsertKeys({ keys }: Changed): Statement[] {
  if (keys.size === 0) return []
  const states = [...keys.values()]
  return [
    {
      text: `INSERT INTO key_counters (key_id, minute_opened_at, minute_count, day_opened_at, day_count, open_calls)
        SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
        ON CONFLICT (key_id) DO UPDATE SET
          minute_opened_at = excluded.minute_opened_at, minute_count = excluded.minute_count,
          day_opened_at = excluded.day_opened_at, day_count = excluded.day_count,
          open_calls = excluded.open_calls`,
      values: [
        texts([...keys.keys()]),
        bigints(states.map(({ minute }) => minute?.openedAt ?? null)),
        bigints(states.map(({ minute }) => minute?.count ?? null)),
        bigints(states.map(({ day }) => day?.openedAt ?? null)),
        bigints(states.map(({ day }) => day?.count ?? null)),
        bigints(states.map(({ openCalls }) => openCalls)),
      ],
    },
  ]
}

function upsertSpend({ spend }: Changed): Statement[] {
  if (spend.size === 0) return []
  const rows = [...spend.values()]
  return [
    {
      text: `INSERT INTO key_spend (key_id, month, spent, held)
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
        ON CONFLICT (key_id, month) DO UPDATE SET spent = excluded.spent, held = excluded.held`,
      values: [
        texts(rows.map(({ place }) => place.keyId)),
        texts(rows.map(({ place }) => place.month)),
        bigints(rows.map(({ spend }) => spend.spent)),
        bigints(rows.map(({ spend }) => spend.held)),
      ],
    },
  ]
}

function insertHolds({ holds, newHolds }: Changed): Statement[] {
  const rows = [...holds.values()].filter((hold) => hold !== undefined).filter(({ id }) => newHolds.has(id))
  if (rows.length === 0) return []
  return [
    {
      text: `INSERT INTO holds (id, workspace_id, key_id, amount, month, expires_at, last_transfer) SELECT * FROM
        unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])`,
      values: [
        texts(rows.map(({ id }) => id)),
        texts(rows.map(({ workspaceId }) => workspaceId)),
        texts(rows.map(({ keyId }) => keyId)),
        bigints(rows.map(({ amount }) => amount)),
        texts(rows.map(({ month }) => month)),
        bigints(rows.map(({ expiresAt }) => expiresAt)),
        bigints(rows.map(({ lastTransfer }) => lastTransfer)),
      ],
    },
  ]
}

/** Only an amount and what comes with it changes while a hold is open; leases are renewed elsewhere. */
function updateHolds({ holds, newHolds }: Changed): Statement[] {
  const rows = [...holds.values()].filter((hold) => hold !== undefined).filter(({ id }) => !newHolds.has(id))
  if (rows.length === 0) return []
  return [
    {
      text: `UPDATE holds SET amount = changed.amount, last_transfer = changed.last_transfer
        FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS changed (id, amount, last_transfer)
        WHERE holds.id = changed.id`,
      values: [
        texts(rows.map(({ id }) => id)),
        bigints(rows.map(({ amount }) => amount)),
        bigints(rows.map(({ lastTransfer }) => lastTransfer)),
      ],
    },
  ]
}

function deleteHolds({ holds }: Changed): Statement[] {
  const gone = [...holds].filter(([, hold]) => hold === undefined).map(([id]) => id)
  if (gone.length === 0) return []
  return [{ text: 'DELETE FROM holds WHERE id = ANY($1::text[])', values: [texts(gone)] }]
}

function insertTransfers({ postings }: Changed): Statement[] {
  if (postings.length === 0) return []
  return [
    {
      text: `INSERT INTO transfers
        (sequence, workspace_id, kind, amount, balance, request_id, previous, note, created_at)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[],
          $7::bigint[], $8::text[], $9::bigint[])`,
      values: [
        bigints(postings.map(({ sequence }) => sequence)),
        texts(postings.map(({ workspaceId }) => workspaceId)),
        texts(postings.map(({ kind }) => kind)),
        bigints(postings.map(({ amount }) => amount)),
        bigints(postings.map(({ balance }) => balance)),
        texts(postings.map(({ requestId }) => requestId)),
        bigints(postings.map(({ previous }) => previous)),
        texts(postings.map(({ note }) => note)),
        bigints(postings.map(({ at }) => at)),
      ],
    },
  ]
}

type UsageColumn = (typeof USAGE_RECORD_COLUMNS)[number]

const TEXT_COLUMNS: ReadonlySet<UsageColumn> = new Set<UsageColumn>([
  'id',
  'workspace_id',
  'key_id',
  'model',
  'requested_model',
  'provider',
  'upstream_model',
  'ending',
  'usage_source',
  'lines',
  'attempts',
  'end_user',
])

const INSERT_USAGE_RECORDS = `INSERT INTO usage_records (${USAGE_RECORD_COLUMNS.join(', ')}) SELECT * FROM unnest(${USAGE_RECORD_COLUMNS.map(
  (column, index) => `$${index + 1}::${typeOf(column)}[]`,
).join(', ')})`

function insertUsageRecords({ records, newRecords }: Changed): Statement[] {
  if (newRecords.size === 0) return []
  const rows = [...records.values()]
    .filter(({ record }) => newRecords.has(record.id))
    .map(({ record, settled }) => usageRecordValues(record, settled))
  return [
    {
      text: INSERT_USAGE_RECORDS,
      values: columnsOf(USAGE_RECORD_COLUMNS, rows),
    },
  ]
}

const UPDATE_USAGE_RECORDS = `UPDATE usage_records SET ${TAKEN_BACK_COLUMNS.map((column) => `${column} = changed.${column}`).join(', ')}
  FROM unnest($1::text[], ${TAKEN_BACK_COLUMNS.map((column, index) => `$${index + 2}::${typeOf(column)}[]`).join(', ')})
    AS changed (id, ${TAKEN_BACK_COLUMNS.join(', ')})
  WHERE usage_records.id = changed.id`

/** Only settlements that are taken back change a record. */
function updateUsageRecords({ records, newRecords }: Changed): Statement[] {
  if (records.size === newRecords.size) return []
  const changed = [...records.values()].filter(({ record }) => !newRecords.has(record.id))
  const rows = changed.map(({ record, settled }) => takenBackValues(record, settled))
  return [
    {
      text: UPDATE_USAGE_RECORDS,
      values: [texts(changed.map(({ record }) => record.id)), ...columnsOf(TAKEN_BACK_COLUMNS, rows)],
    },
  ]
}

function typeOf(column: UsageColumn): 'text' | 'bigint' {
  return TEXT_COLUMNS.has(column) ? 'text' : 'bigint'
}

/** Rows of values as one array for each column. */
function columnsOf(
  columns: readonly UsageColumn[],
  rows: readonly (readonly (string | number | bigint | null)[])[],
): string[] {
  return columns.map((column, index) => {
    const values = rows.map((row) => row[index] ?? null)
    return TEXT_COLUMNS.has(column)
      ? texts(values as (string | null)[])
      : bigints(values as (bigint | number | null)[])
  })
}
