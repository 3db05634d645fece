import type { Nano } from '../money.ts'
import type { AdminTokens } from './adminTokens.ts'
import type { Answers } from './answers.ts'
import type { AuditLog } from './audit.ts'
import type { Books } from './books.ts'
import type { Directory } from './directory.ts'
import type { KeptResponses } from './keptResponses.ts'
import type { Refusals } from './refusals.ts'
import type { StoreUnavailable, Till } from './till.ts'

/** `read`: creates no database and no table, and migrates nothing. */
export type StoreAccess = 'read' | 'change'

/**
 * How many connections to a database server a process has at most, the one that listens for changes among them; `brief`:
 * one that runs a single command.
 */
export const CONNECTIONS = { default: 9, min: 5, max: 100, brief: 2 }

/** The one authority on keys, windows and money: one port, two engines (`store/sqlite`, `store/postgres`). */
export interface Store {
  readonly directory: Directory
  readonly till: Till
  readonly books: Books
  readonly answers: Answers
  readonly keptResponses: KeptResponses
  readonly refusals: Refusals
  readonly adminTokens: AdminTokens
  readonly audit: AuditLog
  /** Throws `StoreUnavailable` when the store cannot answer. */
  ping(): Promise<void>
  /** Commits what is under way and lets go of the database. */
  close(): Promise<void>
}

/** What it has cost that a database was away. */
export interface Outage {
  readonly ms: number
  /** Calls and queries that were refused. */
  readonly refused: number
}

/** Called once when the store stops working, with what is wrong, and once without it when it works again. */
export type StoreHealthListener = (fault: StoreUnavailable | undefined, outage?: Outage) => void

export interface StoreMeter {
  /** So many calls of a step shared a transaction. */
  group(step: string, calls: number): void
  roundTrip(ms: number): void
  /** Calls and queries that the database refused or did not answer. */
  refused(count: number): void
  /** Settlements that another server did not have, and that were made again there; with what was written off. */
  settledAgain(count: number, writtenOff: Nano): void
  /** Connections of this process that are in use now; to be asked at any time. */
  connections(inUse: () => number): void
}
