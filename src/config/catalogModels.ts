import { KNOWN_MODELS } from '../catalog/known.ts'
import type { KnownModel } from '../catalog/knownModel.ts'
import type { Model } from '../core/model.ts'
import type { ConfiguredProvider } from '../providers/configured.ts'
import { officialPriceOf } from './resolvePrices.ts'

/** Output tokens that a hold assumes when neither the caller nor the configuration says. */
export const ASSUMED_OUTPUT_TOKENS = 512

/** Every known model of the providers that are there. */
export function catalogModels(
  providers: ReadonlyMap<string, ConfiguredProvider | undefined>,
  now: number,
): Model[] {
  return KNOWN_MODELS.flatMap((known) => {
    if (!providers.has(known.provider)) return []
    const model = modelOfCatalog(known, known.provider, now)
    return model ? [model] : []
  })
}

/** A known model as it stands in the catalogue, served by the provider of that name. */
function modelOfCatalog(known: KnownModel, provider: string, now: number): Model | undefined {
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
    imageTokens: known.imageTokens,
    ...(known.hiddenReasoning && { hiddenReasoning: known.hiddenReasoning }),
    capabilities: known.capabilities,
    prices: officialPrices,
    officialPrice: officialPriceOf(officialPrices, known.provider, now),
    targets: [{ provider, upstreamModel: known.upstreamModel, weight: 1, priority: 0 }],
    strategy: 'priority',
    aliases: known.aliases,
    unsupportedFields: known.unsupportedFields,
  }
}
