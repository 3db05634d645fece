import { z } from 'zod'
import type { Model, OfficialPrice } from '../../core/model.ts'
import { formatUsd, type Nano } from '../../core/money.ts'
import { officialPriceAt } from '../../core/officialPrice.ts'
import { priceAt, type UnitPrices } from '../../core/price.ts'
import { statusAt } from '../../operations/model.ts'

const PRICE_UNIT = 'per 1M tokens'

/** A model in the public list of prices. */
export const PublicModel = z
  .object({
    model_id: z.string().meta({ description: 'Model identifier for API calls.', example: 'acme/chat-1' }),
    display_name: z.string(),
    provider: z.string().meta({ description: 'Lowercase provider name.' }),
    category: z.string().meta({ description: '`chat`, `embedding`, `image`, `audio`, and so on.' }),
    our_price: z.object({
      input: z.number(),
      output: z.number(),
      unit: z.string().meta({ example: PRICE_UNIT }),
    }),
    official_price: z
      .object({ input: z.number(), output: z.number(), source: z.string() })
      .optional()
      .meta({ description: 'Present only when available.' }),
    savings_percent: z.number().meta({ description: 'Against the official price; 0 when there is none.' }),
    capabilities: z.array(z.string()),
    context_length: z.int().meta({ description: 'Maximum context window in tokens.' }),
  })
  .meta({ id: 'PublicModel' })

export type PublicModel = z.output<typeof PublicModel>

/** The public listing at a moment (milliseconds since the epoch): every model that is still served, by id. */
export function publicListing(models: readonly Model[], at: number): PublicModel[] {
  return models
    .filter((model) => statusAt(model, at) !== 'retired')
    .map((model) => publicModel(model, at))
    .sort((a, b) => (a.model_id < b.model_id ? -1 : 1))
}

function publicModel(model: Model, at: number): PublicModel {
  const price = priceAt(model.prices, at)
  const official = model.officialPrice && officialPriceAt(model.officialPrice, at)
  return {
    model_id: model.id,
    display_name: model.displayName,
    provider: model.ownedBy,
    category: model.category,
    our_price: { input: dollars(price.input), output: dollars(price.output), unit: PRICE_UNIT },
    ...(official
      ? {
          official_price: {
            input: dollars(official.input),
            output: dollars(official.output),
            source: official.source,
          },
        }
      : {}),
    savings_percent: savingsPercent(price, official),
    capabilities: [...model.capabilities],
    context_length: model.contextLength,
  }
}

/** Contract: prices in this listing are JSON numbers. */
function dollars(amount: Nano): number {
  return Number(formatUsd(amount))
}

/**
 * 100 × (1 − (our input + our output) / (official input + official output)), one decimal, half up;
 * 0 without an official price, negative when the official price is lower.
 */
export function savingsPercent(
  ours: Pick<UnitPrices, 'input' | 'output'>,
  official: OfficialPrice | undefined,
): number {
  const theirs = official ? official.input + official.output : 0n
  if (theirs === 0n) return 0
  const saved = theirs - (ours.input + ours.output)
  return Number(floorDivide(2n * 1000n * saved + theirs, 2n * theirs)) / 10
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend % divisor < 0n ? quotient - 1n : quotient
}
