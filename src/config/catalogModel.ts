import type { KnownModel } from '../catalog/knownModel.ts'
import type { Model } from '../core/model.ts'
import { officialPriceOf } from './resolvePrices.ts'

/** Output tokens that a hold assumes when neither the caller nor the configuration says. */
export const ASSUMED_OUTPUT_TOKENS = 512

/** A known model as it stands in the catalogue, served by the provider of that name. */
export function modelOfCatalog(known: KnownModel, provider: string, now: number): Model | undefined {
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
    capabilities: known.capabilities,
    prices: officialPrices,
    officialPrice: officialPriceOf(officialPrices, known.provider, now),
    targets: [{ provider, upstreamModel: known.upstreamModel, weight: 1, priority: 0 }],
    strategy: 'priority',
    aliases: known.aliases,
    unsupportedFields: known.unsupportedFields,
  }
}
