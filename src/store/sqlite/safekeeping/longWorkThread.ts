import { Database, SQLiteError } from 'bun:sqlite'
import { sqliteWords } from '../sqliteWords.ts'
import type { LongWork, LongWorkAnswer } from './longWork.ts'

declare const self: {
  addEventListener(type: 'message', listener: (event: { data: LongWork }) => void): void
  postMessage(answer: LongWorkAnswer, options: { transfer: [] }): void
}

/** How long another process's lock is waited for: a reader needs one only while the file is being opened. */
const BUSY_WAIT_MS = 5_000

self.addEventListener('message', ({ data }) => {
  self.postMessage(answerTo(data), { transfer: [] })
})

function answerTo(work: LongWork): LongWorkAnswer {
  try {
    return { ok: true, mistakes: work.kind === 'copy' ? copy(work) : check(work.file) }
  } catch (error) {
    if (error instanceof SQLiteError) return { ok: false, message: sqliteWords(error) }
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * One read transaction: writers go on meanwhile, and the log grows by what they write, since a checkpoint cannot pass
 * a reader. The next checkpoint after it cuts the log back.
 */
function copy({ from, to, readonly }: Extract<LongWork, { kind: 'copy' }>): string[] {
  const db = open(from, readonly)
  try {
    db.run('vacuum into ?', [to])
    return []
  } finally {
    db.close()
  }
}

function check(file: string): string[] {
  const db = open(file, true)
  try {
    const found = db.query<{ integrity_check: string }, []>('pragma integrity_check').all()
    return found.map((row) => row.integrity_check).filter((mistake) => mistake !== 'ok')
  } finally {
    db.close()
  }
}

function open(file: string, readonly: boolean): Database {
  const db = new Database(file, readonly ? { readonly } : { create: false, readwrite: true })
  db.run(`pragma busy_timeout = ${BUSY_WAIT_MS}`)
  return db
}
