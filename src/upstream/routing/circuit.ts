import type { FailureKind } from '../../core/failure.ts'

/** How long an open circuit waits for its first probe; doubled after each probe that fails. */
export const OPEN_FIRST_MS = 10_000
export const OPEN_MAX_MS = 5 * 60_000

/** `half_open`: the wait is over, one call at a time may try. */
export type CircuitState = 'closed' | 'open' | 'half_open'

/**
 * One circuit, for everyone or for one workspace: a state machine over its openings, its probes and the time. Epochs are
 * numbers that only grow: a call has the epoch in which it began, and its outcome counts unless the circuit has changed since.
 */
export class Circuit {
  /** Of its last change. */
  #epoch: number
  #opened = false
  #probing = false
  #openedAt = 0
  #waitMs = 0
  #nextWaitMs = OPEN_FIRST_MS
  #reason: FailureKind = 'server'

  constructor(epoch: number) {
    this.#epoch = epoch
  }

  /** Open or half-open. */
  get opened(): boolean {
    return this.#opened
  }

  /** What it opened for. */
  get reason(): FailureKind {
    return this.#reason
  }

  isCurrent(epoch: number): boolean {
    return epoch >= this.#epoch
  }

  state(now: number): CircuitState {
    if (!this.#opened) return 'closed'
    return this.#probing || now >= this.#openedAt + this.#waitMs ? 'half_open' : 'open'
  }

  /** @param waits how many times its wait must be over */
  admits(now: number, waits = 1): boolean {
    return !this.#opened || (!this.#probing && now >= this.#openedAt + this.#waitMs * waits)
  }

  /** When the next call may be made; undefined: now. */
  retryAt(now: number, waits = 1): number | undefined {
    if (!this.#opened) return undefined
    // The probe under way may close the circuit any moment.
    if (this.#probing) return now
    const due = this.#openedAt + this.#waitMs * waits
    return now < due ? due : undefined
  }

  /** A call that begins in this epoch is its probe, and the only one. */
  probe(epoch: number): void {
    if (!this.#opened) return
    this.#probing = true
    this.#epoch = epoch
  }

  /** The call that began in this epoch ended without saying anything about the target. */
  release(epoch: number): void {
    if (epoch === this.#epoch) this.#probing = false
  }

  open(epoch: number, reason: FailureKind, now: number): void {
    this.#epoch = epoch
    this.#opened = true
    this.#probing = false
    this.#openedAt = now
    this.#waitMs = this.#nextWaitMs
    this.#nextWaitMs = Math.min(this.#nextWaitMs * 2, OPEN_MAX_MS)
    this.#reason = reason
  }

  close(epoch: number): void {
    this.#epoch = epoch
    this.#opened = false
    this.#probing = false
    this.#nextWaitMs = OPEN_FIRST_MS
  }
}
