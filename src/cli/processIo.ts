import { statSync, writeSync } from 'node:fs'
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

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Balances and ledgers are their owner's alone. */
const PRIVATE_FILE_MODE = 0o600

/** Opens for writing what was there or a new file, and takes it from all others. Pipes and devices stay as they are. */
async function openPrivately(path: string): ReturnType<typeof open> {
  const file = await open(path, 'w', PRIVATE_FILE_MODE)
  try {
    if ((await file.stat()).isFile()) await file.chmod(PRIVATE_FILE_MODE)
  } catch (error) {
    await file.close()
    throw error
  }
  return file
}

/** A file that is created, or emptied, with the first write; readable by its owner only. */
export function openFile(path: string): FileWriter {
  let opened: ReturnType<typeof openPrivately> | undefined
  return {
    async write(text) {
      const file = await (opened ??= openPrivately(path))
      await file.writeFile(text)
    },
    async close() {
      const file = await opened?.catch(() => undefined)
      await file?.close()
    },
  }
}
