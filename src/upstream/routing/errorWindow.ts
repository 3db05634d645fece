/** This share of failed calls is too many, once so many calls were made within the window. */
export const ERROR_RATE_TO_OPEN = 0.5
export const ERROR_RATE_CALLS_MIN = 20
export const ERROR_WINDOW_MS = 60_000

export interface CallCounts {
  readonly calls: number
  readonly failures: number
}

/** Counts over the current half of the window and the one before: constant memory, no timer. */
export class ErrorWindow {
  #half = 0
  #calls = 0
  #failures = 0
  #callsBefore = 0
  #failuresBefore = 0

  add(now: number, failed: boolean): void {
    this.#turn(now)
    this.#calls += 1
    if (failed) this.#failures += 1
  }

  /** A call that was counted as good turns out bad. */
  turnBad(now: number): void {
    this.#turn(now)
    this.#failures += 1
    // Its good beginning may lie before the window.
    if (this.#failures > this.#calls) this.#calls = this.#failures
  }

  counts(now: number): CallCounts {
    this.#turn(now)
    return { calls: this.#calls + this.#callsBefore, failures: this.#failures + this.#failuresBefore }
  }

  isBad(now: number): boolean {
    this.#turn(now)
    const calls = this.#calls + this.#callsBefore
    return (
      calls >= ERROR_RATE_CALLS_MIN && this.#failures + this.#failuresBefore >= calls * ERROR_RATE_TO_OPEN
    )
  }

  clear(): void {
    this.#calls = this.#failures = this.#callsBefore = this.#failuresBefore = 0
  }

  #turn(now: number): void {
    const current = Math.floor(now / (ERROR_WINDOW_MS / 2))
    if (current === this.#half) return
    const adjacent = current === this.#half + 1
    this.#callsBefore = adjacent ? this.#calls : 0
    this.#failuresBefore = adjacent ? this.#failures : 0
    this.#calls = 0
    this.#failures = 0
    this.#half = current
  }
}
