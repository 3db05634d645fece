import type { ConfigFlags } from '../config/overrides.ts'
import type { LoadResult } from '../config/loadSettings.ts'
import type { DatabaseSettings, Settings } from '../config/settings.ts'
import type { IdSource } from '../core/id.ts'
import type { Moved, MoveOrder } from '../core/ports/move.ts'
import type { Safekeeping } from '../core/ports/safekeeping.ts'
import type { Store, StoreAccess } from '../core/ports/store.ts'

/** Where a command reads from and writes to. */
export interface Io {
  /** Standard output: what was asked for, and nothing else. Waits for a slow reader. */
  out(text: string): void
  /** Standard error: progress, warnings, mistakes. */
  err(text: string): void
  /** Whether a person watches standard error. */
  readonly errIsTty: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What the command line is given; data commands touch nothing of the gateway's. */
export interface CliDeps {
  /** Reads file, environment and flags. */
  readonly loadSettings: (flags: ConfigFlags) => LoadResult
  /** Runs the gateway until it is told to stop; gives the exit code. */
  readonly serve: (loaded: Extract<LoadResult, { ok: true }>, flags: ConfigFlags) => Promise<number>
  /** Opens the database, and brings its schema up to date unless it is only to be read. */
  readonly openStore: (database: DatabaseSettings, access: StoreAccess) => Promise<Store>
  /** Copies of the SQLite database at this path. */
  readonly safekeeping: (path: string) => Promise<Safekeeping>
  /** Moves all books from one database into another one. */
  readonly move: (from: DatabaseSettings, to: DatabaseSettings, order: MoveOrder) => Promise<Moved>
  /** Sends each provider, or the one that is named, one small request. */
  readonly testProviders: (settings: Settings, name?: string) => AsyncIterable<ProviderTest>
  readonly isFolder: (path: string) => boolean
  readonly openFile: (path: string) => FileWriter
  /** Undefined: there is none. Throws when it cannot be read. */
  readonly readFile: (path: string) => string | undefined
  readonly removeFile: (path: string) => void
  /** With the folders above it; one that is there already is kept. */
  readonly createFolder: (path: string) => void
  readonly fetch: (request: Request) => Promise<Response>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly ids: IdSource
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: (secret: string) => string
  readonly version: string
  /** Git's name of the sources that the one file was built from; null: unknown. */
  readonly commit: string | null
  /** Who runs the command, and on which machine, for the audit log. */
  readonly person: () => { readonly user: string; readonly host: string }
}

export interface ProviderTest {
  readonly provider: string
  readonly model: string
  readonly ok: boolean
  /** Until the answer, or until it failed. */
  readonly durationMs: number
  /** What went wrong, redacted; undefined when it went well. */
  readonly detail: string | undefined
}

/** A file that is there under its name once it is whole. */
export interface FileWriter {
  write(text: string): Promise<void>
  /** Puts it in its place, also when nothing was written. */
  finish(): Promise<void>
  /** Leaves what was there before; does nothing after `finish`. */
  abandon(): Promise<void>
}
