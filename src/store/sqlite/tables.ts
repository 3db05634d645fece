import type { SQLQueryBindings } from 'bun:sqlite'
import type { Selectable } from 'kysely'
import { assert } from '../../core/assert.ts'
import type { StoredAnswer } from '../../core/idempotency.ts'
import type { KeyId, RequestId, TransferId, WorkspaceId } from '../../core/id.ts'
import type { LedgerLine } from '../../core/ledger.ts'
import type { Claim } from '../../core/ports/answers.ts'
import type { Transfer, UsageRecord } from '../../core/ports/books.ts'
import type { KeptAnswer } from '../../core/ports/till.ts'
import {
  FRESH_KEY,
  FRESH_SPEND,
  type Hold,
  type KeySpend,
  type KeyState,
  type TillState,
  type WorkspaceState,
} from '../../core/tillState.ts'
import {
  TAKEN_BACK_COLUMNS,
  USAGE_RECORD_COLUMNS,
  readHold,
  readKeySpend,
  readKeyState,
  readPlace,
  readSettled,
  readStoredAnswer,
  readTakenHold,
  readTransfer,
  readWorkspaceState,
  takenBackValues,
  usageRecordValues,
  type NewlySettled,
  type StoredHold,
  type TakenHold,
} from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { Statements } from './statements.ts'

/** Whose rows a decision reads and changes. */
interface Caller {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
}

/** A row as this group has it: loaded once, changed in memory, written once. */
interface Loaded<State> {
  state: State
  changed: boolean
}

interface LoadedWorkspace extends Loaded<WorkspaceState> {
  /** The place of its ledger's last transfer. */
  lastTransfer: bigint
}

/** The rows that a decision reads and changes. */
export interface Desk {
  readonly workspace: LoadedWorkspace
  readonly key: Loaded<KeyState>
  readonly spend: Loaded<KeySpend>
}

/** What a decision sees of them. */
export function stateOf({ workspace, key, spend }: Desk): TillState {
  return { workspace: workspace.state, key: key.state, spend: spend.state }
}

/** What a ledger line is about. */
export interface LineContext {
  readonly workspaceId: WorkspaceId
  readonly requestId: RequestId | null
  /** The place of the transfer of the same call before it. */
  readonly previous: bigint | null
  readonly at: number
  readonly id: TransferId | null
  readonly note: string | null
}

export type Tables = ReturnType<typeof createTables>

/** The tables of the till behind prepared statements; used only inside a group's transaction. */
export function createTables({ prepare }: Pick<Statements, 'prepare'>) {
  let workspaces = new Map<WorkspaceId, LoadedWorkspace>()
  let keys = new Map<KeyId, Loaded<KeyState>>()
  let spends = new Map<KeyId, Map<string, Loaded<KeySpend>>>()

  const selectWorkspace = one<'workspaces'>(
    'select balance, held, minute_opened_at, minute_count, last_transfer from workspaces where id = ?',
  )
  const updateWorkspace = prepare(
    `update workspaces set balance = ?, held = ?, minute_opened_at = ?, minute_count = ?, last_transfer = ?
      where id = ?`,
  )
  const selectKey = one<'key_counters'>('select * from key_counters where key_id = ?')
  const upsertKey = prepare(
    `insert or replace into key_counters
      (key_id, minute_opened_at, minute_count, day_opened_at, day_count, open_calls) values (?, ?, ?, ?, ?, ?)`,
  )
  const selectSpend = one<'key_spend'>('select spent, held from key_spend where key_id = ? and month = ?')
  const upsertSpend = prepare(
    'insert or replace into key_spend (key_id, month, spent, held) values (?, ?, ?, ?)',
  )

  const selectHold = one<'holds'>('select * from holds where id = ?')
  // Of a hold that is taken: each column costs as much again as finding it.
  const selectTaken = one<'holds'>('select amount, month, last_transfer from holds where id = ?')
  const insertHold = prepare(
    `insert into holds (id, workspace_id, key_id, amount, month, expires_at, last_transfer)
      values (?, ?, ?, ?, ?, ?, ?)`,
  )
  const updateHold = prepare('update holds set amount = ?, last_transfer = ? where id = ?')
  const deleteHold = prepare('delete from holds where id = ?')
  const renewHold = prepare('update holds set expires_at = ? where id = ?')

  const insertTransfer = prepare(
    `insert into transfers
      (sequence, id, workspace_id, kind, amount, balance, request_id, previous, note, created_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const selectTransfer = one<'transfers'>('select * from transfers where id = ?')
  const selectCredit = one<'credits'>('select transfer_id from credits where idempotency_key = ?')
  const insertCredit = prepare('insert into credits (idempotency_key, transfer_id) values (?, ?)')

  const selectSettled = one<'usage_records'>(
    'select hold, charge, writeoff, last_transfer from usage_records where id = ?',
  )
  const insertRecord = prepare(
    `insert into usage_records (${USAGE_RECORD_COLUMNS.join(', ')})
      values (${USAGE_RECORD_COLUMNS.map(() => '?').join(', ')})`,
  )
  const updateRecord = prepare(
    `update usage_records set ${TAKEN_BACK_COLUMNS.map((column) => `${column} = ?`).join(', ')} where id = ?`,
  )

  const selectAnswer = one<'answers'>('select * from answers where workspace_id = ? and idempotency_key = ?')
  const upsertClaim = prepare(
    `insert or replace into answers (workspace_id, idempotency_key, request_id, body_hash, expires_at)
      values (?, ?, ?, ?, ?)`,
  )
  const updateAnswer = prepare(
    `update answers set content_type = ?, body = ?, expires_at = ?
      where workspace_id = ? and idempotency_key = ? and request_id = ?`,
  )
  const deleteKept = prepare('delete from answers where request_id = ? and body is not null')
  const deleteExpired = prepare(
    `delete from answers where rowid in
      (select rowid from answers where expires_at <= ? order by expires_at limit ?)`,
  )
  const renewClaim = prepare('update answers set expires_at = ? where request_id = ? and body is null')

  function one<Table extends keyof Schema>(sql: string) {
    return prepare<Selectable<Schema[Table]>>(sql)
  }

  function loadWorkspace(id: WorkspaceId): LoadedWorkspace | undefined {
    let loaded = workspaces.get(id)
    if (!loaded) {
      const row = selectWorkspace.get(id)
      if (!row) return undefined
      loaded = {
        state: readWorkspaceState(row),
        changed: false,
        lastTransfer: readPlace(row.last_transfer),
      }
      workspaces.set(id, loaded)
    }
    return loaded
  }

  function loadKey(id: KeyId): Loaded<KeyState> {
    let loaded = keys.get(id)
    if (!loaded) {
      const row = selectKey.get(id)
      loaded = { state: row ? readKeyState(row) : FRESH_KEY, changed: false }
      keys.set(id, loaded)
    }
    return loaded
  }

  function loadSpend(keyId: KeyId, month: string): Loaded<KeySpend> {
    let months = spends.get(keyId)
    if (!months) spends.set(keyId, (months = new Map()))
    let loaded = months.get(month)
    if (!loaded) {
      const row = selectSpend.get(keyId, month)
      loaded = { state: row ? readKeySpend(row) : FRESH_SPEND, changed: false }
      months.set(month, loaded)
    }
    return loaded
  }

  function replace<State>(loaded: Loaded<State>, state: State): void {
    if (loaded.state === state) return
    loaded.state = state
    loaded.changed = true
  }

  return {
    /** Forgets the rows of the group before: other processes may have changed them. */
    forget(): void {
      workspaces = new Map()
      keys = new Map()
      spends = new Map()
    },

    /** Writes every row that the group has changed, once. */
    writeBack(): void {
      for (const [id, { state, changed, lastTransfer }] of workspaces) {
        if (!changed) continue
        const { balance, held, minute } = state
        updateWorkspace.run(
          bound(balance),
          bound(held),
          minute?.openedAt ?? null,
          minute?.count ?? null,
          bound(lastTransfer),
          id,
        )
      }
      for (const [id, { state, changed }] of keys) {
        if (!changed) continue
        const { minute, day, openCalls } = state
        upsertKey.run(
          id,
          minute?.openedAt ?? null,
          minute?.count ?? null,
          day?.openedAt ?? null,
          day?.count ?? null,
          openCalls,
        )
      }
      for (const [keyId, months] of spends) {
        for (const [month, { state, changed }] of months) {
          if (changed) upsertSpend.run(keyId, month, bound(state.spent), bound(state.held))
        }
      }
    },

    /** @param month the UTC calendar month of `spend` */
    open({ workspaceId, keyId }: Caller, month: string): Desk {
      const workspace = loadWorkspace(workspaceId)
      assert(workspace !== undefined, 'a key has a workspace')
      return { workspace, key: loadKey(keyId), spend: loadSpend(keyId, month) }
    },

    store({ workspace, key, spend }: Desk, state: TillState): void {
      replace(workspace, state.workspace)
      replace(key, state.key)
      replace(spend, state.spend)
    },

    workspace: (id: WorkspaceId): WorkspaceState | undefined => loadWorkspace(id)?.state,

    storeWorkspace(id: WorkspaceId, state: WorkspaceState): void {
      const workspace = loadWorkspace(id)
      assert(workspace !== undefined, 'what is written was loaded')
      replace(workspace, state)
    },

    hold(id: RequestId): StoredHold | undefined {
      const row = selectHold.get(id)
      return row ? readHold(row) : undefined
    },

    insertHold(hold: Hold, lastTransfer: bigint | null): void {
      const { id, workspaceId, keyId, amount, month, expiresAt } = hold
      insertHold.run(id, workspaceId, keyId, bound(amount), month, expiresAt, bound(lastTransfer))
    },

    updateHold: ({ id, amount }: Hold, lastTransfer: bigint | null): void =>
      void updateHold.run(bound(amount), bound(lastTransfer), id),

    /** Deletes a hold; returns what it was. */
    takeHold(id: RequestId): TakenHold | undefined {
      // Two statements: SQLite takes twice as long for one that also returns what it deletes.
      const row = selectTaken.get(id)
      if (!row) return undefined
      deleteHold.run(id)
      return readTakenHold(row)
    },

    renew(id: RequestId, expiresAt: number): void {
      renewHold.run(expiresAt, id)
      renewClaim.run(expiresAt, id)
    },

    /** Returns the place of the last transfer of what they are about: `previous` when there are no lines. */
    insertLines(lines: readonly LedgerLine[], context: LineContext): bigint | null {
      const { id, workspaceId, requestId, note, at } = context
      let { previous } = context
      if (lines.length === 0) return previous
      const workspace = loadWorkspace(workspaceId)
      assert(workspace !== undefined, 'a ledger has a workspace')
      for (const { kind, amount, balance } of lines) {
        const sequence = ++workspace.lastTransfer
        insertTransfer.run(
          bound(sequence),
          id,
          workspaceId,
          kind,
          bound(amount),
          bound(balance),
          requestId,
          bound(previous),
          note,
          at,
        )
        previous = sequence
      }
      workspace.changed = true
      return previous
    },

    /** The transfer of a credit, by its id or by its idempotency key. */
    creditBefore(id: TransferId, idempotencyKey: string | null): Transfer | undefined {
      const named = idempotencyKey === null ? null : selectCredit.get(idempotencyKey)
      const row = selectTransfer.get(named?.transfer_id ?? id)
      return row ? readTransfer(row) : undefined
    },

    insertCredit: (idempotencyKey: string, id: TransferId): void => void insertCredit.run(idempotencyKey, id),

    settled(id: RequestId): NewlySettled | undefined {
      const row = selectSettled.get(id)
      return row ? readSettled(row) : undefined
    },

    insertRecord: (record: UsageRecord, settled: NewlySettled): void =>
      void insertRecord.run(...usageRecordValues(record, settled).map(bound)),

    takeRecordBack: (record: UsageRecord, settled: NewlySettled): void =>
      void updateRecord.run(...takenBackValues(record, settled), record.id),

    answer(workspace: WorkspaceId, idempotencyKey: string): StoredAnswer | undefined {
      const row = selectAnswer.get(workspace, idempotencyKey)
      return row ? readStoredAnswer(row) : undefined
    },

    writeClaim(claim: Claim): void {
      const { workspaceId, idempotencyKey, id, bodyHash, leaseUntil } = claim
      upsertClaim.run(workspaceId, idempotencyKey, id, bodyHash, leaseUntil)
    },

    /** Deletes some of the answers and claims that have expired, the oldest first; returns how many. */
    deleteAnswers: (at: number, limit: number): number => deleteExpired.run(at, limit).changes,

    /** Keeps the answer if the claim is still this call's. */
    writeAnswer(workspace: WorkspaceId, id: RequestId, answer: KeptAnswer): void {
      const { contentType, body, expiresAt, idempotencyKey } = answer
      updateAnswer.run(contentType, body, expiresAt, workspace, idempotencyKey, id)
    },

    /** Keeps the answer of this call no longer. */
    forgetAnswer: (id: RequestId): void => void deleteKept.run(id),
  }
}

/** Binding a number takes half the time of binding the same bigint; a column of integers keeps the same from either. */
function bound<Value extends SQLQueryBindings>(value: Value): Value | number {
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
