import type { ConfiguredProvider } from '../providers/configured.ts'
import { knownProvider, PROVIDERS } from '../providers/index.ts'
import type { Provider } from '../providers/provider.ts'
import { type ProviderTimeouts, timeoutsInForce } from '../providers/timeouts.ts'
import { resolveCredentials, type CredentialSources } from './credentials.ts'
import { didYouMean } from '../core/didYouMean.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import { resolveAuth } from './resolveAuth.ts'
import { isLocal, resolveBaseUrl } from './resolveBaseUrl.ts'
import { resolveQuirks } from './resolveQuirks.ts'
import { withoutLineEnd } from './secret.ts'
import type { ProviderEntry } from './schema.ts'
import { quoted } from './values.ts'

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
      `is not a known provider: ${quoted(entry.like)}${didYouMean(entry.like, known)}`,
    )
    return undefined
  }
  const wire = entry.wire ?? row?.wire
  const address = entry.base_url ?? row?.baseUrl
  const guess = row === undefined && wire === undefined && address === undefined ? guessAtRow(name) : ''
  if (guess !== '') {
    report.misnamed(path, `is not a known provider${guess}: it needs wire and base_url`)
    return undefined
  }
  if (wire === undefined) report.problem([...path, 'wire'], 'is missing')
  if (address === undefined) report.problem([...path, 'base_url'], 'is missing')
  if (wire === undefined || address === undefined) return undefined

  const baseUrl = resolveBaseUrl(address, entry, path, sources, report)
  const owner = { name, entry, row, path }
  const { auth, credentials } = resolveCredentials(owner, resolveAuth(entry, row, wire), sources, report)
  if (baseUrl === undefined) return undefined
  if (baseUrl.startsWith('http:') && credentials.length > 0 && !isLocal(new URL(baseUrl).hostname))
    report.warning([...path, 'base_url'], 'sends the key unencrypted: use https')
  if (entry.timeouts.first_event !== undefined && entry.timeouts.whole === undefined)
    report.warning(
      [...path, 'timeouts', 'first_event'],
      'limits streams only: answers that are asked whole have timeouts.whole (10m unless it is set)',
    )

  const provider: Provider = {
    id: row?.id ?? name,
    displayName: entry.display_name ?? row?.displayName ?? name,
    wire,
    baseUrl,
    auth,
    ...(row?.local && { local: row.local }),
    quirks: { ...(row?.wire === wire ? row.quirks : {}), ...resolveQuirks(entry, wire, path, report) },
    ...(row?.keyVariable === undefined ? {} : { keyVariable: row.keyVariable }),
  }
  return {
    name,
    provider,
    credentials,
    timeouts: timeoutsInForce(writtenTimeouts(entry.timeouts), provider.local),
    ...(entry.allow_account_names && { allowAccountNames: true as const }),
    ...(entry.headers === undefined ? {} : { headers: resolveHeaders(entry.headers, path, report) }),
    ...(entry.api_version === undefined ? {} : { query: { 'api-version': entry.api_version } }),
  }
}

/** In the words of the code; what the file does not name is left out. */
function writtenTimeouts(written: ProviderEntry['timeouts']): Partial<ProviderTimeouts> {
  const { connect, first_byte, first_event, idle, quiet, whole, total } = written
  return {
    ...(connect !== undefined && { connectMs: connect }),
    ...(first_byte !== undefined && { firstByteMs: first_byte }),
    ...(first_event !== undefined && { firstEventMs: first_event }),
    ...(idle !== undefined && { idleMs: idle }),
    ...(quiet !== undefined && { quietMs: quiet }),
    ...(whole !== undefined && { wholeMs: whole }),
    ...(total !== undefined && { totalMs: total }),
  }
}

function guessAtRow(name: string): string {
  return didYouMean(
    name,
    PROVIDERS.map((provider) => provider.id),
  )
}

function resolveHeaders(
  headers: Readonly<Record<string, string>>,
  path: ConfigPath,
  report: Report,
): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, written] of Object.entries(headers)) {
    const value = withoutLineEnd(written)
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
      report.problem([...path, 'headers', name], 'is no header name')
    else if (value === '') report.problem([...path, 'headers', name], 'must not be empty')
    else if (/[^\t\x20-\x7e]/.test(value))
      report.problem([...path, 'headers', name], 'may hold printable ASCII characters only')
    else result[name.toLowerCase()] = value
  }
  return result
}
