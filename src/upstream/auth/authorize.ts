import { unreachable } from '../../core/assert.ts'
import { UpstreamError } from '../../core/failure.ts'
import type { Credential } from '../../providers/configured.ts'
import type { Auth } from '../../wire/auth.ts'
import { createGoogleTokens, type FetchToken } from './googleTokens.ts'
import { createAwsSigner } from './signAws.ts'
import type { UnsignedRequest } from './unsignedRequest.ts'

export interface AuthorizeDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Sends a token request; needed for Google service accounts only. */
  readonly fetchToken: FetchToken
}

type Headers = UnsignedRequest['headers']

/**
 * The request's headers with what proves who we are. A promise only where a signature or a token takes
 * time. Throws (or rejects with) `UpstreamError` of kind `credential` when the credential is missing or
 * of another kind than the provider wants.
 */
export type AuthorizeRequest = (
  auth: Auth,
  credential: Credential | undefined,
  request: UnsignedRequest,
) => Headers | Promise<Headers>

/** Owns the caches of signing keys and tokens; make one for the whole process. */
export function createAuthorizer(deps: AuthorizeDeps): AuthorizeRequest {
  const googleTokens = createGoogleTokens(deps)
  const signAws = createAwsSigner(deps.now)
  const written = new WeakMap<Headers, WeakMap<Credential, { auth: Auth; headers: Headers }>>()

  /** Headers with a key; frozen ones are the same for many calls, and are written once for each credential. */
  function withKey(
    auth: Extract<Auth, { kind: 'bearer' | 'header' }>,
    credential: Credential | undefined,
    headers: Headers,
  ): Headers {
    if (credential === undefined || !Object.isFrozen(headers)) return addKey(auth, credential, headers)
    let known = written.get(headers)
    if (!known) written.set(headers, (known = new WeakMap()))
    const last = known.get(credential)
    if (last?.auth === auth) return last.headers
    const made = Object.freeze(addKey(auth, credential, headers))
    known.set(credential, { auth, headers: made })
    return made
  }

  return (auth, credential, request) => {
    const { headers } = request
    switch (auth.kind) {
      case 'none':
        return headers
      case 'bearer':
      case 'header':
        return withKey(auth, credential, headers)
      case 'sigv4':
        return credential?.kind === 'aws'
          ? signAws(request, credential, auth.service)
          : bearer(headers, keyOf(credential))
      case 'google-oauth': {
        if (credential?.kind !== 'google-service-account') return bearer(headers, keyOf(credential))
        const token = googleTokens.token(credential)
        return typeof token === 'string'
          ? bearer(headers, token)
          : token.then((fetched) => bearer(headers, fetched))
      }
      default:
        return unreachable(auth)
    }
  }
}

function addKey(
  auth: Extract<Auth, { kind: 'bearer' | 'header' }>,
  credential: Credential | undefined,
  headers: Headers,
): Headers {
  const key = keyOf(credential)
  return auth.kind === 'bearer' ? bearer(headers, key) : { ...headers, [auth.name.toLowerCase()]: key }
}

function bearer(headers: Headers, key: string): Headers {
  return { ...headers, authorization: `Bearer ${key}` }
}

function keyOf(credential: Credential | undefined): string {
  if (credential?.kind === 'key') return credential.key
  const problem =
    credential === undefined ? 'no credential is configured' : `${credential.name} is not an API key`
  throw new UpstreamError({ kind: 'credential', detail: problem })
}
