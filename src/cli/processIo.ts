import { open } from 'node:fs/promises'
import type { FileWriter, Io } from './deps.ts'

/** The terminal of this process. A reader that has left (`| head`) ends it quietly. */
export function processIo(): Io {
  process.stdout.on('error', leave)
  process.stderr.on('error', leave)
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    drained: () =>
      new Promise((resolve) => {
        process.stdout.write('', (error) => (error ? leave(error) : resolve()))
      }),
    errIsTty: process.stderr.isTTY,
    env: process.env,
  }
}

function leave(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
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
