import { regionOf, type CredentialSources } from './credentials.ts'
import { endpointMistake, endpointPathOf } from './endpointPath.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import type { ProviderEntry } from './schema.ts'
import { quotedName } from './values.ts'

/** The address with its places filled; names what is missing for them. */
export function resolveBaseUrl(
  address: string,
  entry: ProviderEntry,
  path: ConfigPath,
  sources: CredentialSources,
  report: Report,
): string | undefined {
  const region = regionOf(entry, sources)
  const values: Record<string, string | undefined> = {
    region,
    project: entry.project ?? (sources.environment.GOOGLE_CLOUD_PROJECT || undefined),
    location: entry.location ?? (sources.environment.GOOGLE_CLOUD_LOCATION || undefined),
    resource: entry.resource,
    deployment: entry.deployment,
  }
  let missing = false
  const filled = address.replaceAll(/\{([a-z]+)(-?)\}/g, (placeholder, key: string, dash: string) => {
    const value = values[key]
    if (value === undefined) {
      report.problem([...path, key], `is missing: the address ${quotedName(address)} needs it`)
      missing = true
      return placeholder
    }
    if (dash === '-') return value === 'global' ? '' : `${value}-`
    return encodeURIComponent(value)
  })
  if (missing) return undefined
  const url = URL.parse(filled)
  if (
    !url ||
    !/^(https?|demo):$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username
  ) {
    report.problem(
      [...path, 'base_url'],
      'must be an http or https URL without user, query and fragment, such as https://api.example.com/v1',
    )
    return undefined
  }
  const endpoint = entry.base_url === undefined ? undefined : endpointPathOf(address)
  if (endpoint !== undefined) {
    const written = report.redact(JSON.stringify(address)).slice(1, -1)
    report.problem([...path, 'base_url'], endpointMistake(endpoint, written))
    return undefined
  }
  return filled.replace(/\/+$/, '')
}

const LOCAL =
  /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*)$/

/** This machine or a private network. */
export function isLocal(hostname: string): boolean {
  return LOCAL.test(hostname) || !hostname.includes('.')
}
