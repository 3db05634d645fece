import type { IdSource, RequestId } from '../../core/id.ts'
import { MINUTE_MS } from '../../core/limit.ts'
import type { Actor, AuditEntry, AuditLog } from '../../core/ports/audit.ts'
import { networkOf } from './guessPace.ts'

/** Places of which wrong tokens have an entry of their own, each minute; those of further ones share one. */
export const PLACES_PER_MINUTE = 10
/** The same of revoked tokens: whoever has one is not to hide behind those who guess. */
const REVOKED_PER_MINUTE = 50

/** Wrong admin tokens on their way to the audit log: no answer waits for it. */
export interface RefusedTokens {
  /** @param actor a token that was revoked, or unknown. Gives the entry when it is the first of its place and minute. */
  refused(visit: {
    actor: Actor
    address: string | null
    requestId: RequestId | null
  }): AuditEntry | undefined
  /** Stores what has come since the last time. Throws what the store threw: then it is tried again the next time. */
  flush(): Promise<void>
}

export interface RefusedTokensDeps {
  readonly audit: Pick<AuditLog, 'keepRefusedTokens'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly ids: Pick<IdSource, 'audit'>
}

interface Gathered {
  entry: AuditEntry
  stored: number
}

export function createRefusedTokens({ audit, now, ids }: RefusedTokensDeps): RefusedTokens {
  let minute = 0
  const current = new Map<string, Gathered>()
  /** How many of them are of revoked tokens. */
  let revoked = 0
  /** Of minutes that are over. Bounded: it is cleared by the next flush, and a store that is away lets nobody in. */
  let ended: Gathered[] = []

  function turn(at: number): void {
    const thisMinute = Math.floor(at / MINUTE_MS)
    if (thisMinute === minute) return
    minute = thisMinute
    ended = [...ended, ...current.values()].filter(isNews).slice(-ENDED_MAX)
    current.clear()
    revoked = 0
  }

  return {
    refused({ actor, address, requestId }) {
      const at = now()
      turn(at)
      const own = `${'id' in actor ? actor.id : ''} ${networkOf(address)}`
      const isRevoked = 'id' in actor
      const hasRoom = isRevoked ? revoked < REVOKED_PER_MINUTE : current.size - revoked < PLACES_PER_MINUTE
      const key = current.has(own) || hasRoom ? own : 'others'
      const known = current.get(key)
      if (known) {
        const one = key === 'others' || known.entry.address === address
        const seenAt = one ? known.entry.address : networkOf(address)
        known.entry = { ...known.entry, address: seenAt, count: known.entry.count + 1, lastAt: at }
        return undefined
      }
      const entry: AuditEntry = {
        id: ids.audit(),
        at,
        lastAt: at,
        count: 1,
        action: 'token.refuse',
        actor: key === own ? actor : { kind: 'unknown' },
        address: key === own ? address : null,
        requestId: key === own ? requestId : null,
        workspaceId: null,
        subject: key === own && isRevoked ? actor.id : null,
        changes: {},
      }
      current.set(key, { entry, stored: 0 })
      if (isRevoked && key === own) revoked++
      return entry
    },

    async flush() {
      turn(now())
      const news = [...ended, ...current.values()].filter(isNews)
      if (news.length === 0) return
      const entries = news.map(({ entry }) => entry)
      await audit.keepRefusedTokens(entries)
      for (const [index, gathered] of news.entries()) gathered.stored = entries[index]?.count ?? 0
      ended = ended.filter(isNews)
    },
  }
}

/** Entries that wait while the store is away, at most: the newest. */
const ENDED_MAX = 1_000

function isNews({ entry, stored }: Gathered): boolean {
  return entry.count !== stored
}
