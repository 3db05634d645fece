import type { KeyId, RequestId, WorkspaceId } from './id.ts'
import type { Account } from './ledger.ts'
import type { Window } from './limit.ts'
import { ZERO, type Nano } from './money.ts'

/**
 * The rows that a decision of the till reads and changes, loaded under a lock: both engines hand them
 * to `admit`, `extend`, `settle` and `release`, and write back what these return.
 */
export interface TillState {
  readonly workspace: WorkspaceState
  readonly key: KeyState
  /** Of the month in which the request started. */
  readonly spend: KeySpend
}

export interface WorkspaceState extends Account {
  readonly minute: Window | undefined
}

export interface KeyState {
  readonly minute: Window | undefined
  readonly day: Window | undefined
  /** Open holds of the key. */
  readonly openCalls: number
}

/** What a key has spent and holds in one UTC calendar month. */
export interface KeySpend {
  readonly spent: Nano
  readonly held: Nano
}

/** A key that has never been used. */
export const FRESH_KEY: KeyState = { minute: undefined, day: undefined, openCalls: 0 }
/** A month in which a key has spent nothing yet. */
export const FRESH_SPEND: KeySpend = { spent: ZERO, held: ZERO }

/** An open hold: money set aside for one call, until it is settled or its lease runs out. */
export interface Hold {
  readonly id: RequestId
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  readonly amount: Nano
  /** The UTC calendar month in which the request started, `2026-11`: it is charged to that one. */
  readonly month: string
  /** The lease's end in milliseconds since the epoch. */
  readonly expiresAt: number
}
