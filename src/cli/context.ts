import { formatProblems } from '../config/problem.ts'
import type { ConfigFlags } from '../config/overrides.ts'
import { secretMistake, withoutLineEnd } from '../config/secret.ts'
import { tokensOf } from '../config/secretsOf.ts'
import type { DatabaseSettings, Settings } from '../config/settings.ts'
import type { Model } from '../core/model.ts'
import type { Store } from '../core/ports/store.ts'
import { createLocalOperations } from '../operations/localOperations.ts'
import type { Operations, Query } from '../operations/operations.ts'
import type { Acting } from '../operations/act.ts'
import { type Command, REMOTE_ONLY_OPTIONS } from './command.ts'
import type { CommandContext } from './commandContext.ts'
import type { CliDeps, Io } from './deps.ts'
import { namedInstead } from './namedInstead.ts'
import { OutputLost, outputLostAfter } from './outputLost.ts'
import type { Arguments } from './parseArguments.ts'
import { placeOf } from './place.ts'
import { tokenWarning } from './remoteFetch.ts'
import { createRemoteOperations } from './remoteOperations.ts'
import { tellingUnchanged } from './unchanged.ts'
import { CommandFailure, UsageError } from './usageError.ts'

/** Where a mistake about the database stands: in the file, a flag or a variable. */
const OF_DATABASE = /^(?:database(?:\.|$)|--database-url$|TOLLGATE_DATABASE_URL$)/

/** What one run of a command works with. Throws `UsageError` for options that contradict each other. */
export function createContext(
  command: Command,
  { values, switches }: Arguments,
  io: Io,
  deps: CliDeps,
): CommandContext {
  const access = command.changes ? 'change' : 'read'
  const value = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)
  const flags: ConfigFlags = {
    host: value('host'),
    port: value('port'),
    databaseUrl: value('database-url'),
    adminToken: value('admin-token'),
    config: value('config'),
  }
  const explicit = ['database-url', 'config'].find((option) => value(option) !== undefined)
  if (explicit !== undefined && value('url') !== undefined) {
    throw new UsageError(`--url names another installation and --${explicit} this one: give one of them`)
  }
  // A flag beats a variable, also where they are of different names.
  const inherited = explicit === undefined ? nonEmpty(io.env['TOLLGATE_URL']) : undefined
  const remoteUrl = value('url') ?? inherited
  if (remoteUrl === undefined) refuseRemoteOnly(command, value, explicit)

  function settings(): Settings {
    const loaded = deps.loadSettings(flags)
    if (!loaded.ok)
      throw new CommandFailure(`the configuration has mistakes:\n${formatProblems(loaded.problems)}`)
    return loaded.settings
  }

  /** What a command on data needs: a provider's key, for instance, is not among it. */
  function dataSettings(): {
    database: DatabaseSettings
    models: () => readonly Model[]
    secrets: () => readonly string[]
  } {
    const loaded = deps.loadSettings(flags)
    if (loaded.ok) {
      const { database, models } = loaded.settings
      return { database, models: () => models, secrets: () => tokensOf(loaded.settings) }
    }
    const { problems, usable } = loaded
    const unusable = (found = problems): never => {
      throw new CommandFailure(`the configuration has mistakes:\n${formatProblems(found)}`)
    }
    const { database, models } = usable
    // Other mistakes, such as a secret that only the gateway has, are none of this command.
    const ofDatabase = problems.filter(({ path }) => OF_DATABASE.test(path))
    return {
      database: database ?? unusable(ofDatabase.length > 0 ? ofDatabase : problems),
      models: () => models ?? unusable(),
      secrets: () =>
        [flags.adminToken, io.env['TOLLGATE_ADMIN_TOKEN']].filter((token) => token !== undefined),
    }
  }

  function localOnly(): void {
    if (remoteUrl === undefined) return
    throw new UsageError(
      'this command works on the database itself, not through TOLLGATE_URL: name the database with --database-url, or unset TOLLGATE_URL',
    )
  }

  /** Says where a change was made: a mistyped flag is seen at once, and not in the books. */
  function sayChanged(place: string, changed: boolean): void {
    if (access !== 'change' || switches.has('json')) return
    io.err(changed ? `Changed ${place}.\n` : `Nothing to change in ${place}.\n`)
  }

  /** Runs what works by ids, and explains a name in the place of one. */
  async function byId<Result>(operations: Operations, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw await namedInstead(error, { command, values, switches }, operations)
    }
  }

  function localOperations(
    store: Store,
    { models, secrets }: Pick<ReturnType<typeof dataSettings>, 'models' | 'secrets'>,
    onChange: () => void = () => undefined,
  ): Operations {
    const { clock, ids, hash } = deps
    return createLocalOperations({
      store,
      clock,
      ids,
      hash,
      onChange,
      models,
      secrets,
      providersHealth: () => [],
    })
  }

  async function withLocalStore<Result>(
    work: (store: Store, settings: ReturnType<typeof dataSettings>) => Promise<Result>,
  ): Promise<Result> {
    const found = dataSettings()
    const store = await deps.openStore(found.database, access)
    try {
      return await work(store, found)
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
    database: () => dataSettings().database,
    models: () => dataSettings().models(),
    load: () => deps.loadSettings(flags),
    get act() {
      const { user, host } = deps.person()
      const by: Acting = { actor: { kind: 'command_line', name: user }, address: host, requestId: null }
      return { idempotencyKey: value('idempotency-key'), by }
    },
    remoteUrl,
    localOnly,
    sayLocal: (what) => {
      if (inherited !== undefined) io.err(`${what} here, not at TOLLGATE_URL (${inherited}).\n`)
    },
    withOperations: async (work) => {
      if (remoteUrl !== undefined) {
        const given = flags.adminToken ?? nonEmpty(io.env['TOLLGATE_ADMIN_TOKEN'])
        if (given === undefined) throw new UsageError('--url needs --admin-token or TOLLGATE_ADMIN_TOKEN')
        const token = withoutLineEnd(given)
        const mistake = secretMistake(token)
        if (mistake !== undefined) throw new UsageError(`the admin token ${mistake}`)
        const warning = tokenWarning(remoteUrl)
        if (warning !== undefined && !switches.has('json')) io.err(`tollgate: ${warning}\n`)
        let unchanged = false
        const operations = tellingUnchanged(
          createRemoteOperations(remoteUrl, token, deps.fetch),
          () => (unchanged = true),
        )
        const result = await byId(operations, () => work(operations))
        sayChanged(new URL(remoteUrl).origin, !unchanged)
        return result
      }
      return withLocalStore(async (store, found) => {
        let changed = false
        const operations = localOperations(store, found, () => (changed = true))
        const result = await byId(operations, () => work(operations))
        sayChanged(placeOf(found.database), changed)
        return result
      })
    },
    withStore: async (work) => {
      localOnly()
      return withLocalStore((store, found) =>
        byId(localOperations(store, found), () => work(store, placeOf(found.database))),
      )
    },
    show: (result, table) => {
      const text = switches.has('json') ? `${JSON.stringify(result, null, 2)}\n` : table(result)
      try {
        io.out(text)
      } catch (error) {
        throw access === 'change' && error instanceof OutputLost ? outputLostAfter(result, error) : error
      }
    },
  }
}

/** Whoever gives one believes to work on a remote installation, and would change this one. */
function refuseRemoteOnly(
  command: Command,
  value: (name: string) => string | undefined,
  explicit: string | undefined,
): void {
  // `serve` and `check` have a meaning of their own for it.
  if (!Object.hasOwn(command.options, 'url')) return
  const option = REMOTE_ONLY_OPTIONS.find((name) => value(name) !== undefined)
  if (option === undefined) return
  throw new UsageError(
    explicit === undefined
      ? `--${option} belongs to --url: name the installation with --url or TOLLGATE_URL`
      : `--${option} belongs to --url, and --${explicit} names this installation: give one of them`,
  )
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

/** The list options as query parameters, with the command's own filters. */
export function pageQuery(context: CommandContext, filters: Query = {}): Query {
  return { limit: context.value('limit'), cursor: context.value('cursor'), ...filters }
}
