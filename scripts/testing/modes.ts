import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unreachable } from '../../src/core/assert.ts'
import { budgetOf, testFiles } from './times.ts'
import { type Limits, SHORT_LIMITS, UNNAMED_BUDGET_MS, longLimits } from './limits.ts'

export const MODES = ['all', 'fast', 'changed', 'long', 'binary'] as const
export type Mode = (typeof MODES)[number]

/** What the test command is asked for. */
export interface Request {
  readonly mode: Mode
  /** The long form's budget; without it, everything. */
  readonly minutes: number | undefined
  readonly verbose: boolean
  readonly limits: Limits
  /** Of a file that `test/times.json` does not name, in milliseconds. */
  readonly fileBudgetMs: number
  /** Paths and options for `bun test`. */
  readonly rest: readonly string[]
}

/** Where the fast form and the long one look for tests. */
const FAST = ['src', 'scripts', 'test/contract', 'test/documents', 'test/house', 'test/support']
const LONG = ['test/simulation', 'test/long']
/** They check a copy of the whole project with the examples of CONTRIBUTING.md: the long form has them. */
const LONG_ONLY = ['test/documents/contributing.test.ts', 'test/documents/contributingChecks.test.ts']
/** They try what is delivered: the one file, which `npm run build` makes, and the package. */
const DELIVERY = 'test/delivery/'
/** What a test that starts the command imports. */
const STARTS_COMMAND = /support\/(?:processWorld|tollgateProcess|program)\.ts'/
/** The fast form leaves longer files to `npm test`. */
const FAST_FILE_MS = 5_000

/** The files that a mode runs where none is named; undefined where `bun test` finds them. */
export function filesOf(mode: Mode, root: string): readonly string[] | undefined {
  switch (mode) {
    case 'all':
      return testFiles(root).filter((file) => !LONG_ONLY.includes(file) && !file.startsWith(DELIVERY))
    case 'fast':
      return testFiles(root, FAST).filter(
        (file) => !LONG_ONLY.includes(file) && budgetOf(0)(file) <= FAST_FILE_MS,
      )
    case 'long':
      return [...LONG_ONLY, ...testFiles(root, LONG)]
    case 'binary':
      return testFiles(root, ['src', 'test/contract', 'test/journey', DELIVERY]).filter((file) =>
        STARTS_COMMAND.test(readFileSync(join(root, file), 'utf8')),
      )
    case 'changed':
      return undefined
    default:
      return unreachable(mode)
  }
}

export const USAGE = `npm test [-- OPTIONS] [PATH …]        everything, in its short form
npm run test:fast                     units, documents, the contract on SQLite, the rules about the source
npm run test:changed                  what the files touch that changed since main, else origin/main
npm run test:long [-- --minutes N]    simulations, kills and outages in full, or as much of them as fits;
                                      the examples of CONTRIBUTING.md
npm run test:binary                   every test that starts the command, against dist/tollgate (npm run build)

  PATH, -t NAME                       only these files, only tests of this name
  --verbose                           print what passes, too
  --test-limit S, --file-limit S, --run-limit S
                                      seconds until a test, a file, the run counts as hanging
  --file-budget S                     seconds that a file may take that test/times.json does not name
  --help                              this text`

const SECOND_MS = 1_000
const NUMBERS: ReadonlySet<string> = new Set(
  ['minutes', 'test-limit', 'file-limit', 'run-limit', 'file-budget'].map((name) => `--${name}`),
)

/** Throws an error for the person at the terminal when it is not understood. */
export function readRequest(given: readonly string[]): Request {
  const rest: string[] = []
  const flags = new Set<string>()
  const numbers = new Map<string, number>()
  for (let i = 0; i < given.length; i++) {
    const word = given[i] ?? ''
    const [flag = '', inline] = word.split('=', 2)
    if (['--fast', '--changed', '--long', '--binary', '--verbose'].includes(word)) flags.add(word)
    else if (NUMBERS.has(flag)) {
      const number = Number(inline ?? given[++i])
      if (!(number > 0)) throw new Error(`${flag} takes a number above 0`)
      numbers.set(flag, number)
    } else rest.push(word)
  }
  const modes = MODES.filter((mode) => flags.has(`--${mode}`))
  if (modes.length > 1) throw new Error(`--${modes.join(' and --')} exclude each other`)
  const mode = modes[0] ?? 'all'
  const minutes = numbers.get('--minutes')
  if (minutes !== undefined && mode !== 'long') throw new Error('--minutes goes with --long')
  const limits = mode === 'long' ? longLimits(minutes) : SHORT_LIMITS
  const asked = (flag: string, otherwise: number): number => {
    const seconds = numbers.get(flag)
    return seconds === undefined ? otherwise : seconds * SECOND_MS
  }
  const limit = (name: keyof Limits): number => asked(`--${name}-limit`, limits[name])
  return {
    mode,
    minutes,
    verbose: flags.has('--verbose'),
    limits: { test: limit('test'), file: limit('file'), run: limit('run') },
    fileBudgetMs: asked('--file-budget', UNNAMED_BUDGET_MS),
    rest,
  }
}
