import { join } from 'node:path'
import { KNOWN_MODELS } from '../catalog/known.ts'
import type { Model } from '../core/model.ts'
import type { ConfiguredProvider } from '../providers/configured.ts'
import { PROVIDERS } from '../providers/index.ts'
import { besideFile } from './besideFile.ts'
import { catalogModels } from './catalogModels.ts'
import { placeOf } from './databasePlace.ts'
import { type Environment, type Expansion, expand, missingVariable } from './environment.ts'
import { fileMistake } from './fileMistake.ts'
import { OVERRIDES, override, overrideServer, type ConfigFlags } from './overrides.ts'
import type { Problem } from './problem.ts'
import { read } from './read.ts'
import { readModels } from './readModels.ts'
import { createReport, type Report } from './report.ts'
import { DEFAULT_DATABASE_URL, resolveDatabase } from './resolveDatabase.ts'
import { resolveProvider } from './resolveProvider.ts'
import { resolveServer } from './resolveServer.ts'
import {
  databaseSchema,
  fileSchema,
  holdsSchema,
  logSchema,
  providerSchema,
  responsesSchema,
  serverSchema,
  type DatabaseEntry,
} from './schema.ts'
import type { DatabaseSettings, Settings } from './settings.ts'
import { isTreeMap, parseYamlTree, type TreeMap } from './yamlTree.ts'

/** Looked for in the working directory when no file is named. */
export const DEFAULT_CONFIG_PATH = 'tollgate.yaml'

const WHAT_TO_ADD =
  'a configuration needs at least `providers` and `models`; start from tollgate.example.yaml'

export interface LoadInput {
  readonly flags: ConfigFlags
  readonly env: Environment
  /** The file to read instead of the one that `--config`, `TOLLGATE_CONFIG` or the default name. */
  readonly path?: string
  /** Undefined when there is no such file; throws when it cannot be read. */
  readonly readFile: (path: string) => string | undefined
  /** Milliseconds since the epoch; decides which models are retired already. Default: the clock. */
  readonly now?: number
}

export type LoadResult =
  | {
      readonly ok: true
      readonly settings: Settings
      readonly warnings: readonly Problem[]
      /** The file that was read; undefined when there is none. */
      readonly file: string | undefined
    }
  | {
      readonly ok: false
      readonly problems: readonly Problem[]
      /** What is right of it all the same, for commands that need no more. */
      readonly usable: UsableSettings
    }

/** Parts of a configuration; each is undefined when it is wrong itself. */
export interface UsableSettings {
  readonly database?: DatabaseSettings | undefined
  readonly models?: readonly Model[] | undefined
}

/** Reads file, environment and flags into one checked configuration, or names every mistake in them. Never throws. */
export function loadSettings(input: LoadInput): LoadResult {
  const named = input.path ?? override('config', input.flags, input.env)?.value
  const path = named ?? DEFAULT_CONFIG_PATH
  const text = readText(path, input)
  if (typeof text === 'object') return failed([fileProblem(path, text.mistake)])
  if (text === undefined && named !== undefined) return failed([fileProblem(path, 'does not exist')])
  return text === undefined ? loadWithoutFile(input) : loadFile(text, path, input)
}

function loadFile(text: string, path: string, input: LoadInput): LoadResult {
  const { tree, source, mistakes, syntax } = parseYamlTree(text, path, input.env)
  if (syntax.length > 0) {
    const problems = syntax.map(({ place, message }) => ({ file: path, ...place, path: '', message }))
    return failed(problems)
  }
  if (tree === undefined) return failed([fileProblem(path, `is empty: ${WHAT_TO_ADD}`)])
  if (!isTreeMap(tree)) {
    const message = 'must be a mapping of settings: server, database, log, providers, models'
    return failed([{ file: path, line: 1, column: 1, path: '', message }])
  }
  const report = createReport(source)
  for (const { path, message } of mistakes) report.unreadable(path, message)
  const file = read(fileSchema, tree, [], report)
  // With a wrong name at the top the parts below it are still read, to name their mistakes as well.
  const top: Record<string, unknown> = file ?? { ...tree }

  const providerTree = treeMap(top.providers, 'providers', report)
  const sources = { environment: input.env, readFile: input.readFile, file: path }
  const providers = new Map<string, ConfiguredProvider | undefined>()
  for (const [name, value] of Object.entries(providerTree)) {
    const entry = read(providerSchema, value ?? {}, ['providers', name], report)
    providers.set(name, entry && resolveProvider(name, entry, sources, report))
  }
  const models = readModels(top.models, providers, nowOf(input), report)
  return conclude({ top, providers, models, file: path }, input, report)
}

/** The demo provider, and every known provider whose key the environment holds, with the catalogue's models. */
function loadWithoutFile(input: LoadInput): LoadResult {
  const report = createReport()
  const sources = { environment: input.env, readFile: input.readFile, file: undefined }
  const providers = new Map<string, ConfiguredProvider | undefined>()
  for (const row of PROVIDERS) {
    const served = KNOWN_MODELS.some((model) => model.provider === row.id)
    const hasKey = row.keyVariable !== undefined && Boolean(input.env[row.keyVariable])
    if (!served || !(hasKey || row.id === 'demo')) continue
    const entry = read(providerSchema, {}, ['providers', row.id], report)
    providers.set(row.id, entry && resolveProvider(row.id, entry, sources, report))
  }
  const models = catalogModels(providers, nowOf(input))
  return conclude({ top: {}, providers, models, file: undefined }, input, report)
}

/** What has been read before the settings that every configuration has. */
interface Served {
  /** The file's sections. */
  readonly top: Record<string, unknown>
  /** Undefined: a provider with a mistake. */
  readonly providers: ReadonlyMap<string, ConfiguredProvider | undefined>
  readonly models: readonly Model[]
  readonly file: string | undefined
}

function conclude({ top, providers, models, file }: Served, input: LoadInput, report: Report): LoadResult {
  // Flags and variables are checked even where the file has no server to lay them over.
  const serverEntry = read(serverSchema, top.server ?? {}, ['server'], report) ?? serverSchema.parse({})
  const server = resolveServer(
    overrideServer(serverEntry, input.flags, input.env, report),
    override('adminToken', input.flags, input.env)?.from,
    report,
  )
  const database = loadDatabase(top.database, file, input, report)
  const log = read(logSchema, top.log ?? {}, ['log'], report)
  const holds = read(holdsSchema, top.holds, ['holds'], report)
  const responses = read(responsesSchema, top.responses ?? {}, ['responses'], report)
  if (report.problems.length > 0 || !database || !log || !holds || !responses)
    return failed(report.problems.toSorted(byLine), {
      database: override('databaseUrl', input.flags, input.env)
        ? database
        : databaseWithout(report.problems, database),
      models: modelsWithout(report.problems, models),
    })
  const ready = new Map<string, ConfiguredProvider>()
  for (const [name, provider] of providers) if (provider) ready.set(name, provider)
  return {
    ok: true,
    file,
    warnings: report.warnings,
    settings: {
      server,
      database,
      providers: ready,
      models,
      log,
      holds,
      responses: { keepMs: responses.keep },
    },
  }
}

function failed(problems: readonly Problem[], usable: UsableSettings = {}): LoadResult {
  return { ok: false, problems, usable }
}

/** The database, unless one of the mistakes is in it: a variable that is missing stands there as it was written. */
function databaseWithout(
  problems: readonly Problem[],
  database: DatabaseSettings | undefined,
): DatabaseSettings | undefined {
  return problems.some(({ path }) => path === 'database' || path.startsWith('database.'))
    ? undefined
    : database
}

/** The models, unless one of the mistakes may have changed them: a provider's missing key has not. */
function modelsWithout(problems: readonly Problem[], models: readonly Model[]): readonly Model[] | undefined {
  return problems.some(({ path }) => path === '' || path.startsWith('models')) ? undefined : models
}

function loadDatabase(
  value: unknown,
  file: string | undefined,
  input: LoadInput,
  report: Report,
): DatabaseSettings | undefined {
  const given = databaseOverride(input)
  const folder = input.env['TOLLGATE_DATA'] ?? ''
  const inFolder = folder === '' ? undefined : `sqlite:${join(folder, 'tollgate.db')}`
  const entry = read(databaseSchema, value ?? inFolder ?? DEFAULT_DATABASE_URL, ['database'], report)
  if (given && !given.ok) {
    for (const name of given.missing) report.outside(given.from, missingVariable(name))
    return undefined
  }
  const settings = given
    ? resolveDatabase(given.text, {
        // What the file says of another engine is not meant for this one.
        durability: given.text.startsWith('sqlite:') ? entry?.durability : undefined,
        connections: given.text.startsWith('sqlite:') ? undefined : entry?.connections,
      })
    : entry && resolveDatabase(entry.url, entry)
  if (typeof settings !== 'string') {
    if (value !== undefined && entry && settings && given?.from === OVERRIDES.databaseUrl.variable)
      warnOfOtherDatabase(entry, settings, report)
    if (given || settings?.engine !== 'sqlite' || (value === undefined && inFolder !== undefined))
      return settings
    return { ...settings, path: besideFile(settings.path, file) }
  }
  if (given) report.outside(given.from, settings)
  else report.problem(isTreeMap(value) ? ['database', 'url'] : ['database'], settings)
  return undefined
}

/** Two databases are named, and the one of the file is not used: money would be in a place where it is not looked for. */
function warnOfOtherDatabase(entry: DatabaseEntry, used: DatabaseSettings, report: Report): void {
  const named = resolveDatabase(entry.url, entry)
  if (typeof named === 'string' || placeOf(named) === placeOf(used)) return
  report.warning(
    ['database'],
    `is not used: ${OVERRIDES.databaseUrl.variable} names another database (${placeOf(used)})`,
  )
}

/** What overrules the file's database. In the flag, references are replaced as in the file: others see a command line. */
function databaseOverride({ flags, env }: LoadInput): (Expansion & { readonly from: string }) | undefined {
  const given = override('databaseUrl', flags, env)
  if (!given) return undefined
  const { from, value } = given
  if (from !== OVERRIDES.databaseUrl.flag) return { ok: true, text: value, expanded: false, from }
  return { ...expand(value, env), from }
}

function treeMap(value: unknown, name: string, report: Report): TreeMap {
  if (value === undefined) return {}
  if (isTreeMap(value)) return value
  report.problem([name], 'must be a mapping')
  return {}
}

function readText(path: string, { readFile }: LoadInput): string | undefined | { mistake: string } {
  try {
    return readFile(path)
  } catch (error) {
    return { mistake: fileMistake(error) }
  }
}

function byLine(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}

function fileProblem(file: string, message: string): Problem {
  return { file, line: undefined, column: undefined, path: '', message }
}

function nowOf(input: LoadInput): number {
  return input.now ?? Date.now()
}
