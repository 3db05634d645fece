import { existsSync, readFileSync } from 'node:fs'

/** Reads a text file for `loadSettings`: undefined when there is none. Throws when it cannot be read. */
export function readFileIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
