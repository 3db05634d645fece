import { KNOWN_MODELS } from '../catalog/known.ts'
import type { KnownModel } from '../catalog/knownModel.ts'
import { ASSUMED_TOKENS_PER_SECOND, type Model } from '../core/model.ts'
import type { ModelSurroundings } from './modelContext.ts'
import { officialPriceOf } from './resolvePrices.ts'
import { knownModelTarget } from './resolveTargets.ts'

/** Output tokens that a hold assumes when neither the caller nor the configuration says. */
export const ASSUMED_OUTPUT_TOKENS = 512

/** Every known model of the providers that are there. */
export function catalogModels(providers: ModelSurroundings['providers'], now: number): Model[] {
  return KNOWN_MODELS.flatMap((known) => {
    if (!providers.has(known.provider)) return []
    const model = modelOfCatalog(known, providers, now)
    return model ? [model] : []
  })
}

/** A known model as the catalogue has it, served by its own provider. */
function modelOfCatalog(
  known: KnownModel,
  providers: ModelSurroundings['providers'],
  now: number,
): Model | undefined {
  const { officialPrices } = known
  if (officialPrices === undefined) return undefined
  return {
    id: known.id,
    displayName: known.displayName,
    ownedBy: known.provider,
    category: 'chat',
    created: known.created,
    contextLength: known.contextLength,
    maxOutputTokens: known.maxOutputTokens,
    assumedOutputTokens: Math.min(ASSUMED_OUTPUT_TOKENS, known.maxOutputTokens),
    assumedTokensPerSecond: ASSUMED_TOKENS_PER_SECOND,
    imageTokens: known.imageTokens,
    ...(known.hiddenReasoning && { hiddenReasoning: known.hiddenReasoning }),
    capabilities: known.capabilities,
    prices: officialPrices,
    officialPrice: officialPriceOf(officialPrices, known.provider, now),
    targets: [knownModelTarget(known, providers)],
    strategy: 'priority',
    aliases: known.aliases,
    unsupportedFields: known.unsupportedFields,
    ...(known.unsupportedWhileReasoning && { unsupportedWhileReasoning: known.unsupportedWhileReasoning }),
  }
}
