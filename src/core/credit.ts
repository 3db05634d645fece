import { assert } from './assert.ts'
import { availableOf, post, type LedgerLine } from './ledger.ts'
import type { Credit, CreditResult, Transfer } from './ports/books.ts'
import type { WorkspaceState } from './tillState.ts'

export type CreditDecision =
  /** To be written: the workspace's row and one line, under the credit's id and note. */
  | { readonly kind: 'posted'; readonly workspace: WorkspaceState; readonly line: LedgerLine }
  /** It has been done before: the first transfer is the answer. */
  | { readonly kind: 'repeated'; readonly transfer: Transfer }
  | Exclude<CreditResult, { kind: 'done' }>

/**
 * Decides on a top-up, refund or adjustment by the operator.
 * @param workspace undefined when there is none
 * @param earlier the transfer that was written under the same id or idempotency key
 */
export function decideCredit(
  workspace: WorkspaceState | undefined,
  earlier: Transfer | undefined,
  credit: Credit,
): CreditDecision {
  const { kind, amount } = credit
  assert(amount > 0n, 'a credit is above 0')
  if (earlier) {
    const same =
      earlier.workspaceId === credit.workspaceId && earlier.kind === kind && earlier.amount === amount
    return same ? { kind: 'repeated', transfer: earlier } : { kind: 'conflict' }
  }
  if (!workspace) return { kind: 'no_workspace' }
  const account = post(workspace, kind, amount)
  if (account === 'too_large') return { kind: 'too_large' }
  if (typeof account === 'string') return { kind: 'insufficient', available: availableOf(workspace) }
  return {
    kind: 'posted',
    workspace: { ...account, minute: workspace.minute },
    line: { kind, amount, balance: account.balance },
  }
}
