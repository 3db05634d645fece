import { isLoopback } from '../config/adminToken.ts'
import type { Fetch } from './exchange.ts'

/** Where the runtime looks for a proxy at each call. */
const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [
  name,
  name.toUpperCase(),
])

/**
 * Calls an admin API, guarding its token: none of the variables of a developer's shell turns certificates off, and what
 * is for this machine goes to no proxy.
 *
 * @param environment the process's own: the runtime knows no other way to leave a proxy out
 */
export function createRemoteFetch(environment: Record<string, string | undefined>): Fetch {
  return (request) => {
    if (isLoopback(new URL(request.url).hostname)) {
      for (const name of PROXY_VARIABLES) delete environment[name]
    }
    // Else NODE_TLS_REJECT_UNAUTHORIZED=0 would be obeyed.
    return fetch(request, { tls: { rejectUnauthorized: true } })
  }
}

/** What to say before a token goes to this address; undefined: nobody on the way can read it. */
export function tokenWarning(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname, origin } = new URL(url)
  if (protocol !== 'http:' || isLoopback(hostname)) return undefined
  return `warning: the admin token goes to ${origin} unencrypted; others on the network can read it. Use https`
}
