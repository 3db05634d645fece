import { ownFile } from '../../program.ts'
import { statSync } from 'node:fs'

/** How long after a commit the log is brought into the file. */
const CHECKPOINT_AFTER_MS = 500
/** A log that never got so long is left to SQLite itself: a command's few commits need no thread. */
const LOG_MIN_BYTES = 2 * 1024 * 1024
/** How long `close` waits for a checkpoint under way, and then for the thread to close its connection. */
const CLOSE_WAIT_MS = 10_000

export type CheckpointOrder =
  | { readonly kind: 'checkpoint'; readonly file: string }
  | { readonly kind: 'close' }
export type CheckpointAnswer = { readonly ok: true } | { readonly ok: false; readonly message: string }

/** Brings the write-ahead log into the database file in a thread of its own: its syncs would hold up every call. */
export interface Checkpoints {
  /** Something was committed. */
  committed(): void
  close(): Promise<void>
}

export interface CheckpointsOptions {
  readonly file: string
  /** Called with false when the thread takes over from SQLite, with true when it fails. */
  readonly letCommitsCheckpoint: (they: boolean) => void
  readonly warn: (sentence: string) => void
  /** Default: half a second. */
  readonly afterMs?: number
}

export function createCheckpoints({
  file,
  letCommitsCheckpoint,
  warn,
  afterMs = CHECKPOINT_AFTER_MS,
}: CheckpointsOptions): Checkpoints {
  let thread: Worker | undefined
  let answered: (answer: CheckpointAnswer) => void = () => undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let working: Promise<CheckpointAnswer> | undefined
  let again = false
  let commitsDoIt = true
  let closed = false

  function isLong(): boolean {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
    return log !== undefined && log.size >= LOG_MIN_BYTES
  }

  function start(): Worker {
    const started = new Worker(ownFile('src/store/sqlite/checkpointThread.ts'))
    started.addEventListener('message', ({ data }: MessageEvent<CheckpointAnswer>) => answered(data))
    started.addEventListener('error', ({ message }) => answered({ ok: false, message }))
    started.unref()
    decideWhoDoesIt(false)
    return started
  }

  /** One at a time. */
  function ask(order: CheckpointOrder): Promise<CheckpointAnswer> {
    thread ??= start()
    const { promise, resolve } = Promise.withResolvers<CheckpointAnswer>()
    answered = resolve
    thread.postMessage(order, { transfer: [] })
    return promise
  }

  /** From now on: while the thread fails, commits do what it should. */
  function decideWhoDoesIt(commits: boolean): void {
    if (commitsDoIt === commits) return
    commitsDoIt = commits
    letCommitsCheckpoint(commits)
  }

  async function checkpoint(): Promise<void> {
    timer = undefined
    again = false
    if (!thread && !isLong()) return
    working = ask({ kind: 'checkpoint', file })
    const answer = await working
    working = undefined
    if (closed) return
    if (!answer.ok && !commitsDoIt) {
      warn(`every call waits for checkpoints now, because the checkpoint thread failed: ${answer.message}`)
    }
    decideWhoDoesIt(!answer.ok)
    if (again) schedule()
  }

  function schedule(): void {
    timer = setTimeout(() => void checkpoint(), afterMs)
    timer.unref()
  }

  return {
    committed() {
      if (working) again = true
      else if (!timer && !closed) schedule()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      if (!thread) return
      await atMost(CLOSE_WAIT_MS, working)
      await atMost(CLOSE_WAIT_MS, ask({ kind: 'close' }))
      thread.terminate()
    },
  }
}

async function atMost(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}
