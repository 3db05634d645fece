import { appendFileSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, startKeeper } from './keeper.ts'
import type { Binaries } from './postgres-binaries.ts'

/** A private server in a directory of its own. */
export interface Cluster {
  readonly url: string
  /** Where its files are; its data in `data`. */
  readonly directory: string
  /** `kill` ends every connection at once, like a crash; `stop` ends them properly. */
  end(how: 'stop' | 'kill'): Promise<void>
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>
  /** Stops it and removes its files. */
  remove(): Promise<void>
}

const START_ATTEMPTS_MAX = 5
const USER = 'tollgate'
/** A simulation leaves the connections of every process that it kills to the end of its seed. */
const CONNECTIONS_MAX = 1_000

/** At its end it stops the server and removes the files. */
const KEEPER = `
trap '' INT TERM HUP PIPE
bin=$1 directory=$2 options=$3
ended() { "$bin/pg_ctl" -D "$directory/data" -m "$1" -w stop >/dev/null 2>&1; }
while read -r word; do
  case $word in
    start) if "$bin/pg_ctl" -D "$directory/data" -l "$directory/log" -o "$options" -t 60 -w start >/dev/null 2>&1
           then echo done; else echo failed; fi ;;
    stop) ended fast; echo done ;;
    kill) ended immediate; echo done ;;
    leave) exit ;;
  esac
done
ended immediate
rm -rf "$directory"
`

export interface ClusterOptions {
  readonly fsync: boolean
  /** Where the directory of its files is made. */
  readonly folder: string
}

export async function startCluster(binaries: Binaries, options: ClusterOptions): Promise<Cluster> {
  const directory = createDirectory(binaries, options)
  await initialise(binaries, directory)
  return launch(binaries, directory, options)
}

/**
 * A server that streams what another one commits. The other one is stopped for a moment: a copy of its files at rest is
 * the base, so that it takes no further program.
 */
export async function startStandby(
  binaries: Binaries,
  primary: Cluster,
  options: ClusterOptions,
): Promise<Cluster> {
  const directory = createDirectory(binaries, options)
  const data = join(directory, 'data')
  await primary.end('stop')
  const copy = Bun.spawn([...binaries.prefix, 'cp', '-a', join(primary.directory, 'data'), data], {
    cwd: directory,
    stderr: 'pipe',
  })
  const errors = await new Response(copy.stderr).text()
  if ((await copy.exited) !== 0) throw new Error(`the primary was not copied: ${errors}`)
  await primary.start()
  const { hostname, port } = new URL(primary.url)
  appendFileSync(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${USER}'\n`,
  )
  const signal = join(data, 'standby.signal')
  writeFileSync(signal, '')
  if (binaries.user) chownSync(signal, binaries.user.uid, binaries.user.gid)
  return launch(binaries, directory, options)
}

function createDirectory({ user }: Binaries, { folder }: ClusterOptions): string {
  const directory = mkdtempSync(join(folder, 'tollgate-postgres-'))
  if (user) chownSync(directory, user.uid, user.gid)
  return directory
}

async function launch(binaries: Binaries, directory: string, options: ClusterOptions): Promise<Cluster> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const keeper = startKeeper({
      prefix: binaries.prefix,
      script: KEEPER,
      arguments: [binaries.directory, directory, serverOptions(port, options.fsync)],
      directory,
    })
    if ((await keeper.tell('start')) === 'done') {
      return {
        url: `postgres://${USER}@127.0.0.1:${port}/postgres`,
        directory,
        async end(how) {
          await keeper.tell(how)
        },
        async start() {
          if ((await keeper.tell('start')) !== 'done') throw new Error('Postgres did not start again')
        },
        remove: () => keeper.end(),
      }
    }
    // Somebody may have taken the port in between.
    if (attempt === START_ATTEMPTS_MAX) {
      const log = await Bun.file(join(directory, 'log')).text()
      await keeper.end()
      throw new Error(`Postgres did not start: ${log}`)
    }
    await keeper.leave()
  }
}

async function initialise(binaries: Binaries, directory: string): Promise<void> {
  const initdb = Bun.spawn(
    [
      ...binaries.prefix,
      join(binaries.directory, 'initdb'),
      `--pgdata=${join(directory, 'data')}`,
      `--username=${USER}`,
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { cwd: directory, stdout: 'ignore', stderr: 'pipe' },
  )
  const errors = await new Response(initdb.stderr).text()
  if ((await initdb.exited) !== 0) throw new Error(`initdb failed: ${errors}`)
}

function serverOptions(port: number, fsync: boolean): string {
  const settings = {
    listen_addresses: '127.0.0.1',
    // TCP alone: the path of a socket may have 107 bytes, and temporary directories are deep.
    unix_socket_directories: '',
    port,
    max_connections: CONNECTIONS_MAX,
    // Commits still outlive a killed server, as tests of outages need: only the machine must not fail.
    ...(fsync ? {} : { fsync: 'off', full_page_writes: 'off' }),
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}
