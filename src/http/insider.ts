import { BlockList, isIP } from 'node:net'

/** Who asks, as far as the connection and its headers tell. */
export interface Visitor {
  /** Of the other end of the connection; undefined where the runtime does not know it. */
  readonly address: string | undefined
  readonly headers: Headers
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** The headers by which a proxy shows that it passes on the request of another machine (docs/api.md#request-headers). */
const FORWARDED = ['forwarded', 'x-real-ip', 'via']
const FORWARDED_PREFIX = 'x-forwarded-'
/** So many trusted proxies may be behind each other. */
const CHAIN_MAX = 16

/**
 * Whether the request comes from this machine (docs/operations.md#health): over loopback, to a name of loopback, and
 * not passed on for another machine. A page from elsewhere whose name was made to lead here comes with that name.
 */
export function isInsider({ address, headers }: Visitor, trusted: BlockList): boolean {
  if (!isLoopbackName(headers.get('host'))) return false
  if (!isForwarded(headers)) return contains(LOOPBACK, address)
  if (!contains(trusted, address)) return false
  // Two ways to name a chain may name two: nobody is taken for this machine by one of them.
  return !headers.has('forwarded') && contains(LOOPBACK, lastBefore(headers, trusted))
}

/** The proxies in front of the gateway. */
export interface Proxies {
  /** Those that are believed when they name whom they forward for. */
  readonly trusted: () => BlockList
  /** Receives the address of each request that another proxy seems to have forwarded. */
  readonly onUntrusted: (address: string) => void
}

/** Where the request comes from: the other end of the connection, or whom a trusted proxy names; null: not known. */
export function callerAddress({ address, headers }: Visitor, proxies: Proxies): string | null {
  if (address === undefined) return null
  const plain = plainAddress(address)
  const trusted = proxies.trusted()
  if (!contains(trusted, address)) {
    if (headers.has('x-forwarded-for') || headers.has('x-real-ip')) proxies.onUntrusted(plain)
    return plain
  }
  const named = lastBefore(headers, trusted)
  return named === undefined ? plain : plainAddress(named)
}

/**
 * The last one before the trusted proxies, read from the right: each proxy adds the address that it saw, and a caller may
 * have written what is left of that. Undefined where it is not an address.
 */
function lastBefore(headers: Headers, trusted: BlockList): string | undefined {
  const named = headers.get('x-forwarded-for') ?? headers.get('x-real-ip')
  let found: string | undefined
  for (const entry of named?.split(',').slice(-CHAIN_MAX).toReversed() ?? []) {
    const address = withoutPort(entry.trim())
    if (isIP(address) === 0) return undefined
    found = address
    if (!contains(trusted, address)) return address
  }
  return found
}

/** Without the form that addresses of version 4 have on a socket of version 6. */
function plainAddress(address: string): string {
  const dotted = address.replace(/^::ffff:(?=\d+\.)/i, '')
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(dotted) ?? []
  if (high === undefined || low === undefined) return dotted
  const bits = [high, low].map((group) => Number.parseInt(group, 16))
  return bits.flatMap((group) => [group >> 8, group & 255]).join('.')
}

/** @param entries addresses, or subnets as `10.0.0.0/8` */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

function isForwarded(headers: Headers): boolean {
  if (FORWARDED.some((name) => headers.has(name))) return true
  for (const name of headers.keys()) if (name.startsWith(FORWARDED_PREFIX)) return true
  return false
}

/** Some proxies write the port, too: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(address: string): string {
  return (
    /^([\d.]+):\d{1,5}$/.exec(address)?.[1] ?? /^\[([^\]]+)\](?::\d{1,5})?$/.exec(address)?.[1] ?? address
  )
}

/** Whether the address is in the list, in whatever form; an unknown address is in none. */
export function contains(list: BlockList, address: string | undefined): boolean {
  if (address === undefined) return false
  const plain = plainAddress(address)
  const version = isIP(plain)
  return version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
}

/** @param host a name or an address, with or without a port */
export function isLoopbackName(host: string | null): boolean {
  if (host === null) return false
  if (isIP(host) !== 0) return contains(LOOPBACK, host)
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  if (isIP(name) !== 0) return contains(LOOPBACK, name)
  return name === 'localhost' || name.endsWith('.localhost')
}
