import type { RequestId } from '../../core/id.ts'

/** For how long the database may refuse the settlements of several calls before no further call is admitted. */
export const REFUSED_LIMIT_MS = 10_000
/** One alone may be refused for what is in it. */
const CALLS_MIN = 2

/** What the database does with settlements: one that it refuses while it takes others is set aside, several stop admissions. */
export interface RefusedSettlements {
  /** `first`: of this call. `setAside`: others were taken meanwhile, for longer than the limit; once for each call. */
  refused(id: RequestId, at: number): { readonly first: boolean; readonly setAside: boolean }
  taken(id: RequestId): void
  givenUp(id: RequestId): void
  /** The database has taken no settlement for longer than the limit, though it was asked until now. */
  stuck(at: number): boolean
}

interface Refused {
  readonly since: number
  /** How many settlements had been taken before. */
  readonly after: number
  setAside: boolean
}

export function createRefusedSettlements(): RefusedSettlements {
  const calls = new Map<RequestId, Refused>()
  let taken = 0
  /** Refused since the last that was taken. */
  let row: { readonly since: number; readonly ids: Set<RequestId>; lastAt: number } | undefined

  return {
    refused(id, at) {
      const known = calls.get(id)
      const call = known ?? { since: at, after: taken, setAside: false }
      if (!known) calls.set(id, call)
      if (call.after === taken) {
        row ??= { since: at, ids: new Set(), lastAt: at }
        if (row.ids.size < CALLS_MIN) row.ids.add(id)
        row.lastAt = at
      }
      const setAside = !call.setAside && call.after < taken && at - call.since > REFUSED_LIMIT_MS
      if (setAside) call.setAside = true
      return { first: !known, setAside }
    },
    taken(id) {
      calls.delete(id)
      taken += 1
      row = undefined
    },
    givenUp: (id) => void calls.delete(id),
    stuck: (at) =>
      row !== undefined &&
      row.ids.size >= CALLS_MIN &&
      at - row.since > REFUSED_LIMIT_MS &&
      at - row.lastAt <= REFUSED_LIMIT_MS,
  }
}
