import { sql, type Kysely } from 'kysely'
import { decideClaim, type StoredAnswer } from '../../core/idempotency.ts'
import type { RequestId } from '../../core/id.ts'
import type { Answers, Claim, ClaimVerdict } from '../../core/ports/answers.ts'
import type { Settlement } from '../../core/ports/till.ts'
import { createAnswerQueries } from '../queries/answers.ts'
import { readStoredAnswer } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { bigints, texts } from './arrays.ts'
import { type Grouped, groupStep, type StepOptions } from './group.ts'
import type { Statement } from './pool.ts'
import { lockWorkspaces, rowsOf } from './tillRows.ts'
import type { Lane, Transaction } from './transaction.ts'

export interface PostgresAnswers extends Answers {
  idle(): Promise<void>
}

export function createAnswers(db: Kysely<Schema>, lane: Lane, groups: StepOptions): PostgresAnswers {
  const claims: Grouped<Claim, ClaimVerdict> = groupStep('claim', lane, claimAll, groups)
  return {
    ...createAnswerQueries(db),
    claim: (claim) => claims.call(claim),
    async expire(at) {
      // Takes no row that somebody else has in hand, so that it never waits while holding others.
      const { numAffectedRows } = await sql`DELETE FROM answers WHERE (workspace_id, idempotency_key) IN (
        SELECT workspace_id, idempotency_key FROM answers WHERE expires_at <= ${at} FOR UPDATE SKIP LOCKED
      )`.execute(db)
      return Number(numAffectedRows)
    },
    idle: () => claims.idle(),
  }
}

function claimAll(claims: readonly Claim[]): Transaction<readonly ClaimVerdict[]> {
  const workspaceIds = claims.map(({ workspaceId }) => workspaceId)
  return {
    load: [
      lockWorkspaces(workspaceIds),
      {
        text: `SELECT * FROM answers WHERE (workspace_id, idempotency_key) IN
          (SELECT * FROM unnest($1::text[], $2::text[]))`,
        values: [texts(workspaceIds), texts(claims.map(({ idempotencyKey }) => idempotencyKey))],
      },
    ],
    decide([, rows]) {
      const stored = new Map<string, StoredAnswer>(
        rowsOf<'answers'>(rows).map((row) => [
          placeOf(row.workspace_id, row.idempotency_key),
          readStoredAnswer(row),
        ]),
      )
      const taken = new Map<string, Claim>()
      const result = claims.map((claim) => {
        const place = placeOf(claim.workspaceId, claim.idempotencyKey)
        const verdict = decideClaim(stored.get(place), claim)
        if (verdict.kind === 'claimed') {
          const { id, bodyHash, leaseUntil } = claim
          stored.set(place, { id, bodyHash, expiresAt: leaseUntil, answer: undefined })
          taken.set(place, claim)
        }
        return verdict
      })
      return { writes: writeClaims([...taken.values()]), result }
    },
  }
}

function placeOf(workspaceId: string, idempotencyKey: string): string {
  return `${workspaceId} ${idempotencyKey}`
}

function writeClaims(claims: readonly Claim[]): Statement[] {
  if (claims.length === 0) return []
  return [
    {
      text: `INSERT INTO answers (workspace_id, idempotency_key, request_id, body_hash, expires_at)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
        ON CONFLICT (workspace_id, idempotency_key) DO UPDATE SET
          request_id = excluded.request_id, body_hash = excluded.body_hash,
          expires_at = excluded.expires_at, content_type = NULL, body = NULL`,
      values: [
        texts(claims.map(({ workspaceId }) => workspaceId)),
        texts(claims.map(({ idempotencyKey }) => idempotencyKey)),
        texts(claims.map(({ id }) => id)),
        texts(claims.map(({ bodyHash }) => bodyHash)),
        bigints(claims.map(({ leaseUntil }) => leaseUntil)),
      ],
    },
  ]
}

/** Writes the answers of settled calls over their claims; a claim that somebody else took over stays theirs. */
export function keepAnswers(settlements: readonly Settlement[]): Statement[] {
  const kept = settlements.flatMap(({ id, workspaceId, answer }) =>
    answer ? [{ id, workspaceId, answer }] : [],
  )
  if (kept.length === 0) return []
  return [
    {
      text: `UPDATE answers SET content_type = kept.content_type, body = kept.body, expires_at = kept.expires_at
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
          AS kept (workspace_id, idempotency_key, request_id, content_type, body, expires_at)
        WHERE answers.workspace_id = kept.workspace_id AND answers.idempotency_key = kept.idempotency_key
          AND answers.request_id = kept.request_id`,
      values: [
        texts(kept.map(({ workspaceId }) => workspaceId)),
        texts(kept.map(({ answer }) => answer.idempotencyKey)),
        texts(kept.map(({ id }) => id)),
        texts(kept.map(({ answer }) => answer.contentType)),
        texts(kept.map(({ answer }) => answer.body)),
        bigints(kept.map(({ answer }) => answer.expiresAt)),
      ],
    },
  ]
}

/** Keeps the answers of these calls no longer; a claim that somebody else took over stays theirs. */
export function forgetAnswers(ids: readonly RequestId[]): Statement[] {
  if (ids.length === 0) return []
  return [
    {
      text: 'DELETE FROM answers WHERE request_id = ANY($1::text[]) AND body IS NOT NULL',
      values: [texts(ids)],
    },
  ]
}
