import type { Settings } from '../../src/config/settings.ts'
import { settingsOf } from '../support/world.ts'

/** Prices in US dollars per 1,000,000 tokens, as decimal strings: the oracle reads them by itself. */
export interface ListPrices {
  readonly input: string
  readonly output: string
  readonly cached_input?: string
  readonly cache_write?: string
  readonly reasoning?: string
}

export interface ListPrice extends ListPrices {
  readonly valid_from?: string
  readonly tiers?: readonly (ListPrices & { readonly above_prompt_tokens: number })[]
}

/** A model of the simulated shop: what the configuration says of it and what the oracle reckons with. */
export interface ShopModel {
  readonly id: string
  readonly contextLength: number
  readonly maxOutputTokens: number
  readonly assumedOutputTokens: number
  readonly prices: readonly [ListPrice, ...ListPrice[]]
  readonly providers: readonly string[]
}

/** Choices that a provider without `n` makes are parallel calls. */
export const PROVIDER_WITHOUT_N = 'solo'

export const SHOP: readonly [ShopModel, ...ShopModel[]] = [
  {
    id: 'acme/chat-1',
    contextLength: 4_000,
    maxOutputTokens: 400,
    assumedOutputTokens: 64,
    prices: [{ input: '0.5', output: '1.5', cached_input: '0.25' }],
    providers: ['acme', 'backup'],
  },
  {
    id: 'acme/exact',
    contextLength: 100_000,
    maxOutputTokens: 2_000,
    assumedOutputTokens: 128,
    prices: [
      {
        input: '0.123456789',
        output: '9.87654321',
        cached_input: '0.012345678',
        cache_write: '0.2',
        reasoning: '12.000000001',
        tiers: [{ above_prompt_tokens: 200, input: '0.333333333', output: '19.999999999' }],
      },
    ],
    providers: ['acme'],
  },
  {
    id: 'solo/dated',
    contextLength: 8_000,
    maxOutputTokens: 600,
    assumedOutputTokens: 100,
    prices: [
      { input: '3', output: '15', cached_input: '0.3' },
      { valid_from: '2028-03-01T00:00:00Z', input: '2.5', output: '10.000000007', cached_input: '0.1' },
    ],
    providers: [PROVIDER_WITHOUT_N, 'backup'],
  },
  {
    id: 'acme/free',
    contextLength: 4_000,
    maxOutputTokens: 300,
    assumedOutputTokens: 300,
    prices: [{ input: '0', output: '0' }],
    providers: ['acme'],
  },
]

/** Characters per token of the simulation's own tokenizer. */
const CHARACTERS_PER_TOKEN = 3

/** The tokenizer of the simulation. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

/** The configuration of the shop, read as a file's would be. */
export function shopSettings(databaseUrl: string): Settings {
  const timeouts = { connect: '3s', first_event: '20s', whole: '20s', idle: '15s' }
  // Several, for a provider that refuses one is done with it for a while.
  const keys = ['secret-1', 'secret-2', 'secret-3', 'secret-4', 'secret-5', 'secret-6']
  const provider = { wire: 'openai-chat', api_keys: keys, timeouts }
  return settingsOf(
    {
      providers: {
        acme: { ...provider, base_url: 'http://acme.test/v1' },
        backup: { ...provider, base_url: 'http://backup.test/v1' },
        [PROVIDER_WITHOUT_N]: {
          ...provider,
          base_url: 'http://solo.test/v1',
          quirks: { supports_n: false },
        },
      },
      models: SHOP.map((model) => ({
        id: model.id,
        display_name: model.id,
        owned_by: 'acme',
        category: 'chat',
        context_length: model.contextLength,
        max_output_tokens: model.maxOutputTokens,
        assumed_output_tokens: model.assumedOutputTokens,
        our_price: model.prices.length === 1 ? model.prices[0] : model.prices,
        targets: model.providers.map((name) => ({ provider: name, model: model.id })),
      })),
    },
    databaseUrl,
  )
}
