import type { LoadResult } from '../config/loadSettings.ts'
import type { ConfigFlags } from '../config/overrides.ts'
import type { DatabaseSettings, Settings } from '../config/settings.ts'
import type { Model } from '../core/model.ts'
import type { Store } from '../core/ports/store.ts'
import type { Act } from '../operations/act.ts'
import type { Operations } from '../operations/operations.ts'
import type { CliDeps, Io } from './deps.ts'

/** What a running command has at hand. */
export interface CommandContext {
  readonly io: Io
  readonly deps: CliDeps
  /** The value of a positional or an option. */
  value(name: string): string | undefined
  /** The value of a required positional. */
  required(name: string): string
  isOn(name: string): boolean
  readonly flags: ConfigFlags
  /** The file, environment and flags; throws when anything of them is wrong. */
  settings(): Settings
  /** The database that they name; throws when they do not say. */
  database(): DatabaseSettings
  /** The catalogue that they name; throws when they do not say. */
  models(): readonly Model[]
  load(): LoadResult
  /** The operations beside the database, or through the admin API when there is `--url`. */
  withOperations<Result>(work: (operations: Operations) => Promise<Result>): Promise<Result>
  /** The database itself, and which one it is; refuses `TOLLGATE_URL`. */
  withStore<Result>(work: (store: Store, place: string) => Promise<Result>): Promise<Result>
  /** How the command asks for a change. */
  readonly act: Act
  /** Where the admin API of the remote installation is; undefined: here. */
  readonly remoteUrl: string | undefined
  /** Refuses `TOLLGATE_URL` for a command that works on this installation only. */
  localOnly(): void
  /** Says that a command looks at this installation only, where `TOLLGATE_URL` may have meant another. */
  sayLocal(what: string): void
  /** Writes a result as JSON when that was asked for, else as `table` writes it. */
  show<Result>(result: Result, table: (result: Result) => string): void
}
