import type { AuditEntry } from './audit.ts'
import type { Nano } from '../money.ts'

/** How all books go from one database into another one, and what is asked of the move. */
export interface MoveOrder {
  /** Milliseconds since the epoch: dates the migrations of the target. */
  readonly at: number
  /** Accept books whose ledger does not add up. */
  readonly unsound: boolean
  /** For the audit log of the target. */
  readonly record: AuditEntry
  /** `total` is 0 while it is not known how much there is to do. */
  readonly progress: (step: string, done: number, total: number) => void
}

/** A move that has ended: the target was read again, and holds what the source holds. */
export interface Moved {
  /** How many rows each table has, in the order in which they were copied. */
  readonly rows: Readonly<Record<string, number>>
  /** What is equal in both databases: `balances`, `held`, `holds`, `charges`, and `topup`, `charge`, … of the ledger. */
  readonly sums: Readonly<Record<string, Nano>>
  /** False: the ledger does not add up, in both databases, and that was accepted. */
  readonly sound: boolean
  /** Whether an earlier run of the move had begun it. */
  readonly continued: boolean
}

/**
 * The move has not ended, for a reason that the operator can do something about. The source is as it was. What is in the
 * target already is only used by a repetition of the move.
 */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}
