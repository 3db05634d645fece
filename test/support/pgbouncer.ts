import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startKeeper, type Keeper } from './keeper.ts'
import { POSTGRES_OFF_VARIABLE, findUnprivileged } from './postgres-binaries.ts'
import { postgresAvailability } from './postgres.ts'
import { skipFor } from './runEvents.ts'

/** A private pgbouncer before a server. It also ends when this process dies. */
export interface Pgbouncer extends AsyncDisposable {
  /** The server's URL by way of the pooler. */
  readonly url: string
  /** What it has written to its log since it was started last. */
  log(): string
  /** `kill -9`. Resolves when it is gone. */
  kill(): Promise<void>
  /** Starts it again on the same port, with other options where some are given. */
  start(options?: PgbouncerOptions): Promise<void>
}

/** What is left out is as in pgbouncer's own default configuration. */
export interface PgbouncerOptions {
  readonly mode?: 'session' | 'transaction' | 'statement'
  /** How many connections to the server there are for one user and database. */
  readonly poolSize?: number
  /** How many prepared statements are kept for a connection; 0: it does not know of them. */
  readonly preparedStatements?: number
  /** Who may come beside the user of the URL. */
  readonly users?: readonly string[]
}

/** Names the program where it is neither in PATH nor at the usual place. */
export const PGBOUNCER_VARIABLE = 'TOLLGATE_TEST_PGBOUNCER'
const USUAL_PLACE = '/usr/sbin/pgbouncer'
/** The first version that keeps prepared statements for the clients of a pool of transactions. */
export const PREPARES = '1.21'
const START_ATTEMPTS_MAX = 5

interface Program {
  readonly path: string
  readonly version: string
}

/** At its end it kills the pooler and removes the files. */
const KEEPER = `
trap '' INT TERM HUP PIPE
program=$1 directory=$2 pid=
ended() { [ -z "$pid" ] || { kill -9 "$pid"; wait "$pid"; } 2>/dev/null; pid=; }
while read -r word; do
  case $word in
    start)
      : >"$directory/log"
      "$program" "$directory/pgbouncer.ini" </dev/null >>"$directory/log" 2>&1 3>&- 4>&- 5>&- &
      pid=$!
      until grep -q 'process up' "$directory/log" || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
      if kill -0 "$pid" 2>/dev/null; then echo done; else echo failed; fi ;;
    kill) ended; echo done ;;
    leave) ended; exit ;;
  esac
done
ended
rm -rf "$directory"
`

/** Whether tests must be skipped because there is no Postgres for them, or no pgbouncer that is new enough; reports why. */
export function mustSkipPooler(what: string, newerThan = '0'): boolean {
  const postgres = postgresAvailability()
  if (!postgres.available) return skipFor(`${what}: ${postgres.reason}`)
  const found = findPgbouncer(newerThan)
  return skipFor('reason' in found ? `${what}: ${found.reason}` : undefined)
}

/** The first that is at least of this version. */
export function findPgbouncer(atLeast = '0'): Program | { readonly reason: string } {
  if (process.env[POSTGRES_OFF_VARIABLE] === '1') return { reason: 'this run has no Postgres (npm test has)' }
  const unprivileged = findUnprivileged('pgbouncer')
  if ('reason' in unprivileged) return unprivileged
  const found = programs()
  const [program] = found.filter(({ version }) => isAtLeast(version, atLeast))
  if (program) return program
  const [other] = found
  if (other)
    return { reason: `it takes pgbouncer ${atLeast} or later, and ${other.path} is ${other.version}` }
  return { reason: `no pgbouncer in PATH or at ${USUAL_PLACE}: install it or set ${PGBOUNCER_VARIABLE}` }
}

function programs(): Program[] {
  const named = process.env[PGBOUNCER_VARIABLE]
  const paths = [named, Bun.which('pgbouncer'), USUAL_PLACE]
  return paths.flatMap((path) => {
    if (!path || !existsSync(path)) return []
    const version = versionOf(path)
    return version === undefined ? [] : [{ path, version }]
  })
}

function versionOf(path: string): string | undefined {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return /PgBouncer (\d+\.\d+)/i.exec(stdout)?.[1]
}

function isAtLeast(version: string, least: string): boolean {
  return Bun.semver.order(`${version}.0`, least.includes('.') ? `${least}.0` : `${least}.0.0`) >= 0
}

/** @param server where it gets its connections */
export async function startPgbouncer(server: string, options: PgbouncerOptions = {}): Promise<Pgbouncer> {
  const program = findPgbouncer(options.preparedStatements ? PREPARES : undefined)
  if ('reason' in program) throw new Error(program.reason)
  const unprivileged = findUnprivileged('pgbouncer')
  if ('reason' in unprivileged) throw new Error(unprivileged.reason)
  const { user, prefix } = unprivileged
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-pgbouncer-'))
  if (user) chownSync(directory, user.uid, user.gid)
  const path = (name: string) => join(directory, name)
  const log = () => readFileSync(path('log'), 'utf8')
  for (let attempt = 1; ; attempt++) {
    const url = new URL(server)
    url.port = String(await freePort())
    const configure = (chosen: PgbouncerOptions) => {
      writeFileSync(path('users'), usersOf(server, chosen.users ?? options.users ?? []))
      writeFileSync(path('pgbouncer.ini'), configuration(server, url.port, path('users'), chosen, program))
    }
    configure(options)
    const keeper = startKeeper({ prefix, script: KEEPER, arguments: [program.path, directory], directory })
    if ((await keeper.tell('start')) === 'done') {
      return {
        url: url.href,
        log,
        async kill() {
          await keeper.tell('kill')
        },
        async start(chosen = options) {
          configure(chosen)
          await restart(keeper, log)
        },
        [Symbol.asyncDispose]: () => keeper.end(),
      }
    }
    // Somebody may have taken the port in between.
    if (attempt === START_ATTEMPTS_MAX) {
      const said = log()
      await keeper.end()
      throw new Error(`pgbouncer did not start: ${said}`)
    }
    await keeper.leave()
  }
}

async function restart(keeper: Keeper, log: () => string): Promise<void> {
  if ((await keeper.tell('start')) !== 'done') throw new Error(`pgbouncer did not start again: ${log()}`)
}

function usersOf(server: string, others: readonly string[]): string {
  const { username, password } = new URL(server)
  const users = [
    [decodeURIComponent(username), decodeURIComponent(password)],
    ...others.map((name) => [name, '']),
  ]
  return users.map(([name, secret]) => `"${name}" "${secret}"\n`).join('')
}

function configuration(
  server: string,
  port: string,
  usersFile: string,
  { mode, poolSize, preparedStatements }: PgbouncerOptions,
  { version }: Program,
): string {
  const target = new URL(server)
  const knowsPrepared = preparedStatements !== undefined && isAtLeast(version, PREPARES)
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    // TCP alone: the path of a socket may have 107 bytes, and temporary directories are deep.
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: usersFile,
    ...(mode && { pool_mode: mode }),
    ...(poolSize !== undefined && { default_pool_size: poolSize }),
    ...(knowsPrepared && { max_prepared_statements: preparedStatements }),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  return `[databases]
* = host=${target.hostname} port=${target.port || '5432'}
[pgbouncer]
${lines.join('\n')}
`
}
