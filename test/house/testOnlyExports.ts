import { importsOf } from './imports.ts'
import { ratchet, tally } from './ratchet.ts'
import type { SourceFile } from './sourceFiles.ts'
import { lineAt, only } from './sourceText.ts'

/**
 * Exports of `src` that only tests use, as `path name`. A path that ends with `/` stands for all exports below it.
 * The list may only become shorter.
 */
export const KNOWN_TEST_ONLY: readonly string[] = [
  'src/core/ledger.ts EMPTY_ACCOUNT',
  'src/core/ledger.ts EMPTY_LEDGER',
  'src/core/ledger.ts Ledger',
  'src/core/ledger.ts LedgerStepRefusal',
  'src/core/ledger.ts replay',
  'src/core/ledger.ts step',
  'src/http/docs/guides.ts guideNames',
  'src/tokens/estimateSamples.ts SAMPLES',
  'src/tokens/naturalSamples.ts NATURAL',
  // The caller's side of formats that no endpoint speaks yet.
  'src/wire/bedrock-converse/',
  'src/wire/google-generate/',
]

/** What runs: the gateway, the benchmarks and the scripts. */
const ENTRY = /^(?:src\/main|bench\/.*|scripts\/.*)\.ts$/
const TEST = /^test\/|\.test\.ts$/
/** `testRoute.ts`: what the tests of a folder share. */
const SHARED_BY_TESTS = /\/test[A-Z]\w*\.ts$/

/** A sentence for each export that only tests use and the list lacks, and for each entry of the list that is not true. */
export function testOnlyComplaints(known: typeof KNOWN_TEST_ONLY, files: readonly SourceFile[]): string[] {
  const folders = known.filter((entry) => entry.endsWith('/'))
  const found = testOnlyExports(files)
  const entryOf = ({ path, name }: Export): string =>
    folders.find((folder) => path.startsWith(folder)) ?? `${path} ${name}`
  const { more, fewer } = ratchet(tally(known), tally([...new Set(found.map(entryOf))]))
  return [
    ...more.flatMap(({ thing }) =>
      found
        .filter((each) => entryOf(each) === thing)
        .map(
          ({ path, line, name }) =>
            `${path}:${line}: only tests use "${name}". Move it to the tests, or test what the gateway uses.`,
        ),
    ),
    ...fewer.map(({ thing }) => `Remove from KNOWN_TEST_ONLY, it is used or gone: '${thing}'`),
  ]
}

export interface Export {
  readonly path: string
  readonly line: number
  readonly name: string
}

/** The exports of `src` that nothing reaches from what runs: by name, through declarations that mention each other. */
export function testOnlyExports(files: readonly SourceFile[]): Export[] {
  const modules = new Map(
    files.filter(({ path }) => !TEST.test(path)).map((file) => [file.path, moduleOf(file)]),
  )
  const reached = reachedFrom(
    [...modules.keys()].filter((path) => ENTRY.test(path)),
    modules,
  )
  return [...modules]
    .filter(([path]) => path.startsWith('src/') && !SHARED_BY_TESTS.test(path))
    .flatMap(([path, { declarations }]) =>
      [...declarations.values()]
        .flat()
        .filter(({ exported, name }) => exported && !reached.has(`${path} ${name}`))
        .map(({ line, name }) => ({ path, line, name })),
    )
}

interface Module {
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>
  /** Words of statements that declare nothing. */
  readonly loose: readonly string[]
  /** What a name of this file means, if it comes from another. */
  readonly imported: ReadonlyMap<string, { readonly from: string; readonly name: string }>
  /** Files of which everything is used: a thread, `import *`. */
  readonly whole: readonly string[]
}

interface Declaration {
  readonly name: string
  readonly exported: boolean
  readonly line: number
  /** The words of the declaration. */
  readonly words: readonly string[]
}

/** The names, as `path name`, that these files reach. */
function reachedFrom(entries: readonly string[], modules: ReadonlyMap<string, Module>): Set<string> {
  const reached = new Set<string>()
  const loaded = new Set<string>()
  const waiting: (() => void)[] = []
  const reach = (path: string, name: string): void => {
    const key = `${path} ${name}`
    if (reached.has(key)) return
    reached.add(key)
    waiting.push(() => {
      load(path)
      const origin = modules.get(path)?.imported.get(name)
      if (origin !== undefined) reach(origin.from, origin.name)
      for (const { words } of modules.get(path)?.declarations.get(name) ?? []) mention(path, words)
    })
  }
  const mention = (path: string, words: readonly string[]): void => {
    const module = modules.get(path)
    for (const word of words) {
      if (module?.declarations.has(word) || module?.imported.has(word)) reach(path, word)
    }
  }
  const load = (path: string): void => {
    const module = modules.get(path)
    if (module === undefined || loaded.has(path)) return
    loaded.add(path)
    mention(path, module.loose)
    for (const other of module.whole) reachAll(other)
  }
  const reachAll = (path: string): void => {
    load(path)
    for (const name of modules.get(path)?.declarations.keys() ?? []) reach(path, name)
  }
  for (const path of entries) reachAll(path)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) next()
  return reached
}

const DECLARATION =
  /^(?<exported>export\s+)?(?:default\s+|declare\s+|abstract\s+|async\s+)*(?:function\*?|const|let|class|interface|type)\s+(?:(?<name>[\w$]+)|[{[](?<names>[^}\]]*)[}\]]\s*=)/
const WORD = /(?<![\w$]|(?<!\.\.)\.)[A-Za-z_$][\w$]*/g

/** Splits a file at the statements that begin a line. */
function moduleOf(file: SourceFile): Module {
  const code = only(file.text, ['code'])
  const declarations: Declaration[] = []
  const loose: string[] = []
  for (const { index, 0: statement } of code.matchAll(/^[\w$@].*(?:\n(?![\w$@]).*)*/gm)) {
    if (/^import\b(?!\()/.test(statement)) continue
    const { exported, name, names = name ?? '' } = DECLARATION.exec(statement)?.groups ?? {}
    const words = [...new Set(statement.match(WORD))]
    if (names === '') loose.push(...words)
    const line = lineAt(code, index)
    for (const each of names.match(/[\w$]+/g) ?? []) {
      declarations.push({ name: each, exported: exported !== undefined, line, words })
    }
  }
  const imports = importsOf(file)
  return {
    declarations: Map.groupBy(declarations, ({ name }) => name),
    loose,
    imported: new Map(
      imports.flatMap(({ from, names = [] }) =>
        names.map(({ exported, local }) => [local, { from, name: exported }] as const),
      ),
    ),
    whole: imports.filter(({ names }) => names === undefined).map(({ from }) => from),
  }
}
