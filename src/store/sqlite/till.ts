import { admit, extend, monthOf } from '../../core/admission.ts'
import { decideCredit } from '../../core/credit.ts'
import { decideClaim } from '../../core/idempotency.ts'
import type { RequestId } from '../../core/id.ts'
import { utcMonth } from '../../core/limit.ts'
import { ZERO } from '../../core/money.ts'
import type { Claim, ClaimVerdict } from '../../core/ports/answers.ts'
import type { AuditEntry } from '../../core/ports/audit.ts'
import type { Credit, CreditResult } from '../../core/ports/books.ts'
import type {
  Admission,
  AdmissionVerdict,
  Extension,
  ExtensionVerdict,
  Settlement,
  SettlementResult,
} from '../../core/ports/till.ts'
import { refund, release, settle } from '../../core/settlement.ts'
import type { NewlySettled, StoredHold } from '../rows.ts'
import { stateOf, type Desk, type LineContext, type Tables } from './tables.ts'

/**
 * What each call does inside its group's transaction: load, let core decide, write what it decided.
 * A call that throws has written nothing that the group's rollback does not undo.
 */

export function admitIn(tables: Tables, admission: Admission): AdmissionVerdict {
  const desk = tables.open(admission, monthOf(admission))
  const { verdict, state, hold, lines } = admit(stateOf(desk), admission)
  tables.store(desk, state)
  const lastTransfer = tables.insertLines(lines, lineContext(admission))
  if (hold) tables.insertHold(hold, lastTransfer)
  return verdict
}

export function extendIn(tables: Tables, extension: Extension): ExtensionVerdict {
  const open = tables.hold(extension.id)
  const desk = tables.open(extension, open?.month ?? utcMonth(extension.at))
  const { verdict, state, hold, lines } = extend(stateOf(desk), open, extension)
  tables.store(desk, state)
  const lastTransfer = tables.insertLines(lines, lineContext(extension, open))
  if (hold) tables.updateHold(hold, lastTransfer)
  return verdict
}

export function settleIn(tables: Tables, settlement: Settlement): SettlementResult {
  const { id, workspaceId, record, answer } = settlement
  const hold = tables.takeHold(id)
  const desk = tables.open(settlement, hold?.month ?? utcMonth(record.startedAt))
  const before = stateOf(desk)
  // An open hold has not been settled; only without one is there something to look up.
  const settled = hold ? undefined : tables.settled(id)
  if (settled) {
    if (settlement.refunds) return takeBackIn(tables, settlement, desk, settled)
    const { charge, writeoff } = settled
    return { charge, writeoff, balance: before.workspace.balance, repeated: true }
  }

  const { result, released, state, lines } = settle(before, hold, settlement.cost, settlement.keyMonthlySpend)
  tables.store(desk, state)
  const lastTransfer = tables.insertLines(lines, lineContext(settlement, hold))
  const { charge, writeoff } = result
  tables.insertRecord(record, { hold: released, charge, writeoff, lastTransfer })
  if (answer) tables.writeAnswer(workspaceId, id, answer)
  return result
}

/** Takes back a settlement that was committed before, though its answer was not sent. */
function takeBackIn(
  tables: Tables,
  settlement: Settlement,
  desk: Desk,
  { hold, charge, lastTransfer }: NewlySettled,
): SettlementResult {
  const { state, lines } = refund(stateOf(desk), charge)
  tables.store(desk, state)
  const last = tables.insertLines(lines, { ...lineContext(settlement), previous: lastTransfer })
  tables.takeRecordBack(settlement.record, { hold, charge: ZERO, writeoff: ZERO, lastTransfer: last })
  tables.forgetAnswer(settlement.id)
  const { balance } = state.workspace
  return { charge: ZERO, writeoff: ZERO, balance, ...(charge > 0n ? { refund: charge } : { repeated: true }) }
}

/** Releases those of the holds whose lease has run out and that are still there; returns how many. */
export function sweepIn(tables: Tables, ids: readonly RequestId[], at: number): number {
  let released = 0
  for (const id of ids) {
    const hold = tables.hold(id)
    if (!hold || hold.expiresAt > at) continue
    sweepOne(tables, hold, at)
    released++
  }
  return released
}

function sweepOne(tables: Tables, hold: StoredHold, at: number): void {
  const desk = tables.open(hold, hold.month)
  const { state, lines } = release(stateOf(desk), hold)
  tables.store(desk, state)
  tables.takeHold(hold.id)
  tables.insertLines(lines, { ...lineContext({ ...hold, at }, hold), note: 'lease ran out' })
}

export function renewIn(tables: Tables, ids: readonly RequestId[], expiresAt: number): void {
  for (const id of ids) tables.renew(id, expiresAt)
}

/** @param write adds to the audit log in the same transaction */
export function creditIn(
  tables: Tables,
  credit: Credit,
  write: (entry: AuditEntry | undefined) => void,
): CreditResult {
  const { id, workspaceId, kind, amount, note, at, idempotencyKey } = credit
  const earlier = tables.creditBefore(id, idempotencyKey)
  const decision = decideCredit(tables.workspace(workspaceId), earlier, credit)
  switch (decision.kind) {
    case 'posted': {
      tables.storeWorkspace(workspaceId, decision.workspace)
      tables.insertLines([decision.line], { id, workspaceId, requestId: null, previous: null, note, at })
      if (idempotencyKey !== null) tables.insertCredit(idempotencyKey, id)
      const { balance } = decision.line
      const transfer = { id, workspaceId, kind, amount, balance, requestId: null, note, createdAt: at }
      write(credit.record?.(transfer, undefined))
      return { kind: 'done', transfer }
    }
    case 'repeated':
      return { kind: 'done', transfer: decision.transfer }
    default:
      return decision
  }
}

export function claimIn(tables: Tables, claim: Claim): ClaimVerdict {
  const verdict = decideClaim(tables.answer(claim.workspaceId, claim.idempotencyKey), claim)
  if (verdict.kind === 'claimed') tables.writeClaim(claim)
  return verdict
}

function lineContext(
  { id, workspaceId, at }: Pick<Admission, 'id' | 'workspaceId' | 'at'>,
  hold?: Pick<StoredHold, 'lastTransfer'>,
): LineContext {
  return { id: null, workspaceId, requestId: id, previous: hold?.lastTransfer ?? null, at, note: null }
}
