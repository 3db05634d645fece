import type { KeyId, RequestId } from '../core/id.ts'

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
  add(call: LiveCall): void
  delete(call: LiveCall): void
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
  const calls = new Set<LiveCall>()
  let waiting: (() => void)[] = []

  function each(visit: (call: LiveCall) => void): void {
    for (const call of calls) {
      try {
        visit(call)
      } catch (error) {
        reportError(error, call.id)
      }
    }
  }

  return {
    add(call) {
      calls.add(call)
    },
    delete(call) {
      calls.delete(call)
      if (calls.size > 0) return
      const resolves = waiting
      waiting = []
      for (const resolve of resolves) resolve()
    },
    ids: () => Array.from(calls, (call) => call.id),
    get size() {
      return calls.size
    },
    parallelOf(countersId) {
      let sum = 0
      for (const call of calls) if (call.countersId === countersId) sum += call.parallel
      return sum
    },
    tick: (now) => each((call) => call.tick(now)),
    stop: () => each((call) => call.stop()),
    idle() {
      if (calls.size === 0) return Promise.resolve()
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}
