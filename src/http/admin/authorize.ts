import { GatewayError, refuse } from '../../core/error.ts'

export interface AuthorizeDeps {
  readonly adminToken: () => string | undefined
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: (secret: string) => string
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="tollgate admin"' }

/** Lets the operator in: throws unless the request carries the admin token. */
export function authorizeAdmin(request: Request, deps: AuthorizeDeps): void {
  const expected = deps.adminToken()
  if (expected === undefined || expected === '') {
    throw unauthorized(
      'invalid_api_key',
      'The admin API is switched off because no admin token is set. Set TOLLGATE_ADMIN_TOKEN, or server.admin_token in tollgate.yaml, and start again.',
    )
  }
  const given = bearerToken(request)
  if (given === undefined) {
    throw unauthorized(
      'missing_api_key',
      'The admin token is missing. Send it as "Authorization: Bearer <admin token>".',
    )
  }
  if (!carriesToken(request, expected, deps.hash)) {
    throw unauthorized('invalid_api_key', 'The admin token is not valid.')
  }
}

/** The token of `Authorization: Bearer …`; undefined when there is none. */
export function bearerToken(request: Request): string | undefined {
  return /^bearer\s+(\S+)\s*$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

/** Whether the request carries this token. Hashes are compared: of equal lengths, so that the time tells nothing. */
export function carriesToken(request: Request, token: string, hash: (secret: string) => string): boolean {
  const given = bearerToken(request)
  return given !== undefined && sameText(hash(given), hash(token))
}

function unauthorized(code: 'missing_api_key' | 'invalid_api_key', message: string): GatewayError {
  return new GatewayError(refuse(code, message, { headers: CHALLENGE }))
}

/** Compares texts of equal length in constant time. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
