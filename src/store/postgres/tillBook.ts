import { assert } from '../../core/assert.ts'
import type { KeyId, RequestId, WorkspaceId } from '../../core/id.ts'
import type { LedgerLine } from '../../core/ledger.ts'
import type { UsageRecord } from '../../core/ports/books.ts'
import {
  FRESH_KEY,
  FRESH_SPEND,
  type Hold,
  type KeySpend,
  type KeyState,
  type TillState,
  type WorkspaceState,
} from '../../core/tillState.ts'
import type { NewlySettled, Settled, StoredHold } from '../rows.ts'

/** Whose rows a decision reads and changes. */
export interface Place {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  readonly month: string
}

/** One line of the ledger with what the store adds to it. */
export interface Posting extends LedgerLine {
  readonly workspaceId: WorkspaceId
  readonly requestId: RequestId
  readonly at: number
  readonly note: string | null
  /** Its place in the ledger. */
  readonly sequence: bigint
  /** The place of the transfer of the same call before it. */
  readonly previous: bigint | null
}

/** A workspace's row. */
export interface StoredWorkspace {
  readonly state: WorkspaceState
  /** The place of its ledger's last transfer. */
  readonly lastTransfer: bigint
}

/** What was loaded under the lock. */
export interface Loaded {
  readonly workspaces: ReadonlyMap<WorkspaceId, StoredWorkspace>
  readonly keys: ReadonlyMap<KeyId, KeyState>
  /** By `spendKey`. */
  readonly spend: ReadonlyMap<string, KeySpend>
  readonly holds: ReadonlyMap<RequestId, StoredHold>
  /** Of calls that have been settled. */
  readonly settled: ReadonlyMap<RequestId, NewlySettled>
}

/** What is to be written: each row once, as it is after the last decision of the group. */
export interface Changed {
  readonly workspaces: ReadonlyMap<WorkspaceId, StoredWorkspace>
  readonly keys: ReadonlyMap<KeyId, KeyState>
  readonly spend: ReadonlyMap<string, { readonly place: Place; readonly spend: KeySpend }>
  /** `undefined`: the hold is gone. */
  readonly holds: ReadonlyMap<RequestId, StoredHold | undefined>
  /** Holds that were not there before. */
  readonly newHolds: ReadonlySet<RequestId>
  readonly postings: readonly Posting[]
  readonly records: ReadonlyMap<RequestId, { readonly record: UsageRecord; readonly settled: NewlySettled }>
  /** Records that were not there before. */
  readonly newRecords: ReadonlySet<RequestId>
}

/** The rows of a group of requests, open on the desk: decided on one after the other, then written at once. */
export interface TillBook {
  state(place: Place): TillState
  hold(id: RequestId): StoredHold | undefined
  /** Takes what a decision returned. */
  put(place: Place, state: TillState): void
  /** After its lines were posted. */
  putHold(hold: Hold): void
  /** Writes the lines of a call; before its hold is put, removed or recorded. */
  post(place: Place, lines: readonly LedgerLine[], more: Pick<Posting, 'requestId' | 'at' | 'note'>): void
  removeHold(id: RequestId): void
  /** What the call was settled with. */
  settled(id: RequestId): NewlySettled | undefined
  /** Writes the record of a call, or puts it in the place of an earlier one. */
  record(record: UsageRecord, settled: Settled): void
  readonly changed: Changed
}

export function spendKey({ keyId, month }: Pick<Place, 'keyId' | 'month'>): string {
  return `${month} ${keyId}`
}

export function openTillBook(loaded: Loaded): TillBook {
  const changed = {
    workspaces: new Map<WorkspaceId, StoredWorkspace>(),
    keys: new Map<KeyId, KeyState>(),
    spend: new Map<string, { place: Place; spend: KeySpend }>(),
    holds: new Map<RequestId, StoredHold | undefined>(),
    newHolds: new Set<RequestId>(),
    postings: [] as Posting[],
    records: new Map<RequestId, { record: UsageRecord; settled: NewlySettled }>(),
    newRecords: new Set<RequestId>(),
  }
  /** The last transfer that this group posted for a call. */
  const lastPosted = new Map<RequestId, bigint>()

  function workspaceOf(id: WorkspaceId): StoredWorkspace {
    const workspace = changed.workspaces.get(id) ?? loaded.workspaces.get(id)
    assert(workspace !== undefined, `no workspace ${id}`)
    return workspace
  }

  function holdOf(id: RequestId): StoredHold | undefined {
    return changed.holds.has(id) ? changed.holds.get(id) : loaded.holds.get(id)
  }

  function settledOf(id: RequestId): NewlySettled | undefined {
    return changed.records.get(id)?.settled ?? loaded.settled.get(id)
  }

  function lastTransferOf(id: RequestId): bigint | null {
    return lastPosted.get(id) ?? holdOf(id)?.lastTransfer ?? settledOf(id)?.lastTransfer ?? null
  }

  function state(place: Place): TillState {
    return {
      workspace: workspaceOf(place.workspaceId).state,
      key: changed.keys.get(place.keyId) ?? loaded.keys.get(place.keyId) ?? FRESH_KEY,
      spend: changed.spend.get(spendKey(place))?.spend ?? loaded.spend.get(spendKey(place)) ?? FRESH_SPEND,
    }
  }

  return {
    state,
    hold: holdOf,
    put(place, after) {
      const before = state(place)
      if (after.workspace !== before.workspace) {
        const { lastTransfer } = workspaceOf(place.workspaceId)
        changed.workspaces.set(place.workspaceId, { state: after.workspace, lastTransfer })
      }
      if (after.key !== before.key) changed.keys.set(place.keyId, after.key)
      if (after.spend !== before.spend) changed.spend.set(spendKey(place), { place, spend: after.spend })
    },
    putHold(hold) {
      if (!loaded.holds.has(hold.id)) changed.newHolds.add(hold.id)
      changed.holds.set(hold.id, { ...hold, lastTransfer: lastTransferOf(hold.id) })
    },
    removeHold(id) {
      changed.holds.set(id, undefined)
    },
    post({ workspaceId }, lines, more) {
      if (lines.length === 0) return
      const { requestId, at, note } = more
      const workspace = workspaceOf(workspaceId)
      let sequence = workspace.lastTransfer
      let previous = lastTransferOf(requestId)
      for (const { kind, amount, balance } of lines) {
        sequence++
        changed.postings.push({ kind, amount, balance, workspaceId, requestId, at, note, sequence, previous })
        previous = sequence
      }
      lastPosted.set(requestId, sequence)
      changed.workspaces.set(workspaceId, { state: workspace.state, lastTransfer: sequence })
    },
    settled: settledOf,
    record(record, settled) {
      const { id } = record
      if (!loaded.settled.has(id)) changed.newRecords.add(id)
      changed.records.set(id, { record, settled: { ...settled, lastTransfer: lastTransferOf(id) } })
    },
    changed,
  }
}
