import type { RequestId, WorkspaceId } from '../id.ts'

/** Answers that are kept under an `Idempotency-Key` (docs/api.md#safe-retries). */
export interface Answers {
  /** Takes the key for a call, or tells what another call has made of it. */
  claim(claim: Claim): Promise<ClaimVerdict>
  /** Frees the key after a failed call. Only the claim of this call is freed. */
  free(workspace: WorkspaceId, idempotencyKey: string, id: RequestId): Promise<void>
  /** Deletes what has expired; returns how many. */
  expire(at: number): Promise<number>
}

export interface Claim {
  readonly id: RequestId
  readonly workspaceId: WorkspaceId
  readonly idempotencyKey: string
  /** SHA-256 of the body. */
  readonly bodyHash: string
  readonly at: number
  /** A claim whose process died is free again from then on; renewed with the call's hold. */
  readonly leaseUntil: number
}

export type ClaimVerdict =
  | { readonly kind: 'claimed' }
  /** The same key with another body. */
  | { readonly kind: 'conflict' }
  /** The first call is still running. */
  | { readonly kind: 'running'; readonly id: RequestId }
  | {
      readonly kind: 'kept'
      readonly id: RequestId
      readonly contentType: string
      readonly body: string
    }
