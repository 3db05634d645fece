import type { Logger } from 'pino'

/** How many proxies are named: anyone can send the header of one, from many addresses. */
export const NAMED_PROXIES_MAX = 20

/** Names each proxy once that forwards requests and is not trusted, with the line of configuration that trusts it. */
export function createUntrustedProxies(log: Pick<Logger, 'warn'>): (address: string) => void {
  const named = new Set<string>()
  return (address) => {
    if (named.has(address) || named.size >= NAMED_PROXIES_MAX) return
    named.add(address)
    log.warn(
      { address, if_it_is_your_proxy: `server: { trusted_proxies: ["${address}"] }` },
      'a proxy that is not trusted forwards requests: all its callers have its address',
    )
  }
}
