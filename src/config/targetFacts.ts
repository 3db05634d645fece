import { guessFacts } from '../catalog/guessFacts.ts'
import { knownModelAt } from '../catalog/known.ts'
import type { Target } from '../core/model.ts'
import type { ModelFacts } from '../core/modelFacts.ts'
import { knownProvider } from '../providers/index.ts'
import { WIRE_FORMATS } from '../wire/formats.ts'
import type { ModelSurroundings } from './modelContext.ts'

/** Facts about the model that a target serves: those of its row in the catalogue, or a guess where it has none. */
export function targetFacts(
  { provider, upstreamModel }: Pick<Target, 'provider' | 'upstreamModel'>,
  providers: ModelSurroundings['providers'],
): ModelFacts {
  const place = providers.get(provider)?.provider
  // The provider has mistakes of its own: nothing is served.
  if (place === undefined) return {}
  const known = knownModelAt(place.id, upstreamModel)
  // A row states the facts for its provider's own format. A configuration can name another one.
  const applies = known !== undefined && knownProvider(known.provider)?.wire === place.wire
  return applies ? known.facts : guessFacts(upstreamModel, WIRE_FORMATS[place.wire].family)
}
