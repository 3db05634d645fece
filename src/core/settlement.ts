import { assert, unreachable } from './assert.ts'
import { availableOf, mustPost, type LedgerLine } from './ledger.ts'
import { addNano, maxNano, minNano, subtractNano, ZERO, type Nano } from './money.ts'
import type { Ending } from './ports/books.ts'
import type { SettlementResult } from './ports/till.ts'
import { chargeFor, chargeLines, unitPricesFor, type ChargeLine, type Price } from './price.ts'
import type { Hold, TillState } from './tillState.ts'
import type { Usage } from './usage.ts'

export interface SettlementOutcome {
  readonly result: SettlementResult
  /** What the call held at its end; 0 when its hold was gone. */
  readonly released: Nano
  /** To be written back. */
  readonly state: TillState
  /** In order: release, charge, writeoff; none of amount 0. */
  readonly lines: readonly LedgerLine[]
}

/**
 * Settles a call: gives its hold back and charges what it cost, as far as the balance and the key's
 * monthly spend allow without touching what other calls hold. The rest is written off
 * (docs/billing.md#the-ledger). `state.spend` is that of the month in which the request started.
 * @param hold undefined when it is gone: then the charge comes out of what is available
 * @param keyMonthlySpend null when the key has no limit
 */
export function settle(
  state: TillState,
  hold: Pick<Hold, 'amount'> | undefined,
  cost: Nano,
  keyMonthlySpend: Nano | null,
): SettlementOutcome {
  assert(cost >= 0n, 'a cost is never negative')
  const freed = hold ? release(state, hold) : { state, lines: [] }
  const charge = minNano(cost, chargeable(freed.state, keyMonthlySpend))
  const writeoff = subtractNano(cost, charge)
  const { workspace, key, spend } = freed.state

  const account = mustPost(workspace, 'charge', charge)
  const lines: LedgerLine[] = [...freed.lines]
  if (charge > 0n) lines.push({ kind: 'charge', amount: charge, balance: account.balance })
  if (writeoff > 0n) lines.push({ kind: 'writeoff', amount: writeoff, balance: account.balance })
  return {
    result: { charge, writeoff, balance: account.balance },
    released: hold?.amount ?? ZERO,
    state: {
      workspace: { ...account, minute: workspace.minute },
      key,
      spend: { spent: addNano(spend.spent, charge), held: spend.held },
    },
    lines,
  }
}

/** The most that can be charged now: what is free of the balance, and of the key's month. */
function chargeable({ workspace, spend }: TillState, keyMonthlySpend: Nano | null): Nano {
  const available = availableOf(workspace)
  if (keyMonthlySpend === null) return available
  const left = subtractNano(subtractNano(keyMonthlySpend, spend.spent), spend.held)
  return minNano(available, maxNano(ZERO, left))
}

/** Gives back what an open hold has set aside, and its slot; at settlement, and when its lease has run out. */
export function release(
  state: TillState,
  hold: Pick<Hold, 'amount'>,
): { readonly state: TillState; readonly lines: readonly LedgerLine[] } {
  const { workspace, key, spend } = state
  const account = mustPost(workspace, 'release', hold.amount)
  assert(key.openCalls > 0, 'a key with a hold has an open call')
  assert(hold.amount <= spend.held, "a hold is part of its month's held spend")
  return {
    state: {
      workspace: { ...account, minute: workspace.minute },
      key: { ...key, openCalls: key.openCalls - 1 },
      spend: { spent: spend.spent, held: subtractNano(spend.held, hold.amount) },
    },
    lines: hold.amount > 0n ? [{ kind: 'release', amount: hold.amount, balance: account.balance }] : [],
  }
}

/**
 * Takes back the charge of a call whose answer was not sent. `state.spend` is that of the month in which the request
 * started: the call has cost nothing of it.
 */
export function refund(
  state: TillState,
  charge: Nano,
): { readonly state: TillState; readonly lines: readonly LedgerLine[] } {
  if (charge === 0n) return { state, lines: [] }
  const { workspace, key, spend } = state
  const account = mustPost(workspace, 'refund', charge)
  assert(charge <= spend.spent, "a charge is part of its month's spend")
  return {
    state: {
      workspace: { ...account, minute: workspace.minute },
      key,
      spend: { spent: subtractNano(spend.spent, charge), held: spend.held },
    },
    lines: [{ kind: 'refund', amount: charge, balance: account.balance }],
  }
}

/** Whether a call that ended like this is charged for its usage: the one billing policy (docs/billing.md#every-ending-has-one-price). */
export function isBilled(ending: Ending): boolean {
  switch (ending) {
    case 'completed':
    case 'length':
    case 'content_filter':
    case 'hold_exhausted':
    case 'client_left':
    case 'client_left_before_answer':
    case 'request_at_fault':
      return true
    case 'provider_failed_before_answer':
    case 'provider_failed':
    case 'timeout':
    case 'gateway_failed':
    case 'refused':
      return false
    default:
      return unreachable(ending)
  }
}

/** What a call costs, and how that comes about. */
export interface Bill {
  readonly cost: Nano
  /** Classes with at least one token; empty when nothing is billed. */
  readonly lines: readonly ChargeLine[]
}

/** What of a call's usage is billed at most, and how it came about. */
export interface BillTerms {
  /** How many prompts the usage adds up: `n` where choices were made by parallel calls. Default 1. */
  readonly prompts?: number
  /** The most output tokens that were asked for, of all choices together. Default: no limit. */
  readonly outputTokensMost?: number
}

/**
 * The bill of a call that ended like this.
 * @param usage reported, or counted when the report is missing or cannot be true; of a call that was
 *   never sent to a provider: `NO_USAGE`
 */
export function billFor(ending: Ending, usage: Usage, price: Price, terms: BillTerms = {}): Bill {
  if (!isBilled(ending)) return { cost: ZERO, lines: [] }
  const billed = withOutputUpTo(terms.outputTokensMost, usage)
  const prices = unitPricesFor(price, Math.ceil(billed.promptTokens / (terms.prompts ?? 1)))
  const lines = chargeLines(billed, prices)
  return { cost: chargeFor(lines), lines }
}

/** A model reasons before it speaks, so what is beyond the limit is speech first. */
function withOutputUpTo(most: number | undefined, usage: Usage): Usage {
  if (most === undefined || usage.completionTokens <= most) return usage
  return { ...usage, completionTokens: most, reasoningTokens: Math.min(usage.reasoningTokens, most) }
}

/** Output tokens of a billed answer beyond the most that its provider was allowed. */
export function excessOutput(ending: Ending, usage: Usage, outputTokensMost: number): number {
  return isBilled(ending) ? Math.max(0, usage.completionTokens - outputTokensMost) : 0
}
