import { mkdirSync, realpathSync, rmSync, statSync, writeSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { FileWriter, Io } from './deps.ts'
import { OutputLost } from './outputLost.ts'

/** How long a write waits before it tries again on a pipe that takes nothing more at the moment. */
const FULL_PIPE_PAUSE_MS = 1

/** The terminal of this process. Writing to standard output throws `OutputLost` when it takes nothing more. */
export function processIo(): Io {
  return {
    out(text) {
      const failure = writeAll(process.stdout.fd, text)
      if (failure) throw outputLost(failure)
    },
    // Where messages cannot be written, there is nowhere to say so.
    err: (text) => void writeAll(process.stderr.fd, text),
    errIsTty: process.stderr.isTTY,
    env: process.env,
  }
}

/**
 * Writes synchronously: a slow reader slows the command down, and one that has left is noticed at the
 * next write. The runtime's streams do not always tell of either.
 */
function writeAll(descriptor: number, text: string): NodeJS.ErrnoException | undefined {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      const failure = error as NodeJS.ErrnoException
      if (failure.code !== 'EAGAIN') return failure
      Bun.sleepSync(FULL_PIPE_PAUSE_MS)
    }
  }
  return undefined
}

function outputLost(cause: NodeJS.ErrnoException): OutputLost {
  if (cause.code === 'EPIPE')
    return new OutputLost('the reader of the output has closed it', { readerLeft: true, cause })
  // "ENOSPC: no space left on device, write"
  const reason = /^\w+: (.+), \w+$/.exec(cause.message)?.[1] ?? cause.message
  return new OutputLost(`the output could not be written: ${reason}`, { cause })
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

export function removeFile(path: string): void {
  rmSync(path, { force: true })
}

export function createFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

/** Balances and ledgers are their owner's alone. */
const PRIVATE_FILE_MODE = 0o600

/**
 * A file that is written beside its place and put there by `finish`, readable by its owner only. Pipes and devices
 * (`/dev/stdout`) are written to as they are.
 */
export function openFile(path: string): FileWriter {
  const found = statSync(path, { throwIfNoEntry: false })
  const isFile = found?.isFile() ?? true
  // A link stays a link.
  const place = found ? realpathSync(path) : path
  const written = isFile ? `${place}.${process.pid}.part` : path
  let opened: Promise<FileHandle> | undefined
  let finished = false

  function opening(): Promise<FileHandle> {
    // What another process left under this name was not finished.
    return (opened ??= open(written, 'w', PRIVATE_FILE_MODE))
  }

  async function close(): Promise<void> {
    const file = await opened?.catch(() => undefined)
    await file?.close()
  }

  return {
    async write(text) {
      await (await opening()).writeFile(text)
    },
    async finish() {
      const file = await opening()
      if (isFile) {
        await file.chmod(PRIVATE_FILE_MODE)
        await file.sync()
      }
      await close()
      if (isFile) await rename(written, place)
      finished = true
    },
    async abandon() {
      if (finished) return
      await close()
      if (isFile) await rm(written, { force: true })
    },
  }
}
