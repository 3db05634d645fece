import type { RequestId } from '../../core/id.ts'
import { Roster } from '../../core/roster.ts'
import { OutcomeUnknown, type Settlement } from '../../core/ports/till.ts'
import { type RefusedSettlements, createRefusedSettlements } from './refusedSettlements.ts'

/** A settlement that the store has not taken yet. */
export interface OutstandingSettlement {
  readonly settlement: Settlement
  /** An attempt got no answer: it may have been committed. */
  readonly inDoubt: boolean
  /** The database answers, and refuses it: waiting for it is probably in vain. */
  readonly refused: boolean
}

/** The settlements that wait for a store that is away: what a stop waits for, and gives up in the end. */
export interface OutstandingSettlements {
  /** Also when it is known already: the latest of a call is the one that counts. */
  add(outstanding: OutstandingSettlement): void
  delete(id: RequestId): void
  readonly refusals: RefusedSettlements
  /** Resolves when none is left but such that the database refuses. */
  idle(): Promise<void>
  /** The same as the attempt, but that it rejects with `OutcomeUnknown` when it is abandoned. */
  attempt<Result>(attempt: Promise<Result>): Promise<Result>
  /** Aborts when no attempt is made any longer. */
  readonly givenUp: AbortSignal
  /**
   * Ends the repetitions; what fails from now on stays in `list`. Attempts under way have the time limit to end, and are
   * abandoned then. Gives whether there was anything to give up.
   */
  giveUp(limit: Promise<unknown>): Promise<boolean>
  list(): readonly OutstandingSettlement[]
}

export function createOutstandingSettlements(): OutstandingSettlements {
  const open = new Map<RequestId, OutstandingSettlement>()
  const end = new AbortController()
  let waiting: (() => void)[] = []
  const underWay = new Roster<(reason: OutcomeUnknown) => void>()
  let lastEnded = () => {}

  const isIdle = (): boolean => open.size === 0 || [...open.values()].every(({ refused }) => refused)

  function resolveIdle(): void {
    if (waiting.length === 0 || !isIdle()) return
    const resolves = waiting
    waiting = []
    for (const resolve of resolves) resolve()
  }

  return {
    add(outstanding) {
      open.set(outstanding.settlement.id, outstanding)
      if (outstanding.refused) resolveIdle()
    },
    refusals: createRefusedSettlements(),
    delete(id) {
      if (open.delete(id)) resolveIdle()
    },
    idle() {
      if (isIdle()) return Promise.resolve()
      return new Promise((resolve) => waiting.push(resolve))
    },
    attempt<Result>(attempt: Promise<Result>): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        const seat = underWay.add(reject)
        function ended(): void {
          underWay.remove(seat)
          if (underWay.size === 0) lastEnded()
        }
        attempt.then(
          (result) => {
            ended()
            resolve(result)
          },
          (error: unknown) => {
            ended()
            reject(error)
          },
        )
      })
    },
    givenUp: end.signal,
    async giveUp(limit) {
      const isAny = open.size > 0 || underWay.size > 0
      end.abort()
      if (underWay.size > 0)
        await Promise.race([new Promise<void>((resolve) => (lastEnded = resolve)), limit])
      for (const abandon of underWay.members())
        abandon(new OutcomeUnknown('the process ends, and the store has not answered'))
      return isAny
    },
    list: () => [...open.values()],
  }
}
