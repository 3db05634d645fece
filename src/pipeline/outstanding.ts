import type { RequestId } from '../core/id.ts'
import type { Settlement } from '../core/ports/till.ts'

/** A settlement that the store has not taken yet. */
export interface OutstandingSettlement {
  readonly settlement: Settlement
  /** An attempt got no answer: it may have been committed. */
  readonly inDoubt: boolean
}

/** The settlements that wait for a store that is away: what a stop waits for, and gives up in the end. */
export interface OutstandingSettlements {
  /** Also when it is known already: the latest of a call is the one that counts. */
  add(outstanding: OutstandingSettlement): void
  delete(id: RequestId): void
  /** Resolves when none is left. */
  idle(): Promise<void>
  /** Aborts when nobody tries any longer. */
  readonly givenUp: AbortSignal
  /** Ends the attempts; those that fail from now on stay in `list`. */
  giveUp(): void
  list(): readonly OutstandingSettlement[]
}

export function createOutstandingSettlements(): OutstandingSettlements {
  const open = new Map<RequestId, OutstandingSettlement>()
  const end = new AbortController()
  let waiting: (() => void)[] = []
  return {
    add(outstanding) {
      open.set(outstanding.settlement.id, outstanding)
    },
    delete(id) {
      if (!open.delete(id) || open.size > 0) return
      const resolves = waiting
      waiting = []
      for (const resolve of resolves) resolve()
    },
    idle() {
      if (open.size === 0) return Promise.resolve()
      return new Promise((resolve) => waiting.push(resolve))
    },
    givenUp: end.signal,
    giveUp: () => end.abort(),
    list: () => [...open.values()],
  }
}
