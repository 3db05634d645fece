import { join } from 'node:path'
import { Glob } from 'bun'
import times from '../../test/times.json'

/** How long a test file takes that `test/times.json` does not name, in milliseconds, at most. */
const UNNAMED_MS = 4_000
const ALL_FOLDERS = ['src', 'scripts', 'test', 'bench']

/** The paths of the test files in these folders, or in all, from the root. */
export function testFiles(root: string, folders: readonly string[] = []): string[] {
  return (folders.length === 0 ? ALL_FOLDERS : folders).flatMap((folder) =>
    Array.from(new Glob('**/*.test.ts').scanSync(join(root, folder)), (path) => join(folder, path)),
  )
}

/** Writes what `bun test --timings` reads, so that the files that take longest begin first. Gives its path. */
export async function writeTimings(root: string, folder: string): Promise<string> {
  const named: Readonly<Record<string, number>> = times.files
  const files = Object.fromEntries(testFiles(root).map((path) => [path, named[path] ?? UNNAMED_MS]))
  const path = join(folder, 'timings.json')
  await Bun.write(path, JSON.stringify({ version: 1, files }))
  return path
}
