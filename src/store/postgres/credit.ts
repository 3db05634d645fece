import type { Kysely } from 'kysely'
import { assert } from '../../core/assert.ts'
import { decideCredit } from '../../core/credit.ts'
import type { Credit, CreditResult, Transfer } from '../../core/ports/books.ts'
import { recorded } from '../queries/audit.ts'
import { readTransfer } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { runOnce, statementOf } from './atomically.ts'
import type { Statement } from './pool.ts'
import { lockWorkspaces, readStoredWorkspace, rowsOf, updateWorkspaces } from './tillRows.ts'
import type { Lane, Transaction } from './transaction.ts'

export function credit(lane: Lane, db: Kysely<Schema>, credit: Credit): Promise<CreditResult> {
  // The same idempotency key may be used for another workspace at the same moment.
  return runOnce(lane, creditOnce(db, credit))
}

function creditOnce(db: Kysely<Schema>, credit: Credit): Transaction<CreditResult> {
  const { id, workspaceId, idempotencyKey, note, at } = credit
  return {
    load: [
      lockWorkspaces([workspaceId]),
      {
        text: `SELECT * FROM transfers WHERE id = $1
          OR id = (SELECT transfer_id FROM credits WHERE idempotency_key = $2)`,
        values: [id, idempotencyKey],
      },
    ],
    decide([workspaces, transfers]) {
      const [workspace] = rowsOf<'workspaces'>(workspaces)
      const [earlier] = rowsOf<'transfers'>(transfers)
      const stored = workspace && readStoredWorkspace(workspace)
      const decision = decideCredit(stored?.state, earlier && readTransfer(earlier), credit)
      if (decision.kind === 'repeated') {
        return { writes: [], result: { kind: 'done', transfer: decision.transfer } }
      }
      if (decision.kind !== 'posted') return { writes: [], result: decision }
      assert(stored !== undefined, 'what is credited has a workspace')
      const lastTransfer = stored.lastTransfer + 1n
      const transfer: Transfer = {
        id,
        workspaceId,
        ...decision.line,
        requestId: null,
        note,
        createdAt: at,
      }
      return {
        writes: [
          ...updateWorkspaces(new Map([[workspaceId, { state: decision.workspace, lastTransfer }]])),
          ...insertCredit(transfer, lastTransfer, idempotencyKey),
          ...recorded(db, credit.record?.(transfer, undefined)).map(statementOf),
        ],
        result: { kind: 'done', transfer },
      }
    },
  }
}

function insertCredit(transfer: Transfer, sequence: bigint, idempotencyKey: string | null): Statement[] {
  const { id, workspaceId, kind, amount, balance, note, createdAt } = transfer
  return [
    {
      text: `INSERT INTO transfers (sequence, id, workspace_id, kind, amount, balance, note, created_at)
        VALUES ($1::bigint, $2, $3, $4, $5::bigint, $6::bigint, $7, $8::bigint)`,
      values: [sequence, id, workspaceId, kind, amount, balance, note, BigInt(createdAt)],
    },
    ...(idempotencyKey === null
      ? []
      : [
          {
            text: 'INSERT INTO credits (idempotency_key, transfer_id) VALUES ($1, $2)',
            values: [idempotencyKey, id],
          },
        ]),
  ]
}
