import { assert, unreachable } from './assert.ts'
import { NANO_MAX, ZERO, addNano, subtractNano, type Nano } from './money.ts'
import type { Transfer, TransferKind, Verification } from './ports/books.ts'

/** The money of a workspace. Always 0 ≤ held ≤ balance. */
export interface Account {
  readonly balance: Nano
  /** Sum of the open holds; part of the balance. */
  readonly held: Nano
}

/** What a decision adds to the ledger; the store gives it its place, its id and its time. */
export interface LedgerLine {
  readonly kind: TransferKind
  /** Above 0; `kind` gives the direction. */
  readonly amount: Nano
  /** The balance after it. */
  readonly balance: Nano
}

export type LedgerRefusal =
  /** More than the balance less what is held. */
  | 'insufficient'
  /** More is given back than is held. */
  | 'not_held'
  /** The balance would exceed what the store can hold. */
  | 'too_large'

/** What may be held, charged or adjusted away: the balance less all open holds. */
export function availableOf(account: Account): Nano {
  return subtractNano(account.balance, account.held)
}

/**
 * Posts one transfer to an account: the account after it, or why it cannot be.
 * The only place that says what each kind does to the balance and to what is held.
 */
export function post(account: Account, kind: TransferKind, amount: Nano): Account | LedgerRefusal {
  assert(amount >= 0n, 'an amount of the ledger is unsigned')
  const { balance, held } = account
  switch (kind) {
    case 'topup':
    case 'refund':
      return balance + amount > NANO_MAX ? 'too_large' : { balance: addNano(balance, amount), held }
    case 'adjust':
    case 'charge':
      return amount > balance - held ? 'insufficient' : { balance: subtractNano(balance, amount), held }
    case 'hold':
    case 'extend':
      return amount > balance - held ? 'insufficient' : { balance, held: addNano(held, amount) }
    case 'release':
      return amount > held ? 'not_held' : { balance, held: subtractNano(held, amount) }
    case 'writeoff':
      return account
    default:
      return unreachable(kind)
  }
}

/** Posts a transfer that has been made sure of: a refusal is a bug of ours. */
export function mustPost(account: Account, kind: TransferKind, amount: Nano): Account {
  const after = post(account, kind, amount)
  assert(typeof after !== 'string', `the ledger refuses a ${kind}`)
  assert(after.held >= 0n && after.held <= after.balance, 'held is within 0 and the balance')
  return after
}

/** A running sum over a ledger of any length, for `ledger verify`. */
export interface Tally {
  readonly transfers: number
  readonly balance: Nano
  readonly held: Nano
  /** The first transfer whose stored balance is not the sum of all up to it, or null. */
  readonly brokenAt: Transfer['id'] | null
}

export const EMPTY_TALLY: Tally = { transfers: 0, balance: ZERO, held: ZERO, brokenAt: null }

/** Adds one transfer to the sum. Unlike `post` it refuses nothing: it is there to find what is wrong. */
export function tally(sum: Tally, transfer: Pick<Transfer, 'id' | 'kind' | 'amount' | 'balance'>): Tally {
  const balance = addNano(sum.balance, balanceEffect(transfer.kind, transfer.amount))
  const held = addNano(sum.held, heldEffect(transfer.kind, transfer.amount))
  const brokenAt = sum.brokenAt ?? (balance === transfer.balance ? null : transfer.id)
  return { transfers: sum.transfers + 1, balance, held, brokenAt }
}

/** Whether what is stored of a workspace is what its ledger says. */
export function addsUp(found: Verification): boolean {
  return (
    found.balance === found.ledgerBalance &&
    found.held === found.openHolds &&
    found.ledgerHeld === found.openHolds &&
    found.brokenAt === null &&
    found.sharesPlacesWith === null
  )
}

/** What a transfer does to the balance, signed (docs/billing.md#the-ledger). */
export function balanceEffect(kind: TransferKind, amount: Nano): Nano {
  switch (kind) {
    case 'topup':
    case 'refund':
      return amount
    case 'charge':
    case 'adjust':
      return subtractNano(ZERO, amount)
    case 'hold':
    case 'extend':
    case 'release':
    case 'writeoff':
      return ZERO
    default:
      return unreachable(kind)
  }
}

/** What a transfer does to the sum of open holds, signed. */
export function heldEffect(kind: TransferKind, amount: Nano): Nano {
  switch (kind) {
    case 'hold':
    case 'extend':
      return amount
    case 'release':
      return subtractNano(ZERO, amount)
    case 'topup':
    case 'refund':
    case 'charge':
    case 'adjust':
    case 'writeoff':
      return ZERO
    default:
      return unreachable(kind)
  }
}
