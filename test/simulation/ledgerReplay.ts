import { LEDGER_PLACES } from '../../src/store/ledgerPlaces.ts'
import { integer, type Row } from '../support/inspector.ts'

/** A workspace's money as its transfers alone tell it. */
export interface Replayed {
  balance: bigint
  held: bigint
  /** What each open call holds. */
  readonly holds: Map<string, bigint>
}

/** What the transfers of one request came to. */
export interface Charged {
  /** Less what was refunded. */
  charge: bigint
  writeoff: bigint
  charges: number
  refunded: boolean
}

/** Replays the ledger line by line, and says what is wrong with it. Knows docs/billing.md#the-ledger, not the code. */
export interface LedgerReplay {
  take(transfer: Row): void
  /** Where to go on reading: for each ledger the last place that was read, or the one before its first. */
  readonly lasts: readonly bigint[]
  workspace(id: string): Replayed
  request(id: string): Charged | undefined
  readonly charged: ReadonlyMap<string, Charged>
}

export function createLedgerReplay(
  wrong: (what: string) => void,
  hasSpendLimit: (request: string) => boolean,
): LedgerReplay {
  const workspaces = new Map<string, Replayed>()
  const charged = new Map<string, Charged>()
  /** By the number of the ledger; they are numbered without a gap. */
  const lasts: bigint[] = []

  function read(place: bigint): void {
    const number = Number(place / LEDGER_PLACES)
    while (lasts.length < number) lasts.push(BigInt(lasts.length) * LEDGER_PLACES)
    lasts[number] = place
  }

  function workspace(id: string): Replayed {
    const known = workspaces.get(id)
    if (known) return known
    const fresh = { balance: 0n, held: 0n, holds: new Map<string, bigint>() }
    workspaces.set(id, fresh)
    return fresh
  }

  function chargedOf(id: string): Charged {
    const known = charged.get(id)
    if (known) return known
    const fresh = { charge: 0n, writeoff: 0n, charges: 0, refunded: false }
    charged.set(id, fresh)
    return fresh
  }

  function take(row: Row): void {
    const place = integer(row['sequence'])
    read(place)
    const money = workspace(String(row['workspace_id']))
    const amount = integer(row['amount'])
    const request = row['request_id'] === null ? undefined : String(row['request_id'])
    const line = `transfer ${place} (${String(row['kind'])} of ${amount}, request ${request})`
    if (amount <= 0n) wrong(`${line} has no amount`)
    const open = request === undefined ? undefined : money.holds.get(request)
    switch (row['kind']) {
      case 'topup':
        money.balance += amount
        break
      case 'refund': {
        money.balance += amount
        if (request === undefined) break
        const sum = chargedOf(request)
        if (sum.charge !== amount) wrong(`${line} refunds a charge of ${sum.charge}`)
        sum.charge -= amount
        sum.refunded = true
        break
      }
      case 'adjust':
        money.balance -= amount
        break
      case 'charge': {
        money.balance -= amount
        if (request === undefined) return wrong(`${line} belongs to no request`)
        const sum = chargedOf(request)
        sum.charge += amount
        sum.charges += 1
        if (sum.charges > 1) wrong(`${line} charges a second time`)
        break
      }
      case 'writeoff':
        if (request === undefined) return wrong(`${line} belongs to no request`)
        chargedOf(request).writeoff += amount
        // What a key may not spend is written off although the workspace could pay.
        if (money.balance !== money.held && !hasSpendLimit(request)) {
          wrong(`${line} although ${money.balance - money.held} was available`)
        }
        break
      case 'hold':
        if (request === undefined || open !== undefined) return wrong(`${line} holds a second time`)
        if (charged.has(request)) wrong(`${line} holds for a request that was charged`)
        money.holds.set(request, amount)
        money.held += amount
        break
      case 'extend':
        if (request === undefined || open === undefined) return wrong(`${line} extends nothing`)
        money.holds.set(request, open + amount)
        money.held += amount
        break
      case 'release':
        if (request === undefined || open !== amount) return wrong(`${line} releases ${amount} of ${open}`)
        money.holds.delete(request)
        money.held -= amount
        break
      default:
        wrong(`${line} is of no known kind`)
    }
    if (money.balance < 0n) wrong(`${line} leaves a balance of ${money.balance}`)
    if (money.held < 0n || money.held > money.balance)
      wrong(`${line} leaves ${money.held} held of ${money.balance}`)
    if (money.balance !== integer(row['balance'])) {
      wrong(`${line} says a balance of ${String(row['balance'])}, the sum is ${money.balance}`)
    }
  }

  return {
    take,
    lasts,
    workspace,
    request: (id) => charged.get(id),
    charged,
  }
}
