import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import type { CheckpointAnswer, CheckpointOrder } from './checkpoints.ts'
import { LOG_SIZE_MAX_BYTES } from './connection.ts'

declare const self: {
  addEventListener(type: 'message', listener: (event: { data: CheckpointOrder }) => void): void
  postMessage(answer: CheckpointAnswer, options: { transfer: [] }): void
}

/**
 * From this length on the log is begun anew: while calls go on, some of it is always too new to have been brought into
 * the file, and it would grow for ever. Writers wait meanwhile, for as long as the newest part takes.
 */
const RESTART_PAGES = 4_000
/** Before that, what came meanwhile is brought into the file as well, until it is little or the writers are too quick. */
const LITTLE_PAGES = 300
const ROUNDS_MAX = 4
/** How long beginning the log anew waits for those who still read in it. */
const READERS_WAIT_MS = 20

let db: Database | undefined

self.addEventListener('message', ({ data }) => {
  try {
    if (data.kind === 'checkpoint') checkpoint((db ??= open(data.file)), data.file)
    else db?.close()
    self.postMessage({ ok: true }, { transfer: [] })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    self.postMessage({ ok: false, message }, { transfer: [] })
  }
})

function open(file: string): Database {
  const opened = new Database(file, { create: false, readwrite: true })
  opened.run(`pragma busy_timeout = ${READERS_WAIT_MS}`)
  return opened
}

function checkpoint(db: Database, file: string): void {
  // Writers and readers go on beside a passive checkpoint.
  const passive = db.query<{ log: number; checkpointed: number }, []>('pragma wal_checkpoint(passive)')
  let before = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const result = passive.get()
    // Where somebody reads what is older than the newest, a backup say, the log cannot be begun anew.
    if (!result || result.log < RESTART_PAGES || result.checkpointed < result.log) return
    if (result.checkpointed - before < LITTLE_PAGES) break
    before = result.checkpointed
  }
  // What it grew to while nothing could be brought into the file, during a backup say, is not kept for ever.
  const isHuge = statSync(`${file}-wal`).size > LOG_SIZE_MAX_BYTES
  db.query(`pragma wal_checkpoint(${isHuge ? 'truncate' : 'restart'})`).get()
}
