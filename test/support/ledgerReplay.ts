import { assert } from '../../src/core/assert.ts'
import type { RequestId } from '../../src/core/id.ts'
import { type Account, type LedgerRefusal, post } from '../../src/core/ledger.ts'
import { addNano, type Nano, ZERO } from '../../src/core/money.ts'
import type { Transfer } from '../../src/core/ports/books.ts'

/** A workspace's whole ledger as a state: its account and what each open call holds of it. */
export interface Ledger extends Account {
  readonly holds: ReadonlyMap<RequestId, Nano>
}

export const EMPTY_LEDGER: Ledger = { balance: ZERO, held: ZERO, holds: new Map() }

/** A refusal that only a ledger that knows its holds can give. */
type LedgerStepRefusal =
  | LedgerRefusal
  /** A call holds once; what comes later is an extension. */
  | 'already_held'
  /** A hold is given back whole. */
  | 'not_the_whole_hold'

/** The ledger after one more of its transfers, or why that transfer cannot follow. */
export function step(
  ledger: Ledger,
  transfer: Pick<Transfer, 'kind' | 'amount' | 'requestId'>,
): Ledger | LedgerStepRefusal {
  const { kind, amount, requestId } = transfer
  const account = post(ledger, kind, amount)
  if (typeof account === 'string') return account
  if (kind !== 'hold' && kind !== 'extend' && kind !== 'release') return { ...account, holds: ledger.holds }
  if (requestId === null) return 'not_held'

  const open = ledger.holds.get(requestId)
  const holds = new Map(ledger.holds)
  switch (kind) {
    case 'hold':
      if (open !== undefined) return 'already_held'
      holds.set(requestId, amount)
      break
    case 'extend':
      if (open === undefined) return 'not_held'
      holds.set(requestId, addNano(open, amount))
      break
    case 'release':
      if (open === undefined) return 'not_held'
      if (open !== amount) return 'not_the_whole_hold'
      holds.delete(requestId)
      break
  }
  return { ...account, holds }
}

/** Builds the state of a ledger from its transfers, oldest first. Throws when one of them cannot follow the ones before. */
export function replay(transfers: Iterable<Pick<Transfer, 'kind' | 'amount' | 'requestId'>>): Ledger {
  let ledger = EMPTY_LEDGER
  for (const transfer of transfers) {
    const after = step(ledger, transfer)
    assert(typeof after !== 'string', `a ${transfer.kind} that cannot follow in the ledger`)
    ledger = after
  }
  return ledger
}
