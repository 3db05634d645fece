import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { migrate } from '../migrate.ts'
import { createPrivateFile } from '../privateFile.ts'
import { doInThread } from './longWork.ts'

/** How often the size of a copy under way is looked at. */
const LOOK_INTERVAL_MS = 200
/** Of the name of a copy that is not finished. */
const SUFFIX_CHARACTERS = 8

/** A name beside `file` for a copy that becomes `file` when it is finished: in the same folder, so by one rename. */
export function unfinishedName(file: string): string {
  return `${file}.unfinished-${randomUUID().slice(0, SUFFIX_CHARACTERS)}`
}

/** Copies a database of one moment into a new file that only its owner can read. */
export async function copyDatabase(
  from: string,
  to: string,
  options: {
    /** Nobody else uses `from`, and nothing is to be written into it. */
    readonly readonly: boolean
    readonly progress: (bytes: number, total: number) => void
  },
): Promise<void> {
  createPrivateFile(to)
  const total = sizeOf(from) + sizeOf(`${from}-wal`)
  const look = setInterval(() => options.progress(sizeOf(to), total), LOOK_INTERVAL_MS)
  try {
    const answer = await doInThread({ kind: 'copy', from, to, readonly: options.readonly })
    if (!answer.ok) throw new SafekeepingRefused(`${from} cannot be copied: ${answer.message}`)
  } finally {
    clearInterval(look)
  }
}

/** Brings the schema of a copy up to date. */
export function updateCopy(file: string, at: number): void {
  const db = new Database(file, { create: false, readwrite: true })
  try {
    migrate(db, at)
  } finally {
    db.close()
  }
}

/** Brings a file, or the names in a folder, to the disk. */
export function syncToDisk(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** After it a rename or a new name in the folder of `file` outlives a power failure. */
export function syncFolderOf(file: string): void {
  syncToDisk(dirname(file))
}

/** Removes a copy that did not become anything, and what SQLite may have left beside it. */
export function discard(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true })
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
