import { type Command, REMOTE_ONLY_OPTIONS } from './command.ts'
import type { Io } from './deps.ts'
import { UsageError } from './usageError.ts'
import { nonEmpty } from './nonEmpty.ts'

/** Which installation a command works on: this one, or another through its admin API. */
export interface Installation {
  /** Where the admin API of the other one is; undefined: this one. */
  readonly remoteUrl: string | undefined
  /** `TOLLGATE_URL`, where no option beats it. */
  readonly inheritedUrl: string | undefined
}

/** Throws `UsageError` for options that contradict each other. */
export function installationOf(
  command: Command,
  value: (name: string) => string | undefined,
  env: Io['env'],
): Installation {
  const explicit = ['database-url', 'config'].find((option) => value(option) !== undefined)
  if (explicit !== undefined && value('url') !== undefined) {
    throw new UsageError(`--url names another installation and --${explicit} this one: give one of them`)
  }
  // A flag beats a variable, also where they are of different names.
  const inheritedUrl = explicit === undefined ? nonEmpty(env['TOLLGATE_URL']) : undefined
  const remoteUrl = value('url') ?? inheritedUrl
  if (remoteUrl === undefined) refuseRemoteOnly(command, value, explicit)
  return { remoteUrl, inheritedUrl }
}

/** Who gives one believes to work on a remote installation, and would change this one. */
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

/** Refuses `TOLLGATE_URL` for a command that works on this installation only. */
export function refuseRemote({ remoteUrl }: Installation): void {
  if (remoteUrl === undefined) return
  throw new UsageError(
    'this command works on the database itself, not through TOLLGATE_URL: name the database with --database-url, or unset TOLLGATE_URL',
  )
}
