import { isIP } from 'node:net'
import type { z } from 'zod'
import { bodyWeight } from '../core/bodyWeight.ts'
import { isLoopback, weaknessOf } from './adminToken.ts'
import type { Report } from './report.ts'
import type { serverSchema } from './schema.ts'
import type { ServerSettings } from './settings.ts'
import { quotedName } from './values.ts'

/** @param tokenFrom the flag or variable that gave the admin token; undefined: the file */
export function resolveServer(
  entry: z.output<typeof serverSchema>,
  tokenFrom: string | undefined,
  report: Report,
): ServerSettings {
  entry.cors_origins.forEach((origin, index) => {
    const mistake = originMistake(origin)
    if (mistake) report.problem(['server', 'cors_origins', index], mistake)
  })
  checkAdminToken(entry, tokenFrom, report)
  const weakness = entry.metrics_token === undefined ? undefined : weaknessOf(entry.metrics_token)
  if (weakness !== undefined) report.problem(['server', 'metrics_token'], weakness)
  entry.trusted_proxies.forEach((proxy, index) => {
    const mistake = addressMistake(proxy)
    if (mistake) report.problem(['server', 'trusted_proxies', index], mistake)
    else if (/\/0+$/.test(proxy))
      report.warning(
        ['server', 'trusted_proxies', index],
        'trusts every address: each caller can say which address it has',
      )
  })
  return {
    host: entry.host,
    port: entry.port,
    adminToken: entry.admin_token,
    metricsToken: entry.metrics_token,
    metricsAddress: resolveMetricsAddress(entry, report),
    trustedProxies: entry.trusted_proxies,
    corsOrigins: entry.cors_origins,
    maxBodyBytes: entry.max_body_bytes,
    bodiesInFlight: resolveBodiesInFlight(entry, report),
    answersInFlight: entry.answers_in_flight,
    shutdownDelayMs: entry.shutdown_delay ?? 0,
    drainMs: entry.drain,
  }
}

const PORT_MAX = 65_535

/** As many largest bodies in flight, of all callers, of one workspace and of one key, unless the file says otherwise. */
export const LARGEST_BODIES = { process: 8, workspace: 4, key: 2 }

function resolveBodiesInFlight(
  { max_body_bytes: largest, bodies_in_flight: given }: z.output<typeof serverSchema>,
  report: Report,
): ServerSettings['bodiesInFlight'] {
  const process = given?.process ?? LARGEST_BODIES.process * largest
  const key = given?.key ?? Math.min(process, LARGEST_BODIES.key * largest)
  const half = Math.floor((process * LARGEST_BODIES.workspace) / LARGEST_BODIES.process)
  const workspace = given?.workspace ?? Math.min(process, Math.max(half, key))
  const isLargestKnown = report.isRead(['server', 'max_body_bytes'])
  for (const [name, bytes] of Object.entries({ process, workspace, key })) {
    if (isLargestKnown && bytes < bodyWeight(largest))
      report.problem(
        ['server', 'bodies_in_flight', name],
        `must be at least ${bodyWeight(largest)} bytes, or no body of max_body_bytes would fit`,
      )
  }
  return { process, workspace, key }
}

/** Whoever guesses the token owns the till: where others can reach us that is a mistake, at home a warning. */
function checkAdminToken(
  { admin_token: token, host }: z.output<typeof serverSchema>,
  from: string | undefined,
  report: Report,
): void {
  const weakness = token === undefined ? undefined : weaknessOf(token)
  if (weakness === undefined) return
  const weight = isLoopback(host) ? 'warning' : 'problem'
  if (from === undefined) report[weight](['server', 'admin_token'], weakness)
  else report.outside(from, weakness, weight)
}

function resolveMetricsAddress(
  { metrics_address: address, host, port }: z.output<typeof serverSchema>,
  report: Report,
): ServerSettings['metricsAddress'] {
  if (address === undefined) return undefined
  const isOwnKnown = report.isRead(['server', 'host']) && report.isRead(['server', 'port'])
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(address) ?? []
  const found = { host: bracketed ?? plain ?? '', port: Number(digits) }
  if (digits === undefined || found.port > PORT_MAX) {
    report.problem(['server', 'metrics_address'], 'must be host and port, such as 127.0.0.1:9100')
  } else if (isOwnKnown && found.host === host && found.port === port && port !== 0) {
    report.problem(['server', 'metrics_address'], 'is the address of the gateway: name another port')
  }
  return found
}

function addressMistake(entry: string): string | undefined {
  const [address = '', prefix, ...more] = entry.split('/')
  const version = isIP(address)
  const bits = version === 6 ? 128 : 32
  const isSubnet = prefix !== undefined && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
  if (version !== 0 && more.length === 0 && (prefix === undefined || isSubnet)) return undefined
  return `must be an address such as 10.0.0.7, or a subnet such as 10.0.0.0/8, not ${quotedName(entry)}`
}

function originMistake(origin: string): string | undefined {
  if (origin === '*') return 'must name its origins: "*" would let every website use its visitors\' keys'
  const url = URL.parse(origin)
  if (url && /^https?:$/.test(url.protocol) && url.origin === origin) return undefined
  return `must be an origin such as https://app.example.com, not ${quotedName(origin)}`
}
