/** Samples that percentiles are taken from; older ones are overwritten. */
export const SAMPLES_MAX = 128
/** What was measured longer ago than this says nothing about now: the target counts as unmeasured. */
export const MEASURE_LIFE_MS = 5 * 60_000
/** How much the newest sample weighs in the typical value. */
const NEWEST_SHARE = 0.3

/** Measurements of one target, in milliseconds: a moving average to choose by, percentiles to look at. */
export interface Latency {
  record(ms: number, now: number): void
  /** The moving average; undefined when nothing was measured lately. */
  typical(now: number): number | undefined
  /** Of the samples of the last `MEASURE_LIFE_MS`; undefined when there are none. */
  percentiles(now: number): Percentiles | undefined
}

export interface Percentiles {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly samples: number
}

export function createLatency(): Latency {
  const samples = new Float64Array(SAMPLES_MAX)
  const times = new Float64Array(SAMPLES_MAX)
  let count = 0
  let average = 0
  let measuredAt = Number.NEGATIVE_INFINITY

  return {
    record(ms, now) {
      average = now - measuredAt > MEASURE_LIFE_MS ? ms : average + (ms - average) * NEWEST_SHARE
      measuredAt = now
      samples[count % SAMPLES_MAX] = ms
      times[count % SAMPLES_MAX] = now
      count += 1
    },
    typical: (now) => (now - measuredAt > MEASURE_LIFE_MS ? undefined : average),
    percentiles(now) {
      const fresh = samples
        .subarray(0, Math.min(count, SAMPLES_MAX))
        .filter((_, index) => now - (times[index] ?? 0) <= MEASURE_LIFE_MS)
        .toSorted()
      if (fresh.length === 0) return undefined
      const at = (share: number): number => fresh[Math.ceil(share * fresh.length) - 1] ?? 0
      return { p50: at(0.5), p90: at(0.9), p99: at(0.99), samples: fresh.length }
    },
  }
}
