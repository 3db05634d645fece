import { open } from 'node:fs/promises'
import type { FileWriter, Io } from './deps.ts'

/** The terminal of this process. A reader that has left (`| head`) ends it quietly. */
export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0)
      throw error
    })
  }
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    drained: () =>
      new Promise((resolve) => {
        if (process.stdout.writableNeedDrain) process.stdout.once('drain', resolve)
        else resolve()
      }),
    errIsTty: process.stderr.isTTY,
    env: process.env,
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
