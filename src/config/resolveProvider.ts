import { unreachable } from '../core/assert.ts'
import type { ConfiguredProvider } from '../providers/configured.ts'
import { knownProvider, PROVIDERS } from '../providers/index.ts'
import type { Auth, Provider } from '../providers/provider.ts'
import type { WireFormatId, WireQuirks } from '../wire/wire.ts'
import { regionOf, resolveCredentials, type CredentialSources } from './credentials.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import type { ProviderEntry } from './schema.ts'
import { didYouMean } from './values.ts'

/** A provider of the file: its row where it has one, with what the file says laid over it. */
export function resolveProvider(
  name: string,
  entry: ProviderEntry,
  sources: CredentialSources,
  report: Report,
): ConfiguredProvider | undefined {
  const path: ConfigPath = ['providers', name]
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name))
    report.problem(path, 'must be named in lowercase letters, digits, ".", "_" and "-"')
  const row = knownProvider(entry.like ?? name)
  if (row === undefined && entry.like !== undefined) {
    const known = PROVIDERS.map((provider) => provider.id)
    report.problem(
      [...path, 'like'],
      `names no known provider: ${JSON.stringify(entry.like)}${didYouMean(entry.like, known)}`,
    )
    return undefined
  }
  const wire = entry.wire ?? row?.wire
  const address = entry.base_url ?? row?.baseUrl
  const guess = row === undefined && wire === undefined && address === undefined ? guessAtRow(name) : ''
  if (guess !== '') {
    report.misnamed(path, `is no known provider${guess}: it needs wire and base_url`)
    return undefined
  }
  if (wire === undefined) report.problem([...path, 'wire'], 'is missing')
  if (address === undefined) report.problem([...path, 'base_url'], 'is missing')
  if (wire === undefined || address === undefined) return undefined

  const baseUrl = resolveBaseUrl(address, entry, path, sources, report)
  const { auth, credentials } = resolveCredentials(
    name,
    entry,
    authOf(entry, row, wire),
    row,
    sources,
    path,
    report,
  )
  if (baseUrl === undefined) return undefined
  if (baseUrl.startsWith('http:') && credentials.length > 0 && !isLocal(new URL(baseUrl).hostname))
    report.warning([...path, 'base_url'], 'sends the key unencrypted: use https')

  const provider: Provider = {
    id: row?.id ?? name,
    displayName: entry.display_name ?? row?.displayName ?? name,
    wire,
    baseUrl,
    auth,
    quirks: { ...(row?.wire === wire ? row.quirks : {}), ...quirksOf(entry) },
    ...(row?.keyVariable === undefined ? {} : { keyVariable: row.keyVariable }),
  }
  return {
    name,
    provider,
    credentials,
    timeouts: {
      connectMs: entry.timeouts.connect,
      firstEventMs: entry.timeouts.first_event,
      idleMs: entry.timeouts.idle,
    },
    ...(entry.headers === undefined ? {} : { headers: resolveHeaders(entry.headers, path, report) }),
    ...(entry.api_version === undefined ? {} : { query: { 'api-version': entry.api_version } }),
  }
}

function guessAtRow(name: string): string {
  return didYouMean(
    name,
    PROVIDERS.map((provider) => provider.id),
  )
}

function authOf(entry: ProviderEntry, row: Provider | undefined, wire: WireFormatId): Auth {
  const given = entry.auth
  if (given === undefined) return row?.auth ?? defaultAuth(wire)
  if (typeof given === 'string') return { kind: given }
  return 'sigv4' in given
    ? { kind: 'sigv4', service: given.sigv4 }
    : { kind: 'header', name: given.header.toLowerCase() }
}

/** What a stranger that speaks this format most likely wants; without a key it is none (`resolveCredentials`). */
function defaultAuth(wire: WireFormatId): Auth {
  switch (wire) {
    case 'anthropic-messages':
      return { kind: 'header', name: 'x-api-key' }
    case 'google-generate':
      return { kind: 'header', name: 'x-goog-api-key' }
    case 'bedrock-converse':
      return { kind: 'sigv4', service: 'bedrock' }
    case 'openai-chat':
    case 'mistral-chat':
    case 'cohere-chat':
      return { kind: 'none' }
    default:
      return unreachable(wire)
  }
}

function resolveBaseUrl(
  address: string,
  entry: ProviderEntry,
  path: ConfigPath,
  sources: CredentialSources,
  report: Report,
): string | undefined {
  const region = regionOf(entry, sources)
  const values: Record<string, string | undefined> = {
    region,
    project: entry.project ?? sources.environment.GOOGLE_CLOUD_PROJECT,
    location: entry.location ?? sources.environment.GOOGLE_CLOUD_LOCATION,
    resource: entry.resource,
    deployment: entry.deployment,
  }
  let missing = false
  const filled = address.replaceAll(/\{([a-z]+)(-?)\}/g, (placeholder, key: string, dash: string) => {
    const value = values[key]
    if (value === undefined) {
      report.problem([...path, key], `is missing: the address ${address} needs it`)
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
  return filled.replace(/\/+$/, '')
}

const LOCAL =
  /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*)$/

/** This machine or a private network. */
export function isLocal(hostname: string): boolean {
  return LOCAL.test(hostname) || !hostname.includes('.')
}

function resolveHeaders(
  headers: Readonly<Record<string, string>>,
  path: ConfigPath,
  report: Report,
): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
      report.problem([...path, 'headers', name], 'is no header name')
    else if (/[^\t\x20-\x7e]/.test(value))
      report.problem([...path, 'headers', name], 'may hold printable ASCII characters only')
    else result[name.toLowerCase()] = value
  }
  return result
}

function quirksOf({ quirks }: ProviderEntry): WireQuirks {
  if (quirks === undefined) return {}
  const named = {
    maxTokensField: quirks.max_tokens_field,
    supportsN: quirks.supports_n,
    dropFields: quirks.drop_fields,
    dropMessageFields: quirks.drop_message_fields,
    streamOptions: quirks.stream_options,
    instructionRole: quirks.instruction_role,
    sendDefaultTemperature: quirks.send_default_temperature,
    minimumTemperature: quirks.minimum_temperature,
    maximumTemperature: quirks.maximum_temperature,
    reasoningOutsideCompletion: quirks.reasoning_outside_completion,
  }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
}
