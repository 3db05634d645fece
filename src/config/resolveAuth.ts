import { unreachable } from '../core/assert.ts'
import type { Auth, Provider } from '../providers/provider.ts'
import type { WireFormatId } from '../wire/wire.ts'
import type { ProviderEntry } from './schema.ts'

/** How a provider is authenticated with: as the file says, as its row says, or as its wire format suggests. */
export function resolveAuth(entry: ProviderEntry, row: Provider | undefined, wire: WireFormatId): Auth {
  const given = entry.auth
  if (given === undefined) return row?.wire === wire ? row.auth : defaultAuth(wire)
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
