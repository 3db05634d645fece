import { posix } from 'node:path'
import type { SourceFile } from './sourceFiles.ts'
import { only, segmentsOf } from './sourceText.ts'

/** What a file takes from another file of the repository. */
export interface Import {
  /** The path of the other file. */
  readonly from: string
  /** Each name here, and as the other file exports it. Undefined: any of its exports. */
  readonly names: readonly ImportedName[] | undefined
  /** The file is started as a thread: it is not a part of the program that starts it. */
  readonly thread: boolean
}

export interface ImportedName {
  readonly exported: string
  readonly local: string
}

const SPECIFIER = String.raw`['"](?<specifier>\.[^'"\n]+)['"]`
const CLAUSE = String.raw`\*(?:\s+as\s+\w+)?|\{(?<names>[^{}]*)\}|\w+`
const STATEMENT = String.raw`\b(?:import|export)\s+(?:type\s+)?(?:(?:${CLAUSE})\s*from\s*)?${SPECIFIER}`
const CALL = String.raw`(?:\{(?<names>[^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*${SPECIFIER}\s*\)`
/** A thread is started from its file. */
const THREAD = String.raw`\bnew URL\(\s*${SPECIFIER},\s*import\.meta\.url\)`
const PATTERNS = [STATEMENT, CALL, THREAD].map((pattern) => ({
  pattern: new RegExp(pattern, 'g'),
  thread: pattern === THREAD,
}))

/** Every relative import of a file, also of types. `export … from` is an import, and so is a thread. */
export function importsOf({ path, text }: SourceFile): Import[] {
  const segments = segmentsOf(text)
  const code = only(text, ['code'], segments)
  const withTexts = only(text, ['code', 'text'], segments)
  return PATTERNS.flatMap(({ pattern, thread }) =>
    [...withTexts.matchAll(pattern)]
      // A text that looks like an import is blank in the code.
      .filter(({ index }) => code[index] !== ' ')
      .map(({ groups }) => ({
        from: posix.normalize(posix.join(posix.dirname(path), groups?.specifier ?? '')),
        names: groups?.names === undefined ? undefined : namesIn(groups.names),
        thread,
      })),
  )
}

/** `a, type b as c` and `a, b: c`. */
function namesIn(list: string): ImportedName[] {
  return [...list.matchAll(/(?:\btype\s+)?(?<exported>[\w$]+)(?:\s*(?:as\s|:)\s*(?<local>[\w$]+))?/g)].map(
    ({ groups }) => ({ exported: groups?.exported ?? '', local: groups?.local ?? groups?.exported ?? '' }),
  )
}
