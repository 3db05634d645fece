/** Something that wants to be called again and again. */
export interface Rider {
  /** @returns milliseconds until the next call; 0 or less: no more */
  turn(): number
}

const SLOTS = 1024
const TICK_MS = 1

/** One timer for thousands of streams: each rides in the slot of its own millisecond, so that they do not tick together. */
export class Wheel {
  readonly #slots: Set<Rider>[] = Array.from({ length: SLOTS }, () => new Set())
  #position = 0
  #startedAt = 0
  #riders = 0
  #timer: ReturnType<typeof setInterval> | undefined

  /** @param ms less than the wheel's round, about a second */
  add(rider: Rider, ms: number): void {
    if (this.#riders++ === 0) {
      this.#startedAt = performance.now() - this.#position * TICK_MS
      this.#timer = setInterval(() => this.#advance(), TICK_MS)
    }
    this.#slot(Math.max(1, Math.min(SLOTS - 1, Math.round(ms / TICK_MS)))).add(rider)
  }

  delete(rider: Rider): void {
    for (const slot of this.#slots) if (slot.delete(rider)) return this.#gone()
  }

  #slot(ahead: number): Set<Rider> {
    return this.#slots[(this.#position + ahead) % SLOTS] ?? new Set()
  }

  #gone(): void {
    if (--this.#riders === 0) clearInterval(this.#timer)
  }

  #advance(): void {
    const due = Math.floor((performance.now() - this.#startedAt) / TICK_MS)
    while (this.#position < due && this.#riders > 0) {
      this.#position++
      const slot = this.#slot(0)
      for (const rider of slot) {
        slot.delete(rider)
        const again = rider.turn()
        if (again > 0) this.#slot(Math.min(SLOTS - 1, Math.round(again))).add(rider)
        else this.#gone()
      }
    }
  }
}
