import { unreachable } from '../../core/assert.ts'
import { GatewayError, refuse } from '../../core/error.ts'
import type { RequestId } from '../../core/id.ts'
import { type Door, sameText } from '../../operations/door/door.ts'
import type { Acting } from '../../operations/act.ts'

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="tollgate admin"' }

/** Lets an operator in: throws unless the request carries an admin token. */
export async function authorizeAdmin(
  request: Request,
  { address, requestId }: { readonly address: string | null; readonly requestId: RequestId },
  door: Door,
): Promise<Acting> {
  const entrance = await door.enter({ token: bearerToken(request), address, requestId })
  switch (entrance.kind) {
    case 'admitted':
      return { actor: entrance.actor, address, requestId }
    case 'missing': {
      const message = `The admin token is missing. Send it as "Authorization: Bearer <admin token>".${howToGetOne(entrance)}`
      throw new GatewayError(refuse('missing_api_key', message, { headers: CHALLENGE }))
    }
    case 'wrong': {
      const message = `The admin token is not valid: unknown or revoked.${howToGetOne(entrance)}`
      throw new GatewayError(refuse('invalid_api_key', message, { headers: CHALLENGE }))
    }
    case 'slowed': {
      const retryAfterSeconds = Math.ceil(entrance.waitMs / 1000)
      const message = `Too many wrong admin tokens came from your address. Try again in ${retryAfterSeconds} s.`
      throw new GatewayError(refuse('rate_limit_exceeded', message, { retryAfterSeconds }))
    }
    default:
      return unreachable(entrance)
  }
}

/** A new installation has none, and its operator may not know. */
function howToGetOne({ none }: { readonly none: boolean }): string {
  return none
    ? ' No admin token exists yet: create one with "tollgate token create NAME" on the machine of the gateway, or set TOLLGATE_ADMIN_TOKEN and restart.'
    : ''
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
