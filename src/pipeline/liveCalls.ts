import type { KeyId, RequestId } from '../core/id.ts'
import { Roster, type Seat } from '../core/roster.ts'

/** A call under way, as its keepers see it. */
export interface LiveCall {
  readonly id: RequestId
  /** Whose concurrent calls are counted: the `countersId` of its key. */
  readonly countersId: KeyId
  /** How many calls to providers it makes at the same time now. */
  parallel: number
  /** Called about once a second while the call lives, with milliseconds since the epoch. */
  tick(now: number): void
  /** The process ends: the call is settled as soon as it can be, and its caller hears why. */
  stop(): void
}

/** Every call that owns a hold: what the lease job renews, what the heartbeat visits, what a drain waits for. */
export interface LiveCalls {
  add(call: LiveCall): Seat<LiveCall>
  /** @param seat what `add` gave for it */
  delete(seat: Seat<LiveCall>): void
  ids(): RequestId[]
  readonly size: number
  /** How many calls to providers those of a key make at the same time now, in this process. */
  parallelOf(countersId: KeyId): number
  tick(now: number): void
  /** Stops every call that is there now. */
  stop(): void
  /** Resolves when no call is left. */
  idle(): Promise<void>
}

/** @param reportError receives what a call throws: the other calls are visited all the same */
export function createLiveCalls(reportError: (error: unknown, id: RequestId) => void): LiveCalls {
  const calls = new Roster<LiveCall>()
  let waiting: (() => void)[] = []

  function each(visit: (call: LiveCall) => void): void {
    for (const call of calls.members()) {
      try {
        visit(call)
      } catch (error) {
        reportError(error, call.id)
      }
    }
  }

  return {
    add: (call) => calls.add(call),
    delete(seat) {
      calls.remove(seat)
      if (calls.size > 0) return
      const resolves = waiting
      waiting = []
      for (const resolve of resolves) resolve()
    },
    ids: () => calls.members().map(({ id }) => id),
    get size() {
      return calls.size
    },
    parallelOf: (countersId) => calls.sum((call) => (call.countersId === countersId ? call.parallel : 0)),
    tick: (now) => each((call) => call.tick(now)),
    stop: () => each((call) => call.stop()),
    idle() {
      if (calls.size === 0) return Promise.resolve()
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}
