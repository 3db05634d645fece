import type { RequestId, WorkspaceId } from '../../src/core/id.ts'
import type { Claim, ClaimVerdict } from '../../src/core/ports/answers.ts'
import type { Settlement } from '../../src/core/ports/till.ts'

interface Owner {
  readonly id: RequestId
  readonly bodyHash: string
  until: number
  body: string | undefined
}

/** Who owns which `Idempotency-Key`, beside the store (docs/api.md#safe-retries). */
export interface ClaimModel {
  claimed(claim: Claim, verdict: ClaimVerdict): void
  freed(workspace: WorkspaceId, idempotencyKey: string, id: RequestId): void
  renewed(ids: readonly RequestId[], expiresAt: number): void
  settled(settlement: Settlement): void
}

export function createClaimModel(wrong: (what: string) => void): ClaimModel {
  const owners = new Map<string, Owner>()

  return {
    claimed({ workspaceId, idempotencyKey, id, bodyHash, at, leaseUntil }, verdict) {
      const place = `${workspaceId} ${idempotencyKey}`
      const known = owners.get(place)
      const owner = known && known.until > at ? known : undefined
      switch (verdict.kind) {
        case 'claimed':
          if (owner && owner.id !== id) wrong(`${place} was given to ${id} while ${owner.id} has it`)
          owners.set(place, { id, bodyHash, until: leaseUntil, body: undefined })
          return
        case 'kept':
          if (owner?.id !== verdict.id || owner.body !== verdict.body) {
            wrong(`${place} gave ${id} an answer that ${owner?.id} did not give`)
          }
          return
        case 'running':
          if (owner?.id !== verdict.id || owner.body !== undefined) wrong(`${place} is not running`)
          return
        case 'conflict':
          if (!owner || owner.bodyHash === bodyHash) wrong(`${place} is no conflict`)
      }
    },
    freed(workspaceId, idempotencyKey, id) {
      const place = `${workspaceId} ${idempotencyKey}`
      const owner = owners.get(place)
      if (owner?.id === id && owner.body === undefined) owners.delete(place)
    },
    renewed(ids, expiresAt) {
      const renewed = new Set(ids)
      for (const owner of owners.values()) {
        if (renewed.has(owner.id) && owner.body === undefined) owner.until = Math.max(owner.until, expiresAt)
      }
    },
    settled({ id, workspaceId, answer, refunds }) {
      if (refunds) {
        for (const [place, owner] of owners) {
          if (owner.id === id && owner.body !== undefined) owners.delete(place)
        }
      }
      if (!answer) return
      const owner = owners.get(`${workspaceId} ${answer.idempotencyKey}`)
      if (owner?.id !== id || owner.body !== undefined) return
      owner.until = answer.expiresAt
      owner.body = answer.body
    },
  }
}
