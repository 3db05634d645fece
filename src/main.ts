import { hostname, userInfo } from 'node:os'
import { createFolder, isFolder, openFile, processIo, removeFile } from './cli/processIo.ts'
import { createRemoteFetch } from './cli/remoteFetch.ts'
import { runCli } from './cli/runCli.ts'
import { placeOf } from './config/databasePlace.ts'
import type { ConfigFlags } from './config/overrides.ts'
import { loadSettings } from './config/loadSettings.ts'
import { readFileIfThere } from './config/readFile.ts'
import type { DatabaseSettings } from './config/settings.ts'
import { createPlatform } from './platform.ts'
import { commit, program, version } from './program.ts'
import { openStore } from './store/open.ts'

const env = process.env
const platform = createPlatform()
const { now, ids, hash } = platform
const load = (flags: ConfigFlags, path?: string) =>
  loadSettings({ flags, env, readFile: readFileIfThere, ...(path !== undefined && { path }) })
const io = processIo()
const warn = (sentence: string) => io.err(`tollgate: ${sentence}\n`)

/**
 * The one file starts in the interpreter (`scripts/build.ts`): what runs once is not worth compiling, and a gateway without
 * callers needs 4 MB less. From here on the engine compiles as usual.
 */
function compile(): void {
  Bun.unsafe.setJITPolicy(1)
}
if (process.argv[2] !== 'serve') compile()

process.exitCode = await runCli(process.argv.slice(2), io, {
  loadSettings: (flags) => load(flags),
  // The gateway is loaded only by the command that runs it: data commands start faster without.
  async serve(loaded, flags) {
    const { serve } = await import('./serve/serve.ts')
    const code = await serve({
      loaded,
      load: (file) => load(flags, file),
      out: (text) => void process.stdout.write(text),
      version,
      command: program,
      flags,
      platform,
      onFirstRequest: compile,
    })
    // A connection to a database that does not answer would keep the process alive.
    process.exit(code)
  },
  async *testProviders(settings, name) {
    const { testProviders } = await import('./serve/testProviders.ts')
    yield* testProviders(settings, platform, name)
  },
  openStore: (database, access) => openStore(database, { now, access, isBrief: true, warn }),
  async safekeeping(path) {
    const { createSqliteSafekeeping } = await import('./store/sqlite/safekeeping/safekeeping.ts')
    return createSqliteSafekeeping(path)
  },
  async move(from, to, order) {
    const { move } = await import('./store/move/move.ts')
    const end = (settings: DatabaseSettings) => ({ settings, place: placeOf(settings) })
    return move(end(from), end(to), order)
  },
  isFolder,
  openFile,
  readFile: readFileIfThere,
  removeFile,
  createFolder,
  fetch: createRemoteFetch(env),
  clock: now,
  ids,
  hash,
  version,
  commit,
  person: () => ({ user: userName(), host: hostname() }),
})

/** Of the account that runs the command; a container may have one without a name. */
function userName(): string {
  const uid = process.getuid?.()
  // Where there are uids, the runtime takes the name from the environment, which anyone can set.
  if (uid === undefined) return userInfo().username
  const { stdout, success } = Bun.spawnSync(['id', '-un'], { stderr: 'ignore', timeout: 1_000 })
  const name = stdout.toString().trim()
  return success && name !== '' ? name : `uid ${uid}`
}
