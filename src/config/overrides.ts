import type { z } from 'zod'
import type { Environment } from './environment.ts'
import type { Report } from './report.ts'
import { outsideSecret } from './secret.ts'
import type { serverSchema } from './schema.ts'
import { integer } from './values.ts'

/** Flags of the command line that overrule the file. */
export interface ConfigFlags {
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly databaseUrl?: string | undefined
  readonly adminToken?: string | undefined
  /** Path of the file. */
  readonly config?: string | undefined
}

interface Override {
  readonly flag: string
  readonly variable: string
}

/** By what the file is overruled. */
export const OVERRIDES = {
  host: { flag: '--host', variable: 'TOLLGATE_HOST' },
  port: { flag: '--port', variable: 'TOLLGATE_PORT' },
  databaseUrl: { flag: '--database-url', variable: 'TOLLGATE_DATABASE_URL' },
  adminToken: { flag: '--admin-token', variable: 'TOLLGATE_ADMIN_TOKEN' },
  config: { flag: '--config', variable: 'TOLLGATE_CONFIG' },
} as const satisfies Record<keyof ConfigFlags, Override>

/** The value of a flag or else of its variable, with the name to blame for it. An empty variable is unset. */
export function override(
  name: keyof ConfigFlags,
  flags: ConfigFlags,
  environment: Environment,
): { readonly value: string; readonly from: string } | undefined {
  const { flag, variable } = OVERRIDES[name]
  const given = flags[name]
  if (given !== undefined) return { value: given, from: flag }
  const inherited = environment[variable]
  return inherited === undefined || inherited === '' ? undefined : { value: inherited, from: variable }
}

type ServerEntry = z.output<typeof serverSchema>

/** The server's settings with flags and variables laid over them. */
export function overrideServer(
  entry: ServerEntry,
  flags: ConfigFlags,
  environment: Environment,
  report: Report,
): ServerEntry {
  const host = override('host', flags, environment)
  const port = override('port', flags, environment)
  const adminToken = override('adminToken', flags, environment)
  const result = { ...entry }
  if (host?.value === '') report.outside(host.from, 'must not be empty')
  else if (host) result.host = host.value
  if (adminToken) result.admin_token = outsideSecret(adminToken.from, adminToken.value, report)
  if (port) {
    const parsed = integer(0, 65_535).safeParse(port.value)
    if (parsed.success) result.port = parsed.data
    else report.outside(port.from, parsed.error.issues[0]?.message ?? 'is not a port')
  }
  return result
}
