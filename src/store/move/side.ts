import type { AuditEntry } from '../../core/ports/audit.ts'
import type { Verification } from '../../core/ports/books.ts'
import type { MovedTable, Row } from './tables.ts'

/** How many rows a part of a table has at most, and from how many characters of text on it has no more. */
export const PART = { rows: 2_000, characters: 4 * 1024 * 1024 }

/** A database that is moved from: only read. */
export interface Source {
  /** Names the same database every time, for people, without a password. */
  readonly place: string
  /**
   * The next rows by primary key, in the engine's own order of texts; none: there are no more.
   * @param after the key of the last row that was read
   */
  read(table: MovedTable, after: Row | undefined): Promise<readonly Row[]>
  count(table: MovedTable): Promise<number>
  /** The largest place of a transfer; see `ledgerPlaces`. */
  lastTransfer(): Promise<bigint>
  /** Who else has the database open now, in words; undefined: no one that is seen. */
  otherUsers(): Promise<string | undefined>
  /** The text of the mark of a move into this database that has not ended. */
  mark(): Promise<string | undefined>
  close(): Promise<void>
}

/** A database that is moved into. */
export interface Target extends Source {
  /** When the newest move into this database was, by its audit log; undefined: none has ended. */
  lastMove(): Promise<number | undefined>
  /** Creates the table with the mark. From here on the database is not opened by anything but a move. */
  begin(mark: string): Promise<void>
  /** Takes the mark away again, from a database that nothing was written to. */
  forget(): Promise<void>
  /**
   * Writes the rows and replaces the mark, in one transaction. Throws `MoveRefused` when the mark is not `before`: another
   * process moves into the database.
   */
  write(table: MovedTable, rows: readonly Row[], before: string, after: string): Promise<void>
  /** Brings what the engine itself counts behind what was written: the next workspace gets a ledger of its own. */
  adjustCounters(): Promise<void>
  /** Adds up every ledger, as `ledger verify` does. */
  verify(progress: (transfersRead: number) => void): AsyncIterable<Verification>
  /** Writes the line of the audit log and removes the mark, in one transaction. */
  finish(record: AuditEntry): Promise<void>
}
