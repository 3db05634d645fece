import { Glob } from 'bun'
import { readFileSync } from 'node:fs'

export interface SourceFile {
  /** Below `src/`. */
  readonly path: string
  readonly text: string
}

/** The source without its tests. */
export function sourceFiles(pattern = '**/*.ts'): readonly SourceFile[] {
  const root = new URL('../../src/', import.meta.url).pathname
  return [...new Glob(pattern).scanSync(root)]
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }))
}

/** What the first group of a pattern finds anywhere in these files. */
export function findAll(files: readonly SourceFile[], pattern: RegExp): Set<string> {
  return new Set(files.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, found = '']) => found)))
}
