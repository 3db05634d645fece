import { posix } from 'node:path'

/** A source file as the rules see it: its path below `src/`, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

export interface Violation {
  readonly path: string
  readonly line: number
  readonly message: string
}

/** What each module may import, beside itself. `*`: everything. No module imports upward. */
export const ROOMS: Readonly<Record<string, readonly string[] | '*'>> = {
  core: [],
  wire: ['core'],
  providers: ['wire', 'core'],
  catalog: ['wire', 'core'],
  tokens: ['program.ts', 'core'],
  upstream: ['providers', 'wire', 'core'],
  // The demo provider is an outgoing HTTP client that answers by itself.
  demo: ['upstream', 'tokens', 'core'],
  pipeline: ['upstream', 'providers', 'catalog', 'wire', 'core'],
  store: ['program.ts', 'core'],
  jobs: ['core'],
  operations: ['core'],
  config: ['providers', 'catalog', 'wire', 'core'],
  observe: ['pipeline', 'upstream', 'core'],
  http: ['pipeline', 'operations', 'catalog', 'wire', 'program.ts', 'core'],
  'program.ts': [],
  'platform.ts': ['core'],
  gateway: '*',
  serve: ['gateway', 'platform.ts', 'config', 'operations', 'observe', 'upstream', 'core'],
  cli: ['config', 'operations', 'core'],
  'main.ts': '*',
}

const PURE_ROOMS: ReadonlySet<string> = new Set(['core', 'wire'])

/** What a pure room must not touch: platform modules, clock, randomness, I/O. */
const IMPURITIES: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  { pattern: /\bfrom ['"](?:node:|bun\b|bun:)/, name: 'a platform module' },
  { pattern: /\bBun\./, name: 'Bun' },
  { pattern: /\bprocess\./, name: 'process' },
  { pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/, name: 'the clock' },
  { pattern: /\bMath\.random\(|\bcrypto\./, name: 'randomness' },
  { pattern: /\bfetch\(|\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(/, name: 'I/O or timers' },
  { pattern: /\bconsole\./, name: 'the console' },
]

/** They see a model's facts, never its name: what a name says is guessed in `catalog/guessFacts.ts`. */
const NAMELESS_ROOMS: ReadonlySet<string> = new Set(['wire', 'upstream', 'pipeline'])
const MODEL_NAME =
  /\b(?:claude|sonnet|opus|haiku|gemini|gemma|gpt|grok|llama|qwen|kimi|deepseek|magistral)(?:\b|_)|\bo[134]-/i

/** `process.env` comes in through these only. */
const ENVIRONMENT_ROOMS: ReadonlySet<string> = new Set(['main.ts', 'cli', 'config', 'serve'])

/** The clock, chance and memory come from `platform.ts`; these have some of their own, for what happens within them. */
const MACHINE_ROOMS: ReadonlySet<string> = new Set(['platform.ts', 'store', 'config', 'cli'])
const MACHINE =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|\bcrypto\.|\brandomUUID\b|\bBun\.(?:sleep|gc|nanoseconds)/

/** Every import and every expression that the rules forbid, in order of path and line. Tests may have them. */
export function violationsOf(files: readonly SourceFile[]): Violation[] {
  return files.filter(({ path }) => !path.endsWith('.test.ts')).flatMap(violationsIn)
}

function violationsIn(file: SourceFile): Violation[] {
  const room = roomOf(file.path)
  const found: Violation[] = []
  const report = (line: number, message: string): void => void found.push({ path: file.path, line, message })
  const allowed = ROOMS[room]
  if (allowed === undefined) report(1, `"${room}" is no room of the house`)
  file.text.split('\n').forEach((text, index) => {
    const line = index + 1
    const imported = importedRoom(file.path, text)
    if (imported !== undefined && allowed !== '*' && imported !== room && !allowed?.includes(imported)) {
      report(line, `${room} may not import ${imported}`)
    }
    if (isComment(text)) return
    if (PURE_ROOMS.has(room)) {
      for (const { pattern, name } of IMPURITIES) {
        if (pattern.test(text)) report(line, `${room} is pure and may not touch ${name}`)
      }
    }
    if (NAMELESS_ROOMS.has(room) && MODEL_NAME.test(text)) report(line, `${room} may not name a model`)
    if (/\bprocess\.env\b/.test(text) && !ENVIRONMENT_ROOMS.has(room)) {
      report(line, `${room} may not read the environment`)
    }
    if (MACHINE.test(text) && !MACHINE_ROOMS.has(room)) {
      report(line, `${room} takes clock, chance and memory from platform.ts`)
    }
    if (/:\s*any\b|<any>|\bas any\b/.test(text)) report(line, 'any is not a type of ours')
    if (/\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}/.test(text)) report(line, 'a catch must not be empty')
  })
  return found
}

/** `core/answer/event.ts` → `core`; `main.ts` → `main.ts`. */
function roomOf(path: string): string {
  return path.split('/')[0] ?? path
}

/** The module that a line imports from, if it imports from `src` at all. */
function importedRoom(from: string, text: string): string | undefined {
  const match = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/.exec(text)
  if (!match?.[1]) return undefined
  const target = posix.normalize(posix.join(posix.dirname(from), match[1]))
  return target.startsWith('..') ? undefined : roomOf(target)
}

function isComment(text: string): boolean {
  return /^\s*(?:\/\/|\/?\*)/.test(text)
}
