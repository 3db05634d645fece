/**
 * Where transfers are: a workspace's ledger is a run of places of its own, and its transfers fill it from the
 * first on without a gap. One number then orders and finds them, and the table itself is in the order in which
 * ledgers are read: no index has to be kept up for each line.
 */

/** How many transfers a ledger has room for: a thousand calls a second for ten years. Leaves room for 8 million ledgers. */
export const LEDGER_PLACES = 2n ** 40n

/** The places of one ledger: those after `before`, up to `last`. */
export interface LedgerPlaces {
  readonly before: bigint
  readonly last: bigint
}

/** The ledger of the workspace whose `last_transfer` this is; of a workspace without transfers it is `before`. */
export function ledgerPlaces(lastTransfer: bigint): LedgerPlaces {
  const before = lastTransfer - (lastTransfer % LEDGER_PLACES)
  return { before, last: before + LEDGER_PLACES - 1n }
}
