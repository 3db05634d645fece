import type { Platform } from '../platform.ts'

/** Whether the gateway stops, and how long calls in flight may still go on. */
export interface Drain {
  /** `/readyz` says that the gateway stops, so that balancers send no more calls. */
  readonly announced: boolean
  /** New requests are refused. */
  readonly begun: boolean
  /** How long both take at most, in milliseconds. */
  readonly limitMs: number
  /** Announces the stop. Resolves after the delay, when new requests are refused. */
  begin(): Promise<DrainTime>
  /** Ends delay and drain, now or when they come. */
  hurry(): void
}

/** The time that calls have after new ones are refused. */
export interface DrainTime {
  /** Resolves when the time is over. */
  readonly over: Promise<void>
  /** Aborts with `end`. */
  readonly ended: AbortSignal
  /** Lets go of its timers, which would keep the process alive. */
  end(): void
}

/** In milliseconds. */
export interface DrainTimes {
  /** How long new requests are still taken. */
  readonly shutdownDelayMs: number
  /** How long calls in flight go on after that. */
  readonly drainMs: number
}

/** @param times read when it begins */
export function createDrain(times: () => DrainTimes, sleep: Platform['sleep']): Drain {
  let announced = false
  let begun = false
  const hurried = Promise.withResolvers<void>()

  /** @returns the time as a promise, which ends sooner where it is hurried, and what lets go of its timer */
  function timeOf(ms: number) {
    const end = new AbortController()
    return { over: Promise.race([sleep(ms, end.signal), hurried.promise]), end }
  }

  return {
    get announced() {
      return announced
    },
    get begun() {
      return begun
    },
    get limitMs() {
      const { shutdownDelayMs, drainMs } = times()
      return shutdownDelayMs + drainMs
    },
    async begin() {
      const { shutdownDelayMs, drainMs } = times()
      announced = true
      if (shutdownDelayMs > 0) {
        const delay = timeOf(shutdownDelayMs)
        await delay.over
        delay.end.abort()
      }
      begun = true
      const { over, end } = timeOf(drainMs)
      return { over, ended: end.signal, end: () => end.abort() }
    },
    hurry: hurried.resolve,
  }
}
