import { GatewayError, refuse } from '../../core/error.ts'
import { KEY_PREFIX } from '../../core/id.ts'
import type { Directory, KeyWithWorkspace } from '../../core/ports/directory.ts'
import { RecentMap } from '../../core/recent.ts'
import { type Caller, limitsOf } from './caller.ts'
import type { Credentials } from './incoming.ts'

/** A key is looked up again after this long, so that a revocation in another process is seen within a second. */
export const KEY_CACHE_MS = 900
/** Keys remembered at once, unknown ones included; the oldest goes first. */
export const KEY_CACHE_ENTRIES_MAX = 10_000
/** A longer credential is no key of ours and is not even hashed. */
export const CREDENTIAL_LENGTH_MAX = 200

/** The first step reads only headers, so that the gateway never parses the body of a caller without a valid key. */
export interface Authenticator {
  /** Throws `missing_api_key` or `invalid_api_key`. */
  authenticate(credentials: Credentials): Promise<Caller>
  /** Forgets everything remembered: something about keys or workspaces has changed. */
  forget(): void
}

export interface AuthenticatorDeps {
  readonly directory: Directory
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: (secret: string) => string
}

interface Remembered {
  readonly found: Promise<KeyWithWorkspace | undefined>
  readonly until: number
  /** Built once per look-up, not per request. */
  caller: Caller | undefined
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const remembered = new RecentMap<string, Remembered>(KEY_CACHE_ENTRIES_MAX)

  function lookUp(secretHash: string): Remembered {
    const now = deps.now()
    const known = remembered.get(secretHash)
    if (known && now < known.until) return known
    const entry: Remembered = {
      found: deps.directory.findKey(secretHash),
      until: now + KEY_CACHE_MS,
      caller: undefined,
    }
    // A failed look-up is an outage, not an answer: the next request asks again.
    entry.found.catch(() => remembered.delete(secretHash))
    remembered.set(secretHash, entry)
    return entry
  }

  return {
    async authenticate(credentials) {
      const secret = secretOf(credentials)
      if (secret.length > CREDENTIAL_LENGTH_MAX) throw invalidKey()
      const entry = lookUp(deps.hash(secret))
      const found = await entry.found
      if (!found) throw invalidKey()
      const { key } = found
      const now = deps.now()
      // Whoever revoked it may have a clock that is ahead of ours.
      if (key.revokedAt !== null) throw invalidKey()
      if (key.expiresAt !== null && key.expiresAt <= now) throw invalidKey()
      entry.caller ??= { ...found, limits: limitsOf(found) }
      return entry.caller
    },
    forget: () => remembered.clear(),
  }
}

/** What nearly every request sends. */
const PLAIN_BEARER = /^bearer +(tg_[^\s,]+)$/i

/**
 * The one key in the two headers. Clients may send a credential of another kind beside it, and proxies may send a header
 * twice.
 */
function secretOf({ authorization, apiKey }: Credentials): string {
  const plain = apiKey === null ? PLAIN_BEARER.exec(authorization ?? '')?.[1] : undefined
  if (plain !== undefined) return plain
  const values = valuesOf(authorization)
  const sent = [...values.filter(hasScheme), ...valuesOf(apiKey)].map(withoutScheme)
  const withoutAny = values.filter((value) => !hasScheme(value))
  if (sent.length + withoutAny.length === 0) throw new GatewayError(MISSING)
  const keys = new Set([...sent, ...withoutAny].filter((value) => value.startsWith(KEY_PREFIX)))
  if (keys.size > 1) throw new GatewayError(TWO_KEYS)
  const [key] = keys
  // `Authorization` has to name its scheme.
  if (key === undefined || !sent.includes(key)) throw invalidKey()
  return key
}

/** The values of a header that was sent once or several times, but for a scheme without anything. */
function valuesOf(header: string | null): string[] {
  return (header ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '' && !/^bearer$/i.test(value))
}

const SCHEME = /^bearer\s+/i

function hasScheme(value: string): boolean {
  return SCHEME.test(value)
}

function withoutScheme(value: string): string {
  return value.replace(SCHEME, '')
}

const MISSING = refuse(
  'missing_api_key',
  'No API key was provided. Send it as "Authorization: Bearer tg_…" or as "x-api-key: tg_…".',
)

const TWO_KEYS = refuse(
  'invalid_api_key',
  'The headers "Authorization" and "x-api-key" have two different API keys. Send one.',
)

// One answer for unknown, revoked and expired keys: a stranger learns nothing about which keys exist.
function invalidKey(): GatewayError {
  return new GatewayError(refuse('invalid_api_key', 'The API key is not valid: unknown, revoked or expired.'))
}
