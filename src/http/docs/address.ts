/** A host name or an address, with a port or without. */
const HOST = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The headers that decide the address: a cache keeps a page for each of their values. */
export const ADDRESS_HEADERS = 'Host, X-Forwarded-Proto'

/**
 * The address by which the reader reached this server, so that samples can be pasted; undefined where `Host` is unusable.
 * @param viaProxy the request came from a trusted proxy, which knows the scheme
 */
export function addressOf({ headers }: Request, viaProxy: boolean): string | undefined {
  const host = headers.get('host')
  if (host === null || !HOST.test(host)) return undefined
  const scheme = viaProxy && headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http'
  return `${scheme}://${host.toLowerCase()}`
}
