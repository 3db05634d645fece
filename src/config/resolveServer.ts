import type { z } from 'zod'
import { bodyWeight } from '../core/bodyWeight.ts'
import { isLoopback, weaknessOf } from './adminToken.ts'
import type { Report } from './report.ts'
import type { serverSchema } from './schema.ts'
import type { ServerSettings } from './settings.ts'

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
  return {
    host: entry.host,
    port: entry.port,
    adminToken: entry.admin_token,
    corsOrigins: entry.cors_origins,
    maxBodyBytes: entry.max_body_bytes,
    bodiesInFlight: resolveBodiesInFlight(entry, report),
    drainMs: entry.drain,
  }
}

/** As many largest bodies in flight, of all callers and of one key, unless the file says otherwise. */
const LARGEST_BODIES = { process: 8, key: 2 }

function resolveBodiesInFlight(
  { max_body_bytes: largest, bodies_in_flight: given }: z.output<typeof serverSchema>,
  report: Report,
): ServerSettings['bodiesInFlight'] {
  const process = given?.process ?? LARGEST_BODIES.process * largest
  const key = given?.key ?? Math.min(process, LARGEST_BODIES.key * largest)
  for (const [name, bytes] of Object.entries({ process, key })) {
    if (bytes < bodyWeight(largest))
      report.problem(
        ['server', 'bodies_in_flight', name],
        `must be at least ${bodyWeight(largest)} bytes: a body of max_body_bytes could never be taken`,
      )
  }
  return { process, key }
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

function originMistake(origin: string): string | undefined {
  if (origin === '*') return 'must name its origins: "*" would let every website use its visitors\' keys'
  const url = URL.parse(origin)
  if (url && /^https?:$/.test(url.protocol) && url.origin === origin) return undefined
  return `must be an origin such as https://app.example.com, not ${JSON.stringify(origin)}`
}
