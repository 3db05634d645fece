import type { Platform } from '../platform.ts'

/** Whether the gateway stops, and how long calls in flight may still go on. */
export interface Drain {
  /** New requests are refused. */
  readonly begun: boolean
  /** How long it takes at most, in milliseconds. */
  readonly limitMs: number
  begin(): DrainTime
  /** Ends the time, now or when it comes. */
  hurry(): void
}

/** The time of a stop that has begun. */
export interface DrainTime {
  /** Resolves when the time is over. */
  readonly over: Promise<void>
  /** Aborts with `end`. */
  readonly ended: AbortSignal
  /** Lets go of its timers, which would keep the process alive. */
  end(): void
}

/** @param limitMs how long it takes at most; read when it begins */
export function createDrain(limitMs: () => number, sleep: Platform['sleep']): Drain {
  let begun = false
  const hurried = Promise.withResolvers<void>()
  return {
    get begun() {
      return begun
    },
    get limitMs() {
      return limitMs()
    },
    begin() {
      begun = true
      const end = new AbortController()
      const over = Promise.race([sleep(limitMs(), end.signal), hurried.promise])
      return { over, ended: end.signal, end: () => end.abort() }
    },
    hurry: hurried.resolve,
  }
}
