import { createSign } from 'node:crypto'
import { UpstreamError } from '../../core/failure.ts'
import { failureCode } from '../../core/failureCode.ts'
import { isJsonObject, parseJson } from '../../core/json.ts'
import { RecentMap } from '../../core/recent.ts'
import type { Credential } from '../../providers/configured.ts'

/** Google's token endpoint: a signed assertion for an access token (RFC 7523). */
export const GOOGLE_TOKEN_URL = new URL('https://oauth2.googleapis.com/token')
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ASSERTION_LIFE_S = 3600
const MS_PER_SECOND = 1000
/** A token is renewed this long before it expires, so that none expires on its way. */
const RENEWAL_MARGIN_MS = 60_000
/** More service accounts than this are no configuration; the oldest entry goes. */
const ACCOUNTS_MAX = 100

export type GoogleCredential = Extract<Credential, { kind: 'google-service-account' }>

/** Posts a form to a token endpoint. Rejects with `UpstreamError` when there is no answer. */
export type FetchToken = (url: URL, form: string) => Promise<{ status: number; body: string }>

export interface GoogleTokens {
  /** The token in hand, or a promise of the next one; all who ask meanwhile share it. */
  token(credential: GoogleCredential): string | Promise<string>
}

interface Account {
  token?: { readonly value: string; readonly renewAt: number }
  fetching?: Promise<string>
}

/**
 * Access tokens of Google service accounts.
 * @param deps.tokenUrl default: Google's own endpoint
 */
export function createGoogleTokens(deps: {
  now: () => number
  fetchToken: FetchToken
  tokenUrl?: URL
}): GoogleTokens {
  const { now, fetchToken, tokenUrl = GOOGLE_TOKEN_URL } = deps
  const accounts = new RecentMap<string, Account>(ACCOUNTS_MAX)

  return {
    token(credential) {
      const account = accountOf(credential)
      if (account.token && now() < account.token.renewAt) return account.token.value
      account.fetching ??= fetchInto(account, credential).finally(() => {
        delete account.fetching
      })
      return account.fetching
    },
  }

  function accountOf(credential: GoogleCredential): Account {
    const key = `${credential.clientEmail}\n${credential.privateKey}`
    const known = accounts.get(key)
    if (known) return known
    const account: Account = {}
    accounts.set(key, account)
    return account
  }

  async function fetchInto(account: Account, credential: GoogleCredential): Promise<string> {
    const askedAt = now()
    const form = new URLSearchParams({ grant_type: GRANT_TYPE, assertion: assertionFor(credential, askedAt) })
    const { status, body } = await fetchToken(tokenUrl, form.toString())
    const { value, lifeMs } = readToken(status, body)
    account.token = { value, renewAt: askedAt + lifeMs - RENEWAL_MARGIN_MS }
    return value
  }

  function assertionFor(credential: GoogleCredential, at: number): string {
    const issuedAt = Math.floor(at / MS_PER_SECOND)
    const claims = {
      iss: credential.clientEmail,
      scope: SCOPE,
      aud: tokenUrl.href,
      iat: issuedAt,
      exp: issuedAt + ASSERTION_LIFE_S,
    }
    const unsigned = `${base64Url({ alg: 'RS256', typ: 'JWT' })}.${base64Url(claims)}`
    return `${unsigned}.${signature(unsigned, credential)}`
  }
}

/** Environment variables often hold the key's line ends as `\n`. */
function signature(text: string, credential: GoogleCredential): string {
  const key = credential.privateKey.replaceAll(String.raw`\n`, '\n')
  try {
    return createSign('RSA-SHA256').update(text).sign(key, 'base64url')
  } catch (cause) {
    throw new UpstreamError(
      { kind: 'credential', detail: `the private key of ${credential.name} cannot sign` },
      { cause },
    )
  }
}

function readToken(status: number, body: string): { value: string; lifeMs: number } {
  const answer = parseJson(body)
  if (status !== 200) {
    // Google says what is wrong with an assertion by 400 and 401; anything else is its own trouble.
    const kind = status >= 400 && status < 500 && status !== 429 ? 'credential' : 'server'
    const error = isJsonObject(answer) ? answer['error'] : undefined
    const code = failureCode(error)
    throw new UpstreamError({
      kind,
      status,
      ...(code !== undefined && { code }),
      detail: `token request: ${typeof error === 'string' ? error : status}`,
    })
  }
  const value = isJsonObject(answer) ? answer['access_token'] : undefined
  const life = isJsonObject(answer) ? answer['expires_in'] : undefined
  if (typeof value !== 'string' || value === '' || typeof life !== 'number' || !(life > 0)) {
    throw new UpstreamError({
      kind: 'invalid_answer',
      status,
      detail: 'token request: no token in the answer',
    })
  }
  return { value, lifeMs: life * MS_PER_SECOND }
}

function base64Url(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url')
}
