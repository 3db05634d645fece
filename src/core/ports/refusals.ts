import type { ErrorCode } from '../error.ts'
import type { KeyId, RequestId, WorkspaceId } from '../id.ts'

/** A call that was refused before anything was held for it: it has no usage record, and cost nothing. */
export interface RefusedCall {
  /** Its `X-Request-ID`. */
  readonly id: RequestId
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  /** When it was refused, in milliseconds since the epoch. */
  readonly at: number
  readonly status: number
  readonly code: ErrorCode
  /** What the caller was told; bounded and without what could be a secret: see `describeRefusal`. */
  readonly message: string
  readonly param: string | null
  /** As the caller named it; null where it named none. */
  readonly model: string | null
  /** Where the call came from; null where that was not known any more. */
  readonly address: string | null
}

/** What was refused to one key since the last time. */
export interface RefusedOfKey {
  readonly keyId: KeyId
  /** When the last of them was refused. */
  readonly at: number
  /** How many, whether they are kept or not. At least 1. */
  readonly refused: number
  /** Those to keep, oldest first. */
  readonly calls: readonly RefusedCall[]
}

/** How many calls of a key were refused in the last seven UTC days, today included, and how many of them are kept. */
export interface RefusalTally {
  readonly refused: number
  readonly kept: number
}

/**
 * Refused calls, so that they can be explained (docs/admin-api.md#refused-calls): the newest ones of each key, within the
 * bounds of `core/refusedCalls`. The rest are counted.
 */
export interface Refusals {
  /** Keeps what the bounds allow, however many processes do so, and counts all. Each key occurs once. */
  keep(refused: readonly RefusedOfKey[]): Promise<void>
  find(id: RequestId): Promise<RefusedCall | undefined>
  tally(key: KeyId, at: number): Promise<RefusalTally>
  /** Deletes what has been kept long enough; returns how many calls. */
  forget(at: number): Promise<number>
}
