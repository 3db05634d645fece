import { assert } from './assert.ts'
import { grantHold, leastOf } from './holdGrant.ts'
import { availableOf, mustPost, type LedgerLine } from './ledger.ts'
import { CONCURRENCY_RETRY_MS, takeWindows, utcMonth } from './limit.ts'
import { addNano, maxNano, minNano, nano, ZERO } from './money.ts'
import type { Admission, AdmissionVerdict, Extension, ExtensionVerdict } from './ports/till.ts'
import type { Hold, KeySpend, TillState } from './tillState.ts'

export interface AdmissionOutcome {
  readonly verdict: AdmissionVerdict
  /** To be written back. The very same object when nothing has changed. */
  readonly state: TillState
  /** The hold to be stored; absent when there is none. */
  readonly hold?: Hold
  readonly lines: readonly LedgerLine[]
}

/** The UTC calendar month whose `spend` row an admission needs. */
export function monthOf(admission: Pick<Admission, 'at'>): string {
  return utcMonth(admission.at)
}

/**
 * Decides on one request: takes every window and the hold together, or says which gate refused.
 * A request that has passed its windows has been counted, whatever the money says.
 */
export function admit(state: TillState, admission: Admission): AdmissionOutcome {
  const { at, limits, hold } = admission
  const { workspace, key } = state

  const windows = takeWindows(
    { workspaceMinute: workspace.minute, keyMinute: key.minute, keyDay: key.day },
    limits,
    at,
  )
  if (windows.kind === 'exceeded') {
    const { rate, retryAfterMs } = windows
    return { verdict: { kind: 'rate_limited', rate, retryAfterMs }, state, lines: [] }
  }
  if (hold && limits.keyConcurrent !== null && key.openCalls >= limits.keyConcurrent) {
    const rate = {
      name: 'key_concurrency',
      limit: limits.keyConcurrent,
      remaining: 0,
      resetAt: at + CONCURRENCY_RETRY_MS,
    } as const
    const verdict = { kind: 'rate_limited', rate, retryAfterMs: CONCURRENCY_RETRY_MS } as const
    return { verdict, state, lines: [] }
  }

  const { rate } = windows
  if (admission.look === true) return { verdict: { kind: 'admitted', rate }, state, lines: [] }
  const counted: TillState = {
    workspace: { ...workspace, minute: windows.windows.workspaceMinute },
    key: { ...key, minute: windows.windows.keyMinute, day: windows.windows.keyDay },
    spend: state.spend,
  }
  if (!hold) return { verdict: { kind: 'admitted', rate }, state: counted, lines: [] }

  const needed = leastOf(hold)
  const available = availableOf(workspace)
  const left = limits.keyMonthlySpend === null ? undefined : spendable(state.spend, limits.keyMonthlySpend)
  const affordable = left === undefined ? available : minNano(available, maxNano(ZERO, left))
  if (needed > available) {
    const heldByOthers = needed <= workspace.balance
    const verdict = {
      kind: 'insufficient_balance',
      rate,
      needed,
      available,
      affordable,
      heldByOthers,
    } as const
    return { verdict, state: counted, lines: [] }
  }
  if (left !== undefined && limits.keyMonthlySpend !== null && needed > left) {
    const verdict = {
      kind: 'spend_limit_exceeded',
      rate,
      needed,
      available: affordable,
      affordable,
      heldByOthers: needed <= limits.keyMonthlySpend - state.spend.spent,
    } as const
    return { verdict, state: counted, lines: [] }
  }

  if (admission.holdsNothing === true)
    return { verdict: { kind: 'admitted', rate }, state: counted, lines: [] }
  const amount = grantHold(hold, affordable)
  const account = mustPost(workspace, 'hold', amount)
  return {
    verdict: { kind: 'admitted', rate, hold: { amount, affordable } },
    state: {
      workspace: { ...account, minute: counted.workspace.minute },
      key: { ...counted.key, openCalls: key.openCalls + 1 },
      spend: { spent: state.spend.spent, held: addNano(state.spend.held, amount) },
    },
    hold: {
      id: admission.id,
      workspaceId: admission.workspaceId,
      keyId: admission.keyId,
      amount,
      month: monthOf(admission),
      expiresAt: hold.expiresAt,
    },
    lines: amount > 0n ? [{ kind: 'hold', amount, balance: account.balance }] : [],
  }
}

export interface ExtensionOutcome {
  readonly verdict: ExtensionVerdict
  /** To be written back. The very same object when nothing has changed. */
  readonly state: TillState
  /** The hold after it; absent when it has not changed. */
  readonly hold?: Hold
  readonly lines: readonly LedgerLine[]
}

/**
 * Decides whether, and by how much, an open hold may grow. `state.spend` is that of `hold.month`.
 * @param hold undefined when it no longer exists
 */
export function extend(state: TillState, hold: Hold | undefined, extension: Extension): ExtensionOutcome {
  const { keyMonthlySpend } = extension
  const least = extension.least ?? extension.amount
  assert(least >= 0n && least <= extension.amount, 'an extension is never negative')
  if (!hold) return { verdict: { kind: 'gone' }, state, lines: [] }
  const { workspace, spend } = state
  const available = availableOf(workspace)
  const free = keyMonthlySpend === null ? available : minNano(available, spendable(spend, keyMonthlySpend))
  if (least > free) {
    const heldByOthers =
      addNano(hold.amount, least) <= workspace.balance &&
      (keyMonthlySpend === null || spend.spent + hold.amount + least <= keyMonthlySpend)
    return { verdict: { kind: 'refused', heldByOthers }, state, lines: [] }
  }
  const amount = minNano(extension.amount, free)
  if (amount === 0n) return { verdict: { kind: 'extended', amount }, state, lines: [] }

  // The ledger knows no hold of 0: the first amount set aside for a call is its hold.
  const kind = hold.amount === 0n ? 'hold' : 'extend'
  const account = mustPost(state.workspace, kind, amount)
  return {
    verdict: { kind: 'extended', amount },
    state: {
      workspace: { ...account, minute: state.workspace.minute },
      key: state.key,
      spend: { spent: state.spend.spent, held: addNano(state.spend.held, amount) },
    },
    hold: { ...hold, amount: addNano(hold.amount, amount) },
    lines: [{ kind, amount, balance: account.balance }],
  }
}

/** What a key may still hold this month; below 0 when its limit was lowered under what it has spent. */
function spendable(spend: KeySpend, limit: bigint) {
  return nano(limit - spend.spent - spend.held)
}
