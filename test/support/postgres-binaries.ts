import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** Where the server's programs are, and how to run them. */
export interface Binaries {
  readonly directory: string
  /** Whom the server runs as: it refuses to run as root. Undefined: as ourselves. */
  readonly user: { readonly name: string; readonly uid: number; readonly gid: number } | undefined
  /** What to put before a command so that it runs as that user. */
  readonly prefix: readonly string[]
}

/** Names the directory of `initdb`, `pg_ctl` and `postgres` when it is neither in PATH nor a usual place. */
const DIRECTORY_VARIABLE = 'TOLLGATE_TEST_POSTGRES_BIN'
/** Set to `1` by tests that want no Postgres. */
export const POSTGRES_OFF_VARIABLE = 'TOLLGATE_TEST_POSTGRES_OFF'
const USUAL_PLACE = '/usr/lib/postgresql'
const PROGRAMS = ['initdb', 'pg_ctl', 'postgres']
const USERS = '/etc/passwd'
const UNPRIVILEGED_USERS = ['postgres', 'nobody']

export function findBinaries(): Binaries | { readonly reason: string } {
  if (process.env[POSTGRES_OFF_VARIABLE] === '1') return { reason: 'this run has no Postgres (npm test has)' }
  const directory = candidates().find(holdsPrograms)
  if (!directory) {
    return {
      reason: `no ${PROGRAMS.join(', ')} in PATH or ${USUAL_PLACE}/*/bin: install a Postgres server or set ${DIRECTORY_VARIABLE}`,
    }
  }
  const unprivileged = findUnprivileged('Postgres')
  return 'reason' in unprivileged ? unprivileged : { directory, ...unprivileged }
}

/** Whom a server runs as that refuses to run as root. */
export function findUnprivileged(server: string): Omit<Binaries, 'directory'> | { readonly reason: string } {
  if (process.getuid?.() !== 0) return { user: undefined, prefix: [] }
  const user = UNPRIVILEGED_USERS.map(lookUp).find((found) => found !== undefined)
  if (!user)
    return {
      reason: `${server} refuses to run as root and there is no user ${UNPRIVILEGED_USERS.join(' or ')}`,
    }
  if (!Bun.which('setpriv'))
    return { reason: `${server} refuses to run as root and there is no setpriv to change user` }
  return {
    user,
    prefix: ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--'],
  }
}

function candidates(): string[] {
  const named = process.env[DIRECTORY_VARIABLE]
  const inPath = (process.env['PATH'] ?? '').split(delimiter).filter((path) => path && holdsPrograms(path))
  const versions = existsSync(USUAL_PLACE) ? readdirSync(USUAL_PLACE) : []
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a))
  return [
    ...(named ? [named] : []),
    // A link to one program of PATH does not bring its neighbours along: go where it points.
    ...inPath.map((path) => dirname(realpathSync(join(path, 'postgres')))),
    ...newestFirst.map((version) => join(USUAL_PLACE, version, 'bin')),
  ]
}

function holdsPrograms(directory: string): boolean {
  return PROGRAMS.every((program) => existsSync(join(directory, program)))
}

/** A user of this machine's own list. */
function lookUp(name: string): Binaries['user'] {
  if (!existsSync(USERS)) return undefined
  for (const line of readFileSync(USERS, 'utf8').split('\n')) {
    const [found, , uid, gid] = line.split(':')
    if (found === name) return { name, uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}
