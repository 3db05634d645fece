import type { Provider } from '../providers/provider.ts'
import type { Auth } from '../wire/auth.ts'
import { WIRE_FORMATS, type WireFormatId } from '../wire/formats.ts'
import type { ProviderEntry } from './schema.ts'

/** How a provider is authenticated with: as the file says, as its row says, or as its wire format suggests. */
export function resolveAuth(entry: ProviderEntry, row: Provider | undefined, wire: WireFormatId): Auth {
  const given = entry.auth
  if (given === undefined) return row?.wire === wire ? row.auth : WIRE_FORMATS[wire].defaultAuth
  if (typeof given === 'string') return { kind: given }
  return 'sigv4' in given
    ? { kind: 'sigv4', service: given.sigv4 }
    : { kind: 'header', name: given.header.toLowerCase() }
}
