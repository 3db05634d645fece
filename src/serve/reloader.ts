import type { LoadResult } from '../config/loadSettings.ts'
import type { Problem } from '../config/problem.ts'

export type Loaded = Extract<LoadResult, { ok: true }>

/** How often the configuration file is looked at. */
export const LOOK_INTERVAL_MS = 250
/** Files are written in several steps: a changed one is read once it has stayed the same for so long. */
export const QUIET_MS = 500
/** One that cannot be used may be half written, or gone until its successor takes its name: so long it is read again. */
export const PATIENCE_MS = 3_000

export interface ReloaderOptions {
  /** Anything that differs once the file has been written, replaced, removed or put back. Must not throw. */
  readonly look: () => Promise<string>
  readonly load: () => LoadResult
  /** Puts it in force. */
  readonly apply: (loaded: Loaded) => void
  /** Reports why the old one stays in force. */
  readonly refuse: (problems: readonly Problem[]) => void
  /** Milliseconds that only ever grow. */
  readonly monotonic: () => number
}

/** Puts a changed configuration in force, but none that is half written, emptied or gone. */
export interface Reloader {
  /** Looks at the file, and reads it when that is due. To be called every `LOOK_INTERVAL_MS`. */
  look(): Promise<void>
  /** Reads it although no change is to be seen. */
  ask(): Promise<void>
}

/** @param first what `look` gave when the configuration in force was read */
export function createReloader(options: ReloaderOptions, first: string): Reloader {
  const { load, apply, refuse, monotonic } = options
  let seen = first
  let sameSince = -Infinity
  let due = false
  let looking = false

  async function look(): Promise<void> {
    if (looking) return
    looking = true
    try {
      await lookOnce()
    } finally {
      looking = false
    }
  }

  async function lookOnce(): Promise<void> {
    const now = await options.look()
    if (now !== seen) {
      seen = now
      sameSince = monotonic()
      due = true
    }
    if (!due || monotonic() - sameSince < QUIET_MS) return
    // From here on it may be asked for anew.
    due = false
    const loaded = load()
    // Written while it was read: the next look finds the change.
    if ((await options.look()) !== seen) return
    if (loaded.ok) apply(loaded)
    else if (monotonic() - sameSince >= PATIENCE_MS) refuse(loaded.problems)
    else due = true
  }

  return {
    look,
    ask() {
      due = true
      return look()
    },
  }
}
