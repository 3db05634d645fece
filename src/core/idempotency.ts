import type { RequestId } from './id.ts'
import type { Claim, ClaimVerdict } from './ports/answers.ts'

/** What is stored under an Idempotency-Key: a claim of a running call, or the answer it gave. */
export interface StoredAnswer {
  readonly id: RequestId
  readonly bodyHash: string
  /** The end of the claim's lease, or of the answer's life; milliseconds since the epoch. */
  readonly expiresAt: number
  /** Undefined while the call is running. */
  readonly answer: { readonly contentType: string; readonly body: string } | undefined
}

/**
 * Decides on a claim of an `Idempotency-Key` (docs/api.md#safe-retries). `claimed`: the store puts the claim in place of
 * what it had.
 */
export function decideClaim(stored: StoredAnswer | undefined, claim: Claim): ClaimVerdict {
  if (!stored || stored.expiresAt <= claim.at) return { kind: 'claimed' }
  if (stored.bodyHash !== claim.bodyHash) return { kind: 'conflict' }
  if (!stored.answer) return { kind: 'running', id: stored.id }
  return { kind: 'kept', id: stored.id, ...stored.answer }
}
