import { Glob } from 'bun'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** A source file: its path in the repository, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Every TypeScript file of these folders, in the order of their paths. */
export function sourceFiles(...folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) => [...new Glob(`${folder}/**/*.ts`).scanSync(ROOT)])
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}
