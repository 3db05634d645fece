import { writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileWriter, Io } from './deps.ts'

/** How long a write waits before it tries again on a pipe that takes nothing more at the moment. */
const FULL_PIPE_PAUSE_MS = 1

/** The terminal of this process. A reader that has left (`| head`) ends it quietly. */
export function processIo(): Io {
  return {
    out: (text) => writeAll(process.stdout.fd, text),
    err: (text) => writeAll(process.stderr.fd, text),
    errIsTty: process.stderr.isTTY,
    env: process.env,
  }
}

/**
 * Writes synchronously: a slow reader slows the command down, and one that has left is noticed at the
 * next write. The runtime's streams do not always tell of either.
 */
function writeAll(descriptor: number, text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPIPE') process.exit(0)
      if (code !== 'EAGAIN') throw error
      Bun.sleepSync(FULL_PIPE_PAUSE_MS)
    }
  }
}

/** A file that is created, or emptied, with the first write. */
export function openFile(path: string): FileWriter {
  let opened: ReturnType<typeof open> | undefined
  return {
    async write(text) {
      const file = await (opened ??= open(path, 'w'))
      await file.writeFile(text)
    },
    async close() {
      const file = await opened?.catch(() => undefined)
      await file?.close()
    },
  }
}
