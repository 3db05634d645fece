import { guessFacts } from '../catalog/guessFacts.ts'
import { knownModelAt } from '../catalog/known.ts'
import type { KnownModel } from '../catalog/knownModel.ts'
import type { Target } from '../core/model.ts'
import { knownProvider } from '../providers/index.ts'
import type { Provider } from '../providers/provider.ts'
import { WIRE_FORMATS, type WireFormatId } from '../wire/formats.ts'
import type { ModelSurroundings } from './modelContext.ts'

/**
 * How a target is asked, and what its model is like: as its row in the catalogue says, or by a guess where it has none.
 *
 * @param written the wire format that the file names for the target
 */
export function targetFacts(
  { provider, upstreamModel }: Pick<Target, 'provider' | 'upstreamModel'>,
  providers: ModelSurroundings['providers'],
  written?: WireFormatId,
): { readonly wire?: WireFormatId } & Pick<Target, 'facts' | 'outputTokensMin'> {
  const place = providers.get(provider)?.provider
  // The provider has mistakes of its own: nothing is served.
  if (place === undefined) return { facts: {} }
  const known = knownModelAt(place.id, upstreamModel)
  const wire = written ?? (known && isOwnPlace(place, known) ? known.wire : undefined) ?? place.wire
  const { outputTokensMin, family } = WIRE_FORMATS[wire]
  return {
    ...(wire !== place.wire && { wire }),
    ...(outputTokensMin !== undefined && { outputTokensMin }),
    facts: known && hasFactsFor(known, wire) ? known.facts : guessFacts(upstreamModel, family),
  }
}

/** A server at another address, or one that is spoken to in another format, need not have all of the provider's endpoints. */
function isOwnPlace(place: Provider, known: KnownModel): boolean {
  const row = knownProvider(known.provider)
  return row !== undefined && place.wire === row.wire && place.baseUrl === row.baseUrl
}

/** A row states the facts for the formats that its provider speaks. A configuration can name another one. */
function hasFactsFor(known: KnownModel, wire: WireFormatId): boolean {
  return wire === known.wire || wire === knownProvider(known.provider)?.wire
}
