/** Time that passes when the simulation says so. Timers obey a steady clock; the wall clock may jump beside it. */
export interface VirtualTime {
  /** The wall clock: milliseconds since the epoch. */
  readonly now: () => number
  /** Calls back once after so much time; returns the way to cancel. */
  after(ms: number, callback: () => void): () => void
  /** Resolves after so much time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Moves the wall clock alone, as a machine that slept or an operator does. */
  jump(ms: number): void
  /** Lets time pass; `settle` runs after each moment at which something was due. */
  pass(ms: number, settle: () => Promise<void>): Promise<void>
}

interface Timer {
  readonly at: number
  readonly callback: () => void
}

export function createVirtualTime(startsAt: number): VirtualTime {
  let steady = 0
  let offset = startsAt
  let timers: Timer[] = []

  function after(ms: number, callback: () => void): () => void {
    const timer = { at: steady + Math.max(0, ms), callback }
    const behind = timers.findIndex(({ at }) => at > timer.at)
    timers.splice(behind === -1 ? timers.length : behind, 0, timer)
    return () => {
      timers = timers.filter((other) => other !== timer)
    }
  }

  return {
    // Pauses may be fractions; clocks tell whole milliseconds.
    now: () => Math.floor(offset + steady),
    after,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const cancel = after(ms, done)
        signal?.addEventListener('abort', done, { once: true })
        function done(): void {
          cancel()
          signal?.removeEventListener('abort', done)
          resolve()
        }
      })
    },
    jump(ms) {
      offset += ms
    },
    async pass(ms, settle) {
      const until = steady + ms
      for (let due = timers[0]; due && due.at <= until; due = timers[0]) {
        timers.shift()
        steady = due.at
        due.callback()
        await settle()
      }
      steady = until
    },
  }
}
