import type { AdminTokenId } from '../../core/id.ts'
import { HOUR_MS, MINUTE_MS } from '../../core/limit.ts'
import type { AdminTokens, TokenUse } from '../../core/ports/adminTokens.ts'
import type { Actor } from '../../core/ports/audit.ts'
import { RecentMap } from '../../core/recent.ts'

/** Tokens, and pairs of token and address, whose last use is remembered; the store has that of all tokens. */
const REMEMBERED_MAX = 1_000

/** Notes when each token was used last, once a minute from one address. No answer waits for it. */
export interface TokenUses {
  used(actor: Actor, address: string | null): void
  /** Throws what the store threw: then it is tried again the next time. */
  flush(): Promise<void>
}

export interface TokenUsesDeps {
  readonly tokens: Pick<AdminTokens, 'used'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Hears of a token, the one of the configuration too, at its first use in an hour from an address. */
  readonly onUse: (actor: Actor, address: string | null) => void
}

export function createTokenUses({ tokens, now, onUse }: TokenUsesDeps): TokenUses {
  const stored = new RecentMap<AdminTokenId, TokenUse>(REMEMBERED_MAX)
  const news = new Map<AdminTokenId, TokenUse>()
  /** When each was told of, by token and address. */
  const told = new RecentMap<string, number>(REMEMBERED_MAX)

  function tell(actor: Actor, address: string | null, at: number): void {
    const who = `${'id' in actor ? actor.id : actor.kind} ${address}`
    if (at - (told.get(who) ?? -Infinity) < HOUR_MS) return
    told.set(who, at)
    onUse(actor, address)
  }

  return {
    used(actor, address) {
      const at = now()
      tell(actor, address, at)
      if (actor.kind !== 'token') return
      const { id } = actor
      const before = stored.get(id)
      if (before && before.address === address && at - before.at < MINUTE_MS) return
      if (news.size < REMEMBERED_MAX || news.has(id)) news.set(id, { id, at, address })
    },
    async flush() {
      if (news.size === 0) return
      const uses = [...news.values()]
      await tokens.used(uses)
      for (const use of uses) {
        if (news.get(use.id) === use) news.delete(use.id)
        stored.set(use.id, use)
      }
    },
  }
}
