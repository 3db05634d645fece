import type { AuditEntry } from './audit.ts'

/** How a database of one file is copied while calls go on, and how a copy becomes the database again. */
export interface Safekeeping {
  /** Copies the database of one moment into a new file. Throws `SafekeepingRefused` and leaves no file behind. */
  backup(order: BackupOrder): Promise<Copy>
  /** Puts a copy in the place of the database. Throws `SafekeepingRefused` and changes nothing. */
  restore(order: RestoreOrder): Promise<Restored>
}

interface Order {
  readonly file: string
  /** Milliseconds since the epoch: dates migrations, and names the database that a restore puts aside. */
  readonly at: number
  /** Accept a copy whose ledger does not add up. */
  readonly unsound: boolean
  /** `total` is 0 while nobody knows how much there is to do. */
  readonly progress: (step: string, done: number, total: number) => void
}

export interface BackupOrder extends Order {
  /** Replace the file if it exists. */
  readonly overwrite: boolean
}

export interface RestoreOrder extends Order {
  /** For the audit log of what is restored. */
  readonly record: AuditEntry
}

/** A copy that was proved. */
export interface Copy {
  readonly file: string
  readonly bytes: number
  readonly workspaces: number
  readonly transfers: number
  /** Milliseconds since the epoch; null when nothing was ever booked. */
  readonly lastTransferAt: number | null
  /** False for a copy that was accepted although its ledger does not add up. */
  readonly sound: boolean
}

export interface Restored extends Copy {
  /** Where the database is that was in force before; undefined when there was none. */
  readonly before: string | undefined
  /** What was revoked there, and is in force again. */
  readonly inForceAgain: readonly RevokedOnce[]
}

/** A key or an admin token that was revoked after the backup was made. */
export interface RevokedOnce {
  readonly kind: 'key' | 'admin token'
  readonly id: string
  readonly name: string
}

/** Nothing was done, for a reason that the operator can do something about. */
export class SafekeepingRefused extends Error {
  override readonly name = 'SafekeepingRefused'
}
