import { statSync } from 'node:fs'

/** Which file a path names now: the same text as long as it is the same file. Undefined when it names none. */
export function fileIdentity(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev}:${file.ino}`
}
