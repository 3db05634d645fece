/** A host name or an address, with a port or without. */
const HOST = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The address by which the reader reached this server, so that samples can be pasted; undefined where `Host` is unusable. */
export function addressOf({ headers }: Request): string | undefined {
  const host = headers.get('host')
  if (host === null || !HOST.test(host)) return undefined
  const scheme = headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http'
  return `${scheme}://${host}`
}
