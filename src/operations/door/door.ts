import { ADMIN_TOKEN_PREFIX, type IdSource, type RequestId } from '../../core/id.ts'
import type { AdminToken } from '../../core/ports/adminTokens.ts'
import type { Actor, AuditEntry } from '../../core/ports/audit.ts'
import type { Store } from '../../core/ports/store.ts'
import { RecentMap } from '../../core/recent.ts'
import { createGuessPace, networkOf } from './guessPace.ts'
import { createRefusedTokens } from './refusedTokens.ts'
import { createTokenUses } from './tokenUses.ts'

/** Tokens remembered at once, of those that were right from a place and of those that were wrong; the oldest goes first. */
const REMEMBERED_MAX = 1_000

/** A token of the store, by its form. */
const ADMIN_TOKEN = new RegExp(`^${ADMIN_TOKEN_PREFIX}[0-9A-Z]{52}$`)
/** Tokens of places that are slowed which are looked up at once: the store has other things to do. */
const LOOKED_UP_MAX = 16

/** For so long nobody asks again whether there is a token in the store, in milliseconds. */
const NONE_FOR_MS = 5_000

const CONFIGURATION: Actor = { kind: 'configuration' }

/** Somebody who wants to change something. */
export interface Visit {
  /** Undefined: there is none. */
  readonly token: string | undefined
  readonly address: string | null
  readonly requestId: RequestId
}

export type Entrance =
  | { readonly kind: 'admitted'; readonly actor: Actor }
  /** `none`: there is no admin token yet, in the configuration or in the store. */
  | { readonly kind: 'missing'; readonly none: boolean }
  | { readonly kind: 'wrong'; readonly none: boolean }
  /** The token was not looked at: too many wrong ones came from there. */
  | { readonly kind: 'slowed'; readonly waitMs: number }

/** Tells who comes with an admin token: the one of the configuration, or one that is kept in the store. */
export interface Door {
  /** Throws `StoreUnavailable`. */
  enter(visit: Visit): Promise<Entrance>
  /** Stores who was refused, and which tokens were used. */
  flush(): Promise<void>
}

export interface DoorDeps {
  readonly store: Pick<Store, 'adminTokens' | 'audit'>
  /** The token of the configuration in force; undefined: it has none. */
  readonly adminToken: () => string | undefined
  /** Whether so many guesses may find the token that their pace has to be slow. */
  readonly canBeGuessed: (token: string) => boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly ids: Pick<IdSource, 'audit'>
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: (secret: string) => string
  /** Hears of each token that is refused; `first` is its entry, where it is the first of its place and minute. */
  readonly onRefused: (first: AuditEntry | undefined) => void
  /** Hears of each token at its first use in an hour from an address. */
  readonly onUse: (actor: Actor, address: string | null) => void
}

export function createDoor(deps: DoorDeps): Door {
  const { store, now, hash } = deps
  const pace = createGuessPace(now)
  const refusedTokens = createRefusedTokens({ audit: store.audit, now, ids: deps.ids })
  const uses = createTokenUses({ tokens: store.adminTokens, now, onUse: deps.onUse })
  /**
   * Place and hash. A token that was right from a place is always looked at: whoever shares an address with somebody who
   * guesses is not locked out. A wrong one that comes again is no new guess, but a program with an old token.
   */
  const rightBefore = new RecentMap<string, true>(REMEMBERED_MAX)
  const wrongBefore = new RecentMap<string, true>(REMEMBERED_MAX)
  /** By hash: a burst of one right token is one guess. */
  const looking = new Map<string, Promise<AdminToken | undefined>>()
  /** Tokens are never deleted, so this becomes true once. */
  let hasTokens = false
  /** Until when it is known that there are none. */
  let noneUntil = 0
  /** Tokens looked up at this moment for places that are slowed. */
  let lookedUp = 0

  function configuredToken(): string | undefined {
    const token = deps.adminToken()
    return token === '' ? undefined : token
  }

  function isConfigured(secretHash: string): boolean {
    const configured = configuredToken()
    return configured !== undefined && sameText(secretHash, hash(configured))
  }

  function refused(visit: Visit, actor: Actor): void {
    const { address, requestId } = visit
    deps.onRefused(refusedTokens.refused({ actor, address, requestId }))
  }

  /** Asked at most once in `NONE_FOR_MS`: strangers ask, too. */
  async function thereIsNone(): Promise<boolean> {
    if (configuredToken() !== undefined || hasTokens) return false
    if (now() < noneUntil) return true
    noneUntil = now() + NONE_FOR_MS
    // A stranger is not to learn that the store is away.
    const page = await store.adminTokens.tokens({ limit: 1 }).catch(() => undefined)
    hasTokens = page !== undefined && page.items.length > 0
    return page?.items.length === 0
  }

  function find(secretHash: string): Promise<AdminToken | undefined> {
    const known = looking.get(secretHash)
    if (known) return known
    const found = store.adminTokens.find(secretHash).finally(() => looking.delete(secretHash))
    looking.set(secretHash, found)
    return found
  }

  /** A token of the store is 256 random bits: nobody finds one by trying, so the right one is never turned away. */
  async function findAllTheSame(token: string, secretHash: string): Promise<AdminToken | undefined> {
    if (!ADMIN_TOKEN.test(token) || lookedUp >= LOOKED_UP_MAX) return undefined
    lookedUp++
    try {
      return await find(secretHash)
    } finally {
      lookedUp--
    }
  }

  function admit(actor: Actor, { address }: Visit, seen: string): Entrance {
    rightBefore.set(seen, true)
    uses.used(actor, address)
    return { kind: 'admitted', actor }
  }

  return {
    async enter(visit) {
      const { token, address } = visit
      if (token === undefined) return { kind: 'missing', none: await thereIsNone() }
      const given = hash(token)
      const place = networkOf(address)
      const seen = `${place} ${given}`
      const isGuess = !rightBefore.has(seen) && !wrongBefore.has(seen) && !looking.has(given)
      const waitMs = isGuess ? pace.take(place) : 0
      if (waitMs > 0) {
        if (isConfigured(given) && !deps.canBeGuessed(token)) return admit(CONFIGURATION, visit, seen)
        const named = await findAllTheSame(token, given)
        if (named?.revokedAt === null) return admit(actorOf(named), visit, seen)
        refused(visit, actorOf(named))
        return { kind: 'slowed', waitMs }
      }
      if (isConfigured(given)) {
        if (isGuess) pace.giveBack(place)
        return admit(CONFIGURATION, visit, seen)
      }
      const found = token.startsWith(ADMIN_TOKEN_PREFIX)
        ? await find(given).catch((error: unknown) => {
            if (isGuess) pace.giveBack(place)
            throw error
          })
        : undefined
      if (found?.revokedAt === null) {
        if (isGuess) pace.giveBack(place)
        return admit(actorOf(found), visit, seen)
      }
      rightBefore.delete(seen)
      wrongBefore.set(seen, true)
      refused(visit, actorOf(found))
      return { kind: 'wrong', none: await thereIsNone() }
    },

    async flush() {
      await refusedTokens.flush()
      await uses.flush()
    },
  }
}

function actorOf(token: AdminToken | undefined): Actor {
  return token ? { kind: 'token', id: token.id, name: token.name } : { kind: 'unknown' }
}

/** Compares texts of equal length in constant time. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
