import type { KeyId, RequestId, WorkspaceId } from '../id.ts'
import type { Nano } from '../money.ts'
import type { UsageRecord } from './books.ts'

/**
 * The till: every authenticated request is admitted exactly once, every admitted hold is settled
 * exactly once. Each call is one atomic step; calls that come together share a transaction.
 * All of them throw `StoreUnavailable` when the store cannot answer: then nothing has happened, unless it is
 * `OutcomeUnknown`.
 */
export interface Till {
  /** Takes every window and a hold together, or says which gate refused. */
  admit(admission: Admission): Promise<AdmissionVerdict>
  /** Grows a hold by `amount` if the balance (and the key's monthly spend) allows. */
  extend(extension: Extension): Promise<ExtensionVerdict>
  /**
   * Charges, releases the hold and writes the usage record in one transaction. Repeating it changes nothing, but a
   * settlement that `refunds` takes back what an earlier one of the same call did.
   */
  settle(settlement: Settlement): Promise<SettlementResult>
  /** Renews the leases of calls that live. Holds that are gone are ignored. */
  renew(ids: readonly RequestId[], expiresAt: number): Promise<void>
  /** Releases holds whose lease has run out; returns how many. */
  sweep(at: number): Promise<number>
}

export interface Admission {
  readonly id: RequestId
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly workspaceId: WorkspaceId
  /** Whose windows, slots and spend are counted: a key's `countersId`. */
  readonly keyId: KeyId
  readonly limits: Limits
  /** Absent: the request is only counted (`GET /v1/models`, a chat request that `plan` refused, a replay). */
  readonly hold?: HoldRequest
  /** Only asks whether the windows have room for it now: nothing is counted. */
  readonly look?: boolean
  /** Counts the request and asks for the money, but sets nothing aside: no target can take the call now. */
  readonly holdsNothing?: boolean
}

export interface Limits {
  readonly workspacePerMinute: number
  readonly keyPerMinute: number | null
  readonly keyPerDay: number | null
  /** Calls with a hold that may be open at once. */
  readonly keyConcurrent: number | null
  readonly keyMonthlySpend: Nano | null
}

/** What a call asks to be set aside; how much it gets, the admission decides: see `grantHold`. */
export interface HoldRequest {
  /** What its prompt costs alone, as part of `need` and `most`; 0 where output is seen: nobody asks then. */
  readonly prompt: Nano
  /** What the call probably costs: where less is free, it is refused. May be 0: it still takes a slot and has a lease. */
  readonly need: Nano
  /** What it can cost at most; never below `need`. */
  readonly most: Nano
  readonly output: HeldOutput
  /** The lease's end in milliseconds since the epoch. */
  readonly expiresAt: number
}

/**
 * `seen`: the output is seen growing, and the hold grows before any of it is passed on. `unseen`: it comes in pieces of
 * any size. `full`: the most is held, whatever it is.
 */
export type HeldOutput = 'seen' | 'unseen' | 'full'

/** What an admission has set aside for a call. */
export interface GrantedHold {
  readonly amount: Nano
  /** What the call could pay at this moment: its hold, and all that was free beside it. */
  readonly affordable: Nano
}

/** A window in which requests are counted (docs/api.md#limits), or the key's slots for open calls. */
export type LimitName = 'workspace_minute' | 'key_minute' | 'key_day' | 'key_concurrency'

/** The tightest window after this request: what the `X-RateLimit-*` headers say. */
export interface RateStatus {
  readonly name: LimitName
  readonly limit: number
  readonly remaining: number
  /** Milliseconds since the epoch. */
  readonly resetAt: number
}

/** Every verdict but `rate_limited` has counted the request against its windows. */
export type AdmissionVerdict =
  | { readonly kind: 'admitted'; readonly rate: RateStatus; readonly hold?: GrantedHold }
  /** Counted against nothing. `rate` describes the limit that was hit. */
  | { readonly kind: 'rate_limited'; readonly rate: RateStatus; readonly retryAfterMs: number }
  | {
      readonly kind: 'insufficient_balance'
      readonly rate: RateStatus
      readonly needed: Nano
      /** Balance less all open holds. */
      readonly available: Nano
      /** What a request may cost now: `available`, and what is left of the key's month. */
      readonly affordable: Nano
      /** Only other calls' holds stand in the way: the balance itself would do. */
      readonly heldByOthers: boolean
    }
  | {
      readonly kind: 'spend_limit_exceeded'
      readonly rate: RateStatus
      readonly needed: Nano
      /** The key's limit less what was spent and is held this month. */
      readonly available: Nano
      readonly affordable: Nano
      readonly heldByOthers: boolean
    }

export interface Extension {
  readonly id: RequestId
  readonly at: number
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  readonly amount: Nano
  /** Where less than `amount` is free, all of it is taken if it is at least so much. Default: `amount`. */
  readonly least?: Nano
  readonly keyMonthlySpend: Nano | null
}

export type ExtensionVerdict =
  /** By so much the hold has grown. */
  | { readonly kind: 'extended'; readonly amount: Nano }
  /** `heldByOthers`: only holds of other calls are in the way. */
  | { readonly kind: 'refused'; readonly heldByOthers: boolean }
  /** The hold no longer exists: its lease ran out. */
  | { readonly kind: 'gone' }

export interface Settlement {
  readonly id: RequestId
  readonly at: number
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  /** What the usage costs; 0 for a call that costs the caller nothing. */
  readonly cost: Nano
  /** The key's limit, as it was admitted under: hard, so what is above it is written off. */
  readonly keyMonthlySpend: Nano | null
  readonly record: UsageRecord
  /** Keeps the answer under the caller's Idempotency-Key in the same transaction. */
  readonly answer?: KeptAnswer
  /**
   * The answer was not sent, and costs nothing. An earlier settlement of the call that was committed after all is taken
   * back in the same transaction: its charge is refunded, its record is this one, its answer is no longer kept.
   */
  readonly refunds?: boolean
}

/** A 200 answer as it went over the wire. */
export interface KeptAnswer {
  readonly idempotencyKey: string
  readonly contentType: string
  readonly body: string
  readonly expiresAt: number
}

export interface SettlementResult {
  /** What was taken from the balance: `cost` less `writeoff`. */
  readonly charge: Nano
  /** What balance or spend limit could not bear without touching other calls' holds. */
  readonly writeoff: Nano
  /** The balance after it. */
  readonly balance: Nano
  /** What was given back of an earlier charge; absent: nothing. */
  readonly refund?: Nano
  /** The settlement had been committed before: nothing has changed. */
  readonly repeated?: boolean
}

/** The store cannot be reached or cannot commit: money fails closed (503 with Retry-After). */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/**
 * The store went away during a commit and did not come back to say what became of it: the step may have been done,
 * may still be done, or not. Who needs to know repeats it where that is harmless; nobody may be told either.
 */
export class OutcomeUnknown extends StoreUnavailable {
  override readonly name = 'OutcomeUnknown'
}
