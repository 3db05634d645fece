/** A clock that runs like the real one until a test takes it over. */
export interface WorldClock {
  readonly now: () => number
  /** Stands still at this moment from now on. */
  set(at: number | string): void
  advance(ms: number): void
}

export function createWorldClock(): WorldClock {
  let fixed: number | undefined
  const now = (): number => fixed ?? Date.now()
  return {
    now,
    set(at) {
      fixed = typeof at === 'number' ? at : Date.parse(at)
    },
    advance(ms) {
      fixed = now() + ms
    },
  }
}
