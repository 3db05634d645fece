/** How often deadlines are looked at: a deadline is met up to two ticks late, never early. */
export const TICK_MS = 100
/** A process that was busy or stopped for longer than this has not waited: its own delay is not the peer's fault. */
const MAX_STEP_MS = 5 * TICK_MS

/** Something that must not last for ever. */
export interface Deadline {
  /** On the clock of `Deadlines`; `Infinity` while nothing is awaited. */
  expiresAt: number
  /** Called once `expiresAt` is past; sets a new `expiresAt` or takes itself out. */
  expire(): void
}

/**
 * One coarse timer for thousands of connections. Moving a deadline is one assignment, so a chunk of
 * a stream costs no timer; the price is one look at every connection per tick.
 */
export class Deadlines {
  readonly #members = new Set<Deadline>()
  readonly #monotonic: () => number
  #now = 0
  #lastTick = 0
  #timer: ReturnType<typeof setInterval> | undefined

  /** @param monotonic milliseconds that only ever grow */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  /** The moment that lies at least so many milliseconds ahead. */
  in(milliseconds: number): number {
    return this.#now + milliseconds + TICK_MS
  }

  /** Milliseconds on this clock, accurate to a tick. */
  get now(): number {
    return this.#now
  }

  add(deadline: Deadline): void {
    this.#members.add(deadline)
    if (this.#timer !== undefined) return
    this.#lastTick = this.#monotonic()
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
    this.#timer.unref()
  }

  delete(deadline: Deadline): void {
    this.#members.delete(deadline)
    if (this.#members.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    const real = this.#monotonic()
    this.#now += Math.min(real - this.#lastTick, MAX_STEP_MS)
    this.#lastTick = real
    for (const member of this.#members) if (member.expiresAt <= this.#now) member.expire()
  }
}
