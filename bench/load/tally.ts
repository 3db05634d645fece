/** What a load has seen. Times in milliseconds, from the moment a call was intended to be sent. */
export class Tally {
  whole = 0
  failed = 0
  events = 0
  readonly latencies: number[] = []
  readonly lateness: number[] = []
  readonly firstEvents: number[] = []
  readonly gaps: number[] = []

  /** @param late how much later than intended the call was sent */
  answered(whole: boolean, latency: number, late: number): void {
    if (!whole) {
      this.failed++
      return
    }
    this.whole++
    this.latencies.push(latency)
    this.lateness.push(late)
  }

  firstEvent(after: number): void {
    this.firstEvents.push(after)
  }

  gap(length: number): void {
    this.gaps.push(length)
  }

  add(other: Tally): void {
    this.whole += other.whole
    this.failed += other.failed
    this.events += other.events
    for (const name of ['latencies', 'lateness', 'firstEvents', 'gaps'] as const) {
      for (const value of other[name]) this[name].push(value)
    }
  }
}

/** The value that a share of them stays below; undefined of none. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
