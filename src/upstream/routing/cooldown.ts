import type { FailureKind } from '../../core/failure.ts'
import type { CoolingTime } from './effect.ts'

/** `last_choice`: usable when nothing better is there. */
export type Standing = 'ready' | 'last_choice' | 'parked'

/** The worse of two. */
export function worse(a: Standing, b: Standing): Standing {
  if (a === 'parked' || b === 'parked') return 'parked'
  return a === 'ready' ? b : a
}

/** Whether something is not to be used for a while: a state machine over coolings, successes and the time. */
export class Cooldown {
  #until = 0
  #firm = false
  #reason: FailureKind = 'server'
  /** Coolings in a row without a success. */
  #rounds = 0

  standing(now: number): Standing {
    if (now >= this.#until) return 'ready'
    return this.#firm ? 'parked' : 'last_choice'
  }

  /** The failure's kind that it was cooled for last. */
  get reason(): FailureKind {
    return this.#reason
  }

  /** When it is ready again; undefined: it is. */
  until(now: number): number | undefined {
    return now < this.#until ? this.#until : undefined
  }

  /** How long since it was ready again, in milliseconds; below 0: it is not yet. */
  overSince(now: number): number {
    return now - this.#until
  }

  cool(time: CoolingTime, reason: FailureKind, now: number): void {
    // Calls that were under way together fail together: that is one round, not many.
    const again = now < this.#until
    if (!again) this.#rounds += 1
    const ms = time.askedMs ?? Math.min(time.firstMs * 2 ** (this.#rounds - 1), time.maxMs)
    if (again && this.#firm && !time.firm) return
    this.#until = again && this.#firm === time.firm ? Math.max(this.#until, now + ms) : now + ms
    this.#firm = time.firm
    this.#reason = reason
  }

  /** It has proved good: the next cooling is the first again. */
  clear(): void {
    this.#until = 0
    this.#rounds = 0
  }
}
