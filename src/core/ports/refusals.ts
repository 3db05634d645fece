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

/** How many calls of a key were refused with a code on a UTC day. */
export interface RefusalCount {
  readonly keyId: KeyId
  /** Its number since the epoch. */
  readonly day: number
  readonly code: ErrorCode
  readonly refused: number
}

/** The refused calls of a key in the last seven UTC days, today included. */
export interface RefusalTally {
  /** Newest day first. `unknown` is the code of what was counted before codes were. */
  readonly counts: readonly {
    readonly day: number
    readonly code: ErrorCode | 'unknown'
    readonly refused: number
  }[]
  /** How many of them are kept. */
  readonly kept: number
}

/**
 * Refused calls, so that they can be explained (docs/admin-api.md#refused-calls): the newest of each key are kept, and all are
 * counted.
 */
export interface Refusals {
  /** Adds to what was counted, however many processes do so. Each key, day and code occurs once. */
  count(counts: readonly RefusalCount[]): Promise<void>
  /** Keeps calls, and deletes those of the same keys that are beyond `KEPT_PER_KEY` then. */
  keep(calls: readonly RefusedCall[]): Promise<void>
  find(id: RequestId): Promise<RefusedCall | undefined>
  tally(key: KeyId, at: number): Promise<RefusalTally>
  /** Deletes what has been kept long enough; returns how many calls. */
  forget(at: number): Promise<number>
}
