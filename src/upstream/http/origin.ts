import { isIP } from 'node:net'

/** Where connections lead to: what they may be shared by. */
export interface Origin {
  /** `https://api.example.com`: the key of a pool. */
  readonly key: string
  /** For DNS and the socket; an IPv6 address without brackets. */
  readonly hostname: string
  readonly port: number
  readonly secure: boolean
  /** The name that TLS asks for and that the certificate must bear; undefined for an address. */
  readonly serverName: string | undefined
}

/** To read a URL costs more than all else that is done with it; those of routes are used again and again. */
const origins = new WeakMap<URL, Origin>()

/** Reads the origin of an http or https URL; credentials in it are ignored. */
export function originOf(url: URL): Origin {
  let origin = origins.get(url)
  if (!origin) origins.set(url, (origin = readOrigin(url)))
  return origin
}

function readOrigin(url: URL): Origin {
  const secure = url.protocol === 'https:'
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  return {
    key: url.origin,
    hostname,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    secure,
    serverName: isIP(hostname) === 0 ? hostname : undefined,
  }
}
