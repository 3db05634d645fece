/** Failures in a row, without a good call between them, that open a circuit. */
export const STRIKES_TO_OPEN = 5

/** What one workspace has part in of a streak. */
export interface Share {
  /** Its failures since its own last answer. */
  own: number
  /** Its failures in the run that they belong to. */
  count: number
  run: number
}

export function createShare(): Share {
  return { own: 0, count: 0, run: 0 }
}

/** Failures in a row of all workspaces together. An answer to any of them ends the run. */
export class Streak {
  #run = 1
  /** Of this run: failures of workspaces, how many workspaces they are, and failures that hold for everyone. */
  #count = 0
  #workspaces = 0
  #common = 0

  add(share: Share): void {
    if (share.run !== this.#run) {
      share.run = this.#run
      share.count = 0
      this.#workspaces += 1
    }
    share.count += 1
    this.#count += 1
  }

  /** A failure that no request can have caused. */
  addForEveryone(): void {
    this.#common += 1
  }

  end(): void {
    if (this.#count === 0 && this.#common === 0) return
    this.#run += 1
    this.#count = 0
    this.#workspaces = 0
    this.#common = 0
  }

  /** The workspace is not remembered any more: its failures no longer count against others. */
  forget(share: Share): void {
    this.#count -= this.countOf(share)
    if (share.run === this.#run) this.#workspaces -= 1
    share.run = 0
  }

  countOf(share: Share): number {
    return share.run === this.#run ? share.count : 0
  }

  isLongFor(share: Share): boolean {
    return share.own > 0 && share.own + this.#common >= STRIKES_TO_OPEN
  }

  /** One workspace alone does not make it long. */
  get isLongForEveryone(): boolean {
    if (this.#common >= STRIKES_TO_OPEN) return true
    return this.#workspaces > 1 && this.#count + this.#common >= STRIKES_TO_OPEN
  }
}
