import type { KeyId, WorkspaceId } from '../../core/id.ts'
import type { Limits, LimitName, RateStatus } from '../../core/ports/till.ts'
import { RecentMap } from '../../core/recent.ts'
import type { Caller } from './caller.ts'

/** Callers remembered at once; the oldest goes first, and is then refused a little later: by the store. */
export const USED_UP_MAX = 10_000

/**
 * Which windows are known to be used up: a count never falls, so a caller's next request is refused
 * without reading its body and without asking the store. What is not known here the store knows.
 */
export interface UsedUpWindows {
  /** Hears where a caller's tightest window stands after a request. */
  learn(caller: Caller, rate: RateStatus): void
  /** The window that has no room for another request now; of two, the one that resets later. */
  find(caller: Caller, at: number): RateStatus | undefined
}

export function createUsedUpWindows(): UsedUpWindows {
  const known = new RecentMap<WorkspaceId | KeyId, RateStatus>(USED_UP_MAX)

  function lookUp(id: WorkspaceId | KeyId, limits: Limits, at: number): RateStatus | undefined {
    const rate = known.get(id)
    if (!rate) return undefined
    // A limit that was changed since makes another window of it.
    if (at < rate.resetAt && limitNamed(rate.name, limits) === rate.limit) return rate
    known.delete(id)
    return undefined
  }

  return {
    learn({ workspace, key }, rate) {
      // Calls at once end at any time; only windows stay used up.
      if (rate.remaining > 0 || rate.name === 'key_concurrency') return
      const id = rate.name === 'workspace_minute' ? workspace.id : key.countersId
      known.set(id, { ...rate, remaining: 0 })
    },
    find({ workspace, key, limits }, at) {
      if (known.size === 0) return undefined
      const ofWorkspace = lookUp(workspace.id, limits, at)
      const ofKey = lookUp(key.countersId, limits, at)
      if (!ofWorkspace || !ofKey) return ofWorkspace ?? ofKey
      return ofKey.resetAt > ofWorkspace.resetAt ? ofKey : ofWorkspace
    },
  }
}

function limitNamed(name: LimitName, limits: Limits): number | null {
  switch (name) {
    case 'workspace_minute':
      return limits.workspacePerMinute
    case 'key_minute':
      return limits.keyPerMinute
    case 'key_day':
      return limits.keyPerDay
    case 'key_concurrency':
      return limits.keyConcurrent
  }
}
