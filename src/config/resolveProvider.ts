import type { ConfiguredProvider } from '../providers/configured.ts'
import { knownProvider, PROVIDERS } from '../providers/index.ts'
import type { Provider } from '../providers/provider.ts'
import { type ProviderTimeouts, timeoutsInForce } from '../providers/timeouts.ts'
import {
  type CredentialOwner,
  type CredentialSources,
  resolveCredentials,
  type ResolvedCredentials,
} from './credentials.ts'
import { checkAllowedFields } from './checkFields.ts'
import { didYouMean } from '../core/didYouMean.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import { resolveAuth } from './resolveAuth.ts'
import { isLocal, resolveBaseUrl } from './resolveBaseUrl.ts'
import { resolveQuirks } from './resolveQuirks.ts'
import { withoutLineEnd } from './secret.ts'
import type { ProviderEntry } from './schema.ts'
import type { WireFormatId } from '../wire/formats.ts'
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
  const { row, isLost } = rowOf(name, entry, path, report)
  // What the row says is not what the file would say instead of a value that could not be read.
  const wire = entry.wire ?? (report.isRead([...path, 'wire']) ? row?.wire : undefined)
  const address = entry.base_url ?? (report.isRead([...path, 'base_url']) ? row?.baseUrl : undefined)
  if (wire === undefined && !isLost) report.problem([...path, 'wire'], 'is missing')
  if (address === undefined && !isLost) report.problem([...path, 'base_url'], 'is missing')

  checkAllowedFields(entry.allow_fields, [...path, 'allow_fields'], report)
  const headers = entry.headers && resolveHeaders(entry.headers, path, report)
  const known = row !== undefined && row.wire === wire ? row.quirks : {}
  const quirks = resolveQuirks(entry, known, wire, path, report)
  const baseUrl = address && resolveBaseUrl(address, entry, path, sources, report)
  const access = wire && !isLost ? accessOf({ name, entry, row, path }, wire, sources, report) : undefined
  if (!wire || !baseUrl || !access) return undefined
  const { auth, credentials } = access
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
    quirks,
    ...(row?.keyVariable === undefined ? {} : { keyVariable: row.keyVariable }),
  }
  return {
    name,
    provider,
    credentials,
    timeouts: timeoutsInForce(writtenTimeouts(entry.timeouts), provider.local),
    ...(entry.allow_fields && { allowFields: entry.allow_fields }),
    ...(entry.allow_account_names && { allowAccountNames: true as const }),
    ...(headers && { headers }),
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

/** The row that the file names; lost where it names one that is not there, so that it is unknown what else it would say. */
function rowOf(
  name: string,
  entry: ProviderEntry,
  path: ConfigPath,
  report: Report,
): { readonly row: Provider | undefined; readonly isLost: boolean } {
  if (!report.isRead([...path, 'like'])) return { row: undefined, isLost: true }
  const row = knownProvider(entry.like ?? name)
  if (row !== undefined) return { row, isLost: false }
  const guess = didYouMean(
    entry.like ?? name,
    PROVIDERS.map((provider) => provider.id),
  )
  if (entry.like !== undefined)
    report.problem([...path, 'like'], `is not a known provider: ${quoted(entry.like)}${guess}`)
  const isNamed = entry.like === undefined && entry.wire === undefined && entry.base_url === undefined
  const isMisnamed = isNamed && guess !== ''
  if (isMisnamed) report.misnamed(path, `is not a known provider${guess}: it needs wire and base_url`)
  return { row, isLost: isMisnamed || entry.like !== undefined }
}

/** Of these one may stand for another, so that a wrong one leaves open what is missing. */
const ACCESS_SETTINGS = ['api_key', 'api_keys', 'aws', 'auth', 'service_account']

function accessOf(
  owner: CredentialOwner,
  wire: WireFormatId,
  sources: CredentialSources,
  report: Report,
): ResolvedCredentials | undefined {
  const { entry, row, path } = owner
  return ACCESS_SETTINGS.every((setting) => report.isRead([...path, setting]))
    ? resolveCredentials(owner, resolveAuth(entry, row, wire), sources, report)
    : undefined
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
