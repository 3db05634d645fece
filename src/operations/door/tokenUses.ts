import type { AdminTokenId } from '../../core/id.ts'
import { MINUTE_MS } from '../../core/limit.ts'
import type { AdminTokens, TokenUse } from '../../core/ports/adminTokens.ts'

/** Tokens whose last use is remembered; the store has that of all. */
const TOKENS_MAX = 1_000

/** Notes when each token was used last, once a minute from one address. No answer waits for it. */
export interface TokenUses {
  used(use: TokenUse): void
  /** Throws what the store threw: then it is tried again the next time. */
  flush(): Promise<void>
}

export function createTokenUses(tokens: Pick<AdminTokens, 'used'>): TokenUses {
  const stored = new Map<AdminTokenId, TokenUse>()
  const news = new Map<AdminTokenId, TokenUse>()

  return {
    used(use) {
      const before = stored.get(use.id)
      if (before && before.address === use.address && use.at - before.at < MINUTE_MS) return
      if (news.size < TOKENS_MAX || news.has(use.id)) news.set(use.id, use)
    },
    async flush() {
      if (news.size === 0) return
      const uses = [...news.values()]
      await tokens.used(uses)
      for (const use of uses) {
        if (news.get(use.id) === use) news.delete(use.id)
        stored.delete(use.id)
        stored.set(use.id, use)
        const [oldest] = stored.keys()
        if (stored.size > TOKENS_MAX && oldest !== undefined) stored.delete(oldest)
      }
    },
  }
}
