import type { KeyId, RequestId, TransferId, WorkspaceId } from '../id.ts'
import type { Nano } from '../money.ts'
import type { ChargeLine } from '../price.ts'
import type { Usage, UsageSource } from '../usage.ts'
import type { FailureKind } from '../failure.ts'
import type { Recorder } from './audit.ts'
import type { Page, PageRequest } from './page.ts'
import type { RefusedCall } from './refusals.ts'

/** A report is about more records than can be read in the time that its reader waits. */
export class ReportTooLarge extends Error {
  override readonly name = 'ReportTooLarge'
}

/**
 * Effect on the balance (docs/billing.md#the-ledger): topup and refund add; charge and adjust subtract; the rest leave
 * it.
 */
export type TransferKind =
  | 'topup'
  | 'hold'
  | 'extend'
  | 'charge'
  | 'release'
  | 'refund'
  | 'adjust'
  | 'writeoff'

/** One line of the append-only ledger. */
export interface Transfer {
  readonly id: TransferId
  readonly workspaceId: WorkspaceId
  readonly kind: TransferKind
  /** Unsigned; `kind` gives the direction. */
  readonly amount: Nano
  /** The balance after it. */
  readonly balance: Nano
  readonly requestId: RequestId | null
  readonly note: string | null
  readonly createdAt: number
}

/** How calls end; decides what they cost (docs/billing.md). */
export const ENDINGS = [
  'completed',
  'length',
  'content_filter',
  /** The client left before the provider answered. */
  'client_left_before_answer',
  'client_left',
  /** The hold could not be extended: ended with `finish_reason: "length"`. */
  'hold_exhausted',
  'provider_failed_before_answer',
  'provider_failed',
  /**
   * The request, or what the model wrote for it, broke the answer off once something was delivered; or the answers of its
   * workspace left no room for it.
   */
  'request_at_fault',
  'timeout',
  'gateway_failed',
  'refused',
] as const

export type Ending = (typeof ENDINGS)[number]

/** One call to a provider on behalf of a request. */
export interface Attempt {
  readonly provider: string
  readonly upstreamModel: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number
  /** `client_left`: the client left while it was under way. */
  readonly outcome: 'answered' | 'client_left' | FailureKind
  readonly status?: number
}

/** Everything a receipt tells of one call; written with its charge. */
export interface UsageRecord {
  readonly id: RequestId
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  /** Canonical id of the model that answered, or was asked when the client left. */
  readonly model: string
  readonly requestedModel: string
  /** The provider that answered, or was asked when the client left; null: none. */
  readonly provider: string | null
  readonly upstreamModel: string | null
  readonly stream: boolean
  readonly status: number
  readonly ending: Ending
  /** What was used. Not all of it need be billed: that is in `lines`. */
  readonly usage: Usage
  readonly usageSource: UsageSource
  /** Empty when it cost nothing. */
  readonly lines: readonly ChargeLine[]
  readonly attempts: readonly Attempt[]
  readonly startedAt: number
  readonly firstEventAt: number | null
  readonly endedAt: number
  /** The caller's `user` parameter. */
  readonly user: string | null
}

/** A usage record with what the till did for it. */
export interface Receipt extends UsageRecord {
  readonly hold: Nano
  readonly charge: Nano
  readonly writeoff: Nano
}

export interface Credit {
  readonly id: TransferId
  readonly workspaceId: WorkspaceId
  readonly kind: 'topup' | 'refund' | 'adjust'
  /** Above 0. */
  readonly amount: Nano
  readonly note: string | null
  readonly at: number
  /** Of the admin API; a repetition gives the first transfer again. */
  readonly idempotencyKey: string | null
  /** Writes it down in the same step. */
  readonly record?: Recorder<Transfer>
}

export type CreditResult =
  | { readonly kind: 'done'; readonly transfer: Transfer }
  | { readonly kind: 'no_workspace' }
  /** An adjustment may not take what is not there or what open holds need. */
  | { readonly kind: 'insufficient'; readonly available: Nano }
  /** The same idempotency key with another amount, kind or workspace. */
  | { readonly kind: 'conflict' }
  /** The balance would exceed `NANO_MAX`. */
  | { readonly kind: 'too_large' }

export interface UsageQuery {
  readonly from?: number
  readonly to?: number
  readonly workspaceId?: WorkspaceId
  readonly keyId?: KeyId
  readonly model?: string
  readonly groupBy: 'day' | 'model' | 'key' | 'workspace'
}

export interface UsageGroup {
  /** A UTC day `2026-11-20`, a model id, a key id or a workspace id. */
  readonly group: string
  /** What people call the key or the workspace; undefined for other groups. */
  readonly name?: string
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly charge: Nano
}

export interface RequestQuery extends PageRequest {
  /** In milliseconds since the epoch, included. */
  readonly from?: number
  /** Not included. */
  readonly to?: number
  readonly workspaceId?: WorkspaceId
  readonly keyId?: KeyId
  readonly model?: string
}

/** Calls with a status of 400 and more. */
export interface FailedQuery extends RequestQuery {
  /** What callers may have named the model that is asked for. */
  readonly modelNames?: readonly string[]
}

export type FailedRequest =
  | { readonly kind: 'receipt'; readonly id: RequestId; readonly receipt: Receipt }
  | { readonly kind: 'refused'; readonly id: RequestId; readonly call: RefusedCall }

/** What `ledger verify` finds for one workspace: stored figures against the ledger's own sum. */
export interface Verification {
  readonly workspaceId: WorkspaceId
  readonly transfers: number
  readonly balance: Nano
  readonly ledgerBalance: Nano
  readonly held: Nano
  readonly openHolds: Nano
  /** Holds and extensions less releases as the ledger has them; must equal the open holds. */
  readonly ledgerHeld: Nano
  /** The first transfer whose stored balance is not the sum of all up to it, or null. */
  readonly brokenAt: TransferId | null
  /**
   * Another workspace whose transfers would have the same places, or null: the tables were moved without their
   * sequence, and only one of the two can be credited.
   */
  readonly sharesPlacesWith: WorkspaceId | null
  /** Null for a ledger without transfers. */
  readonly lastTransfer: Pick<Transfer, 'id' | 'createdAt'> | null
}

/** What a key has used of its limits at a moment. */
export interface KeyStanding {
  readonly minuteUsed: number
  readonly minuteResetAt: number | null
  readonly dayUsed: number
  readonly monthSpent: Nano
  readonly monthHeld: Nano
  readonly openCalls: number
}

/** Money and records, off the hot path. */
export interface Books {
  credit(credit: Credit): Promise<CreditResult>
  ledger(workspace: WorkspaceId, page: PageRequest): Promise<Page<Transfer>>
  /** Every transfer in order of the ledger, oldest first, in batches; all workspaces unless one is named. */
  exportLedger(workspace?: WorkspaceId): AsyncIterable<readonly Transfer[]>
  /** Proves the ledger of every workspace, one at a time; `progress` hears of transfers read. */
  verify(progress?: (transfersRead: number) => void): AsyncIterable<Verification>
  usage(query: UsageQuery): Promise<readonly UsageGroup[]>
  requests(query: RequestQuery): Promise<Page<Receipt>>
  /** What failed, with a receipt or refused without one, newest first. */
  failedRequests(query: FailedQuery): Promise<Page<FailedRequest>>
  receipt(id: RequestId): Promise<Receipt | undefined>
  /** The transfers of one request, oldest first. */
  transfersOf(id: RequestId): Promise<readonly Transfer[]>
  /** @param key its `countersId` */
  keyStanding(key: KeyId, at: number): Promise<KeyStanding>
}
