import { readFileSync } from 'node:fs'
import { placeOf } from '../../src/config/databasePlace.ts'
import { loadSettings } from '../../src/config/loadSettings.ts'
import type { CliDeps, Io } from '../../src/cli/deps.ts'
import { createFolder, isFolder, openFile, removeFile } from '../../src/cli/processIo.ts'
import { runCli } from '../../src/cli/runCli.ts'
import { move } from '../../src/store/move/move.ts'
import { openStore } from '../../src/store/open.ts'
import { createSqliteSafekeeping } from '../../src/store/sqlite/safekeeping/safekeeping.ts'
import { type AdminWorld, MODELS } from './adminWorld.ts'

export interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

export interface Setting {
  readonly env?: Record<string, string>
  readonly deps?: Partial<CliDeps>
  readonly errIsTty?: boolean
}

/** Runs one command beside the database of an admin world; with `TOLLGATE_URL`, through the admin API there. */
export async function runCommand(
  world: AdminWorld,
  argv: readonly string[],
  setting: Setting = {},
): Promise<Run> {
  let [out, err] = ['', '']
  const env = setting.env ?? {}
  const io: Io = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    errIsTty: setting.errIsTty ?? false,
    env,
  }
  const { clock, ids, hash } = world.deps
  const deps: CliDeps = {
    loadSettings: (flags) => {
      const databaseUrl = `sqlite:${world.databasePath}`
      const loaded = loadSettings({ flags: { databaseUrl, ...defined(flags) }, env, readFile })
      // The same models here and there, unless a file names others.
      const models = [...MODELS]
      return loaded.ok && loaded.file === undefined
        ? { ...loaded, settings: { ...loaded.settings, models } }
        : loaded
    },
    serve: async () => 0,
    openStore: (database, access) => openStore(database, { now: clock, access }),
    move: (from, to, order) =>
      move({ settings: from, place: placeOf(from) }, { settings: to, place: placeOf(to) }, order),
    safekeeping: async (path) => createSqliteSafekeeping(path),
    // oxlint-disable-next-line eslint/require-yield
    testProviders: async function* () {
      return
    },
    isFolder,
    openFile,
    readFile,
    removeFile,
    createFolder,
    fetch: (request) => fetch(request),
    clock,
    ids,
    hash,
    version: '1.2.3',
    commit: null,
    person: () => ({ user: 'ada', host: 'desk' }),
    ...setting.deps,
  }
  const code = await runCli(argv, io, deps)
  const json = argv.includes('--json') ? JSON.parse(out || err) : undefined
  return { code, out, err, json }
}

/** Flags that were not given leave the test's own database in place. */
export function defined(flags: object): object {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}

export function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
