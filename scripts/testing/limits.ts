/** How long a test, a file and a run may take before they are ended as hanging, in milliseconds. */
export interface Limits {
  readonly test: number
  readonly file: number
  readonly run: number
}

/** What a test file takes at most by itself that `test/times.json` does not name, in milliseconds. */
export const UNNAMED_BUDGET_MS = 3_000

const MINUTE_MS = 60_000

/** Every run but the long one. */
export const SHORT_LIMITS: Limits = { test: MINUTE_MS, file: 5 * MINUTE_MS, run: 15 * MINUTE_MS }

/** The full form of the simulation takes most of half an hour on one core. */
const FULL_LIMITS: Limits = { test: 40 * MINUTE_MS, file: 45 * MINUTE_MS, run: 75 * MINUTE_MS }

/** The long form. With a budget of minutes a slow machine may take three times as long, and some more to start and stop. */
export function longLimits(minutes: number | undefined): Limits {
  if (minutes === undefined) return FULL_LIMITS
  return {
    test: (3 * minutes + 2) * MINUTE_MS,
    file: (3 * minutes + 3) * MINUTE_MS,
    run: (3 * minutes + 6) * MINUTE_MS,
  }
}

/** `60 s`, `5 min` */
export function inWords(ms: number): string {
  return ms >= 2 * MINUTE_MS ? `${Math.round(ms / MINUTE_MS)} min` : `${Math.round(ms / 100) / 10} s`
}
