import { formatProblems } from '../config/problem.ts'
import type { ConfigFlags } from '../config/overrides.ts'
import type { LoadResult } from '../config/loadSettings.ts'
import { secretMistake, withoutLineEnd } from '../config/secret.ts'
import type { Settings } from '../config/settings.ts'
import type { Store, StoreAccess } from '../core/ports/store.ts'
import { createLocalOperations } from '../operations/localOperations.ts'
import type { Act, Operations, Query } from '../operations/operations.ts'
import type { CliDeps, Io } from './deps.ts'
import type { Arguments } from './parseArguments.ts'
import { createRemoteOperations } from './remoteOperations.ts'
import { CommandFailure, UsageError } from './usageError.ts'

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
  /** The file, environment and flags; throws when they are wrong. */
  settings(): Settings
  load(): LoadResult
  /** The operations beside the database, or through the admin API when there is `--url`. */
  withOperations<Result>(work: (operations: Operations) => Promise<Result>): Promise<Result>
  /** The database itself; refuses `--url`. */
  withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result>
  /** How the command asks for a change. */
  readonly act: Act
  /** Where the admin API of the remote installation is; undefined: here. */
  readonly remoteUrl: string | undefined
  /** Refuses `--url` for a command that works here only. */
  localOnly(): void
  /** Writes a result as JSON when that was asked for, else as `table` writes it. */
  show<Result>(result: Result, table: (result: Result) => string): void
}

export function createContext(
  { values, switches }: Arguments,
  io: Io,
  deps: CliDeps,
  access: StoreAccess,
): CommandContext {
  const value = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)
  const flags: ConfigFlags = {
    host: value('host'),
    port: value('port'),
    databaseUrl: value('database-url'),
    adminToken: value('admin-token'),
    config: value('config'),
  }
  const remoteUrl = value('url') ?? nonEmpty(io.env['TOLLGATE_URL'])

  function settings(): Settings {
    const loaded = deps.loadSettings(flags)
    if (!loaded.ok)
      throw new CommandFailure(`the configuration is not usable:\n${formatProblems(loaded.problems)}`)
    return loaded.settings
  }

  function localOnly(): void {
    if (remoteUrl === undefined) return
    throw new UsageError('this command works on the database itself and takes no --url (or TOLLGATE_URL)')
  }

  async function withLocalStore<Result>(work: (store: Store, settings: Settings) => Promise<Result>) {
    const loaded = settings()
    const store = await deps.openStore(loaded.database, access)
    try {
      return await work(store, loaded)
    } finally {
      await store.close()
    }
  }

  return {
    io,
    deps,
    value,
    required: (name) => value(name) ?? '',
    isOn: (name) => switches.has(name),
    flags,
    settings,
    load: () => deps.loadSettings(flags),
    act: { idempotencyKey: value('idempotency-key') },
    remoteUrl,
    localOnly,
    withOperations: async (work) => {
      if (remoteUrl !== undefined) {
        const given = flags.adminToken ?? nonEmpty(io.env['TOLLGATE_ADMIN_TOKEN'])
        if (given === undefined) throw new UsageError('--url needs --admin-token or TOLLGATE_ADMIN_TOKEN')
        const token = withoutLineEnd(given)
        const mistake = secretMistake(token)
        if (mistake !== undefined) throw new UsageError(`the admin token ${mistake}`)
        return work(createRemoteOperations(remoteUrl, token, deps.fetch))
      }
      return withLocalStore((store, { models }) => {
        const { clock, ids, hash } = deps
        return work(
          createLocalOperations({ store, clock, ids, hash, models: () => models, providersHealth: () => [] }),
        )
      })
    },
    withStore: async (work) => {
      localOnly()
      return withLocalStore(work)
    },
    show: (result, table) => {
      io.out(switches.has('json') ? `${JSON.stringify(result, null, 2)}\n` : table(result))
    },
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

/** The list options as query parameters, with the command's own filters. */
export function pageQuery(context: CommandContext, filters: Query = {}): Query {
  return { limit: context.value('limit'), cursor: context.value('cursor'), ...filters }
}
