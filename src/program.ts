import { fileURLToPath } from 'node:url'
import packageJson from '../package.json' with { type: 'json' }

/** What `scripts/build.ts` writes into the one file; there is none where the sources themselves run. */
interface Build {
  /** The folder inside the file that holds what lies in the repository's root. */
  readonly root: string
  readonly commit: string | null
}
declare const TOLLGATE_BUILD: Build | undefined

const build = typeof TOLLGATE_BUILD === 'undefined' ? undefined : TOLLGATE_BUILD
const root = build?.root ?? new URL('../', import.meta.url).href

/** Tollgate's own version. */
export const version: string = packageJson.version

/** Git's name of the sources that the one file was built from; null: unknown, or the sources themselves run. */
export const commit: string | null = build?.commit ?? null

/** How this program is started again: the one file itself, or the script beside the sources. */
export const program: string = build ? process.execPath : fileURLToPath(new URL('bin/tollgate', root))

/**
 * A file or folder that belongs to the program, by its path in the repository. What is read so at run time (threads,
 * documents, the icon) has to be named in `scripts/build.ts` too.
 */
export function ownFile(path: string): URL {
  return new URL(path, root)
}
