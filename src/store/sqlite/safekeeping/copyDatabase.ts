import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { migrate } from '../migrate.ts'
import { createPrivateFile } from '../privateFile.ts'
import { doInThread } from './longWork.ts'

/** How often the size of a copy under way is looked at. */
const LOOK_INTERVAL_MS = 200
/** No copy goes that long without a write. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000
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

/**
 * Removes copies of `file` that killed commands have left: those that were last written to a day before `finished`, by the
 * clock of the file system, and that this user may remove. Their processes cannot be asked for: a copy under way may be of
 * another machine.
 */
export function discardAbandoned(file: string, finished: string): void {
  const before = statSync(finished).ctimeMs - ABANDONED_AFTER_MS
  const prefix = `${basename(file)}.unfinished-`
  const newest = new Map<string, number>()
  for (const name of readdirSync(dirname(file))) {
    const id = name.startsWith(prefix) ? UNFINISHED.exec(name.slice(prefix.length))?.[1] : undefined
    const found =
      id === undefined ? undefined : lstatSync(join(dirname(file), name), { throwIfNoEntry: false })
    if (id === undefined || !found?.isFile()) continue
    newest.set(id, Math.max(newest.get(id) ?? 0, found.mtimeMs))
  }
  for (const [id, writtenAt] of newest) {
    if (writtenAt < before) discardIfAllowed(join(dirname(file), prefix + id))
  }
}

/** In a shared folder with the sticky bit, files of other users stay. */
function discardIfAllowed(file: string): void {
  try {
    discard(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EPERM' && code !== 'EACCES') throw error
  }
}

/** What is behind the prefix, as `unfinishedName` and SQLite write it. */
const UNFINISHED = /^([\da-f]{8})(?:-journal|-wal|-shm)?$/

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
