import { assert } from '../../core/assert.ts'
import type { KeyId, RequestId, WorkspaceId } from '../../core/id.ts'
import type { LedgerLine } from '../../core/ledger.ts'
import type { Nano } from '../../core/money.ts'
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
import type { Settled } from '../rows.ts'

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
}

/** What was loaded under the lock. */
export interface Loaded {
  readonly workspaces: ReadonlyMap<WorkspaceId, WorkspaceState>
  readonly keys: ReadonlyMap<KeyId, KeyState>
  /** By `spendKey`. */
  readonly spend: ReadonlyMap<string, KeySpend>
  readonly holds: ReadonlyMap<RequestId, Hold>
}

/** What is to be written: each row once, as it is after the last decision of the group. */
export interface Changed {
  readonly workspaces: ReadonlyMap<WorkspaceId, WorkspaceState>
  readonly keys: ReadonlyMap<KeyId, KeyState>
  readonly spend: ReadonlyMap<string, { readonly place: Place; readonly spend: KeySpend }>
  /** `undefined`: the hold is gone. */
  readonly holds: ReadonlyMap<RequestId, Hold | undefined>
  /** Holds that were not there before. */
  readonly newHolds: ReadonlySet<RequestId>
  readonly postings: readonly Posting[]
  readonly records: readonly { readonly record: UsageRecord; readonly settled: Settled }[]
}

/** The rows of a group of requests, open on the desk: decided on one after the other, then written at once. */
export interface TillBook {
  state(place: Place): TillState
  /** Undefined when there is no such workspace. */
  balance(workspaceId: WorkspaceId): Nano | undefined
  hold(id: RequestId): Hold | undefined
  /** Takes what a decision returned. */
  put(place: Place, state: TillState): void
  putHold(hold: Hold): void
  removeHold(id: RequestId): void
  post(place: Place, lines: readonly LedgerLine[], more: Pick<Posting, 'requestId' | 'at' | 'note'>): void
  record(record: UsageRecord, settled: Settled): void
  readonly changed: Changed
}

export function spendKey({ keyId, month }: Pick<Place, 'keyId' | 'month'>): string {
  return `${month} ${keyId}`
}

export function openTillBook(loaded: Loaded): TillBook {
  const changed = {
    workspaces: new Map<WorkspaceId, WorkspaceState>(),
    keys: new Map<KeyId, KeyState>(),
    spend: new Map<string, { place: Place; spend: KeySpend }>(),
    holds: new Map<RequestId, Hold | undefined>(),
    newHolds: new Set<RequestId>(),
    postings: [] as Posting[],
    records: [] as { record: UsageRecord; settled: Settled }[],
  }

  function state(place: Place): TillState {
    const workspace = changed.workspaces.get(place.workspaceId) ?? loaded.workspaces.get(place.workspaceId)
    assert(workspace !== undefined, `no workspace ${place.workspaceId}`)
    return {
      workspace,
      key: changed.keys.get(place.keyId) ?? loaded.keys.get(place.keyId) ?? FRESH_KEY,
      spend: changed.spend.get(spendKey(place))?.spend ?? loaded.spend.get(spendKey(place)) ?? FRESH_SPEND,
    }
  }

  return {
    state,
    balance: (id) => (changed.workspaces.get(id) ?? loaded.workspaces.get(id))?.balance,
    hold: (id) => (changed.holds.has(id) ? changed.holds.get(id) : loaded.holds.get(id)),
    put(place, after) {
      const before = state(place)
      if (after.workspace !== before.workspace) changed.workspaces.set(place.workspaceId, after.workspace)
      if (after.key !== before.key) changed.keys.set(place.keyId, after.key)
      if (after.spend !== before.spend) changed.spend.set(spendKey(place), { place, spend: after.spend })
    },
    putHold(hold) {
      if (!loaded.holds.has(hold.id)) changed.newHolds.add(hold.id)
      changed.holds.set(hold.id, hold)
    },
    removeHold(id) {
      changed.holds.set(id, undefined)
    },
    post({ workspaceId }, lines, more) {
      for (const line of lines) changed.postings.push({ ...line, ...more, workspaceId })
    },
    record(record, settled) {
      changed.records.push({ record, settled })
    },
    changed,
  }
}
