import type { Admission, AdmissionVerdict } from '../../src/core/ports/till.ts'

const MINUTE = 60_000
const DAY = 86_400_000

interface Counted {
  opened: number
  count: number
}

/** Counts requests as docs/api.md#limits says, beside the store. Needs verdicts in the order of their commits. */
export interface WindowModel {
  take(admission: Admission, verdict: AdmissionVerdict): void
  /** Requests counted in the open minute of a workspace or key, or the day of a key. */
  countOf(name: string): Counted | undefined
}

export function createWindowModel(wrong: (what: string) => void): WindowModel {
  const windows = new Map<string, Counted>()

  function windowAt(name: string, at: number, length: number): Counted {
    const known = windows.get(name)
    if (known && at < known.opened + length) return known
    return { opened: length === DAY ? at - (at % DAY) : at, count: 0 }
  }

  return {
    countOf: (name) => windows.get(name),
    take({ at, workspaceId, keyId, limits, look }, verdict) {
      const all = [
        { name: `${workspaceId} minute`, length: MINUTE, limit: limits.workspacePerMinute },
        { name: `${keyId} minute`, length: MINUTE, limit: limits.keyPerMinute },
        { name: `${keyId} day`, length: DAY, limit: limits.keyPerDay },
      ].map((one) => ({ ...one, window: windowAt(one.name, at, one.length) }))
      const full = all.some(({ limit, window }) => limit !== null && window.count >= limit)
      if (verdict.kind === 'rate_limited') {
        if (!full && verdict.rate.name !== 'key_concurrency') {
          wrong(`${verdict.rate.name} refused although every window had room`)
        }
        return
      }
      if (full) wrong(`a request was let through a full window (${JSON.stringify(all)})`)
      if (look !== true) {
        for (const { name, window } of all)
          windows.set(name, { opened: window.opened, count: window.count + 1 })
      }
      const left = all.flatMap(({ limit, window }) => (limit === null ? [] : [limit - window.count - 1]))
      const least = Math.min(...left)
      if (verdict.rate.remaining !== least) {
        wrong(`X-RateLimit-Remaining says ${verdict.rate.remaining}, ${least} are left`)
      }
    },
  }
}
