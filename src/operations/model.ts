import { z } from 'zod'
import { formatUsd } from '../core/money.ts'
import type { Model } from '../core/model.ts'
import { officialPriceAt } from '../core/officialPrice.ts'
import { priceAt, type UnitPrices } from '../core/price.ts'
import { unixSeconds } from './field.ts'

const unitPricesShape = {
  input_usd: z.string(),
  output_usd: z.string(),
  cached_input_usd: z.string().nullable().meta({ description: 'Null: as input.' }),
  cache_write_usd: z.string().nullable().meta({ description: 'Null: as input.' }),
  reasoning_usd: z.string().nullable().meta({ description: 'Null: as output.' }),
}

const PriceView = z
  .object({
    ...unitPricesShape,
    tiers: z.array(z.object({ above_prompt_tokens: z.int(), ...unitPricesShape })),
  })
  .meta({ id: 'ModelPrice', description: 'US dollars per 1,000,000 tokens, as decimal strings.' })

/** A model as the operator sees it: with its targets. */
export const ModelView = z
  .object({
    id: z.string().meta({ example: 'acme/chat-1' }),
    display_name: z.string(),
    owned_by: z.string(),
    category: z.string(),
    context_length: z.int().meta({ description: 'The most tokens of prompt and output together.' }),
    max_output_tokens: z.int().meta({ description: 'The most output tokens of one choice.' }),
    assumed_output_tokens: z
      .int()
      .meta({ description: 'The output that is held for when the caller sends no `max_tokens`.' }),
    assumed_tokens_per_second: z.int().meta({
      description: 'The speed by which output is estimated that was generated unseen for a caller who left.',
    }),
    image_tokens: z.int().meta({ description: 'The most prompt tokens that one image can cost.' }),
    hidden_reasoning: z.enum(['never', 'on_request', 'by_default', 'always']).meta({
      description:
        'When the model reasons without showing all of it; `on_request`: with `reasoning_effort`; `by_default`: unless it is `none`. More is held then.',
    }),
    capabilities: z.array(z.string()),
    aliases: z.array(z.string()).meta({ description: 'Other ids that lead to this model.' }),
    our_price: PriceView,
    official_price: z
      .object({ input_usd: z.string(), output_usd: z.string(), source: z.string() })
      .nullable(),
    strategy: z.string().meta({
      description: 'Which target comes first: `priority`, `weighted`, `cheapest` or `fastest`.',
      example: 'priority',
    }),
    targets: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        wire: z.string().nullable().meta({
          description: 'The wire format that this target is asked in; null: that of its provider.',
        }),
        weight: z.number(),
        priority: z.number(),
      }),
    ),
    status: z.enum(['available', 'deprecated', 'retired']),
    sunset_at: z.int().nullable().meta({ description: 'Unix seconds.' }),
    successor: z
      .string()
      .nullable()
      .meta({ description: 'The model that a retired one names in its place.' }),
    created: z.int().meta({ description: 'Unix seconds.' }),
  })
  .meta({ id: 'AdminModel' })

export type ModelView = z.output<typeof ModelView>

/** @param at decides the price in force and the status; milliseconds since the epoch */
export function modelView(model: Model, at: number): ModelView {
  const price = priceAt(model.prices, at)
  const official = model.officialPrice && officialPriceAt(model.officialPrice, at)
  const sunset = model.retirement?.at ?? model.deprecation?.sunset
  return {
    id: model.id,
    display_name: model.displayName,
    owned_by: model.ownedBy,
    category: model.category,
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    assumed_output_tokens: model.assumedOutputTokens,
    assumed_tokens_per_second: model.assumedTokensPerSecond,
    image_tokens: model.imageTokens,
    hidden_reasoning: model.hiddenReasoning ?? 'never',
    capabilities: [...model.capabilities],
    aliases: [...model.aliases],
    our_price: {
      ...unitPricesView(price),
      tiers: (price.tiers ?? []).map((tier) => ({
        above_prompt_tokens: tier.abovePromptTokens,
        ...unitPricesView(tier),
      })),
    },
    official_price: official
      ? {
          input_usd: formatUsd(official.input),
          output_usd: formatUsd(official.output),
          source: official.source,
        }
      : null,
    strategy: model.strategy,
    targets: model.targets.map((target) => ({
      provider: target.provider,
      model: target.upstreamModel,
      wire: target.wire ?? null,
      weight: target.weight,
      priority: target.priority,
    })),
    status: statusAt(model, at),
    sunset_at: sunset === undefined ? null : unixSeconds(sunset),
    successor: model.retirement?.successor ?? null,
    created: model.created,
  }
}

/** Retired models are served no more; deprecated ones still are. */
export function statusAt(model: Model, at: number): ModelView['status'] {
  if (model.retirement && model.retirement.at <= at) return 'retired'
  if (model.deprecation && model.deprecation.at <= at) return 'deprecated'
  return 'available'
}

function unitPricesView(prices: UnitPrices) {
  const optional = (price: UnitPrices['cachedInput']) => (price === undefined ? null : formatUsd(price))
  return {
    input_usd: formatUsd(prices.input),
    output_usd: formatUsd(prices.output),
    cached_input_usd: optional(prices.cachedInput),
    cache_write_usd: optional(prices.cacheWrite),
    reasoning_usd: optional(prices.reasoning),
  }
}
