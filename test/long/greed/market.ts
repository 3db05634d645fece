import type { ScriptedProvider } from '../../support/scriptedProvider.ts'
import { standardConfig } from '../../support/world.ts'

/** Prices in nano-dollars for a token. */
export interface TokenPrices {
  readonly input: bigint
  readonly cached: bigint
  readonly output: bigint
  readonly reasoning: bigint
}

/** A model that is for sale, as the proof knows it. */
export interface GreedModel {
  readonly id: string
  readonly contextLength: number
  readonly maxOutputTokens: number
  /** Its output is not seen growing. */
  readonly unseen: boolean
  /** Its provider makes each choice by a call of its own. */
  readonly parallel?: boolean
  /** Its provider breaks off. */
  readonly sick?: boolean
  readonly quirks?: Readonly<Record<string, unknown>>
  readonly hiddenReasoning?: 'always'
  /** Of prompts above so many tokens. Default: the same as of all. */
  readonly tier?: { readonly above: number; readonly prices: TokenPrices }
}

export const PRICES: TokenPrices = { input: 500n, cached: 250n, output: 1_500n, reasoning: 2_000n }
const DEAR: TokenPrices = { input: 2_000n, cached: 1_000n, output: 6_000n, reasoning: 8_000n }
/** The most that an image counts. */
export const IMAGE_TOKENS = 1_445

const BASE = { contextLength: 16_000, maxOutputTokens: 8_192, unseen: false }
export const OPEN: GreedModel = { ...BASE, id: 'greed/open' }
export const LONG: GreedModel = { ...BASE, id: 'greed/long', contextLength: 128_000, maxOutputTokens: 64_000 }
export const THINKER: GreedModel = { ...LONG, id: 'greed/thinker', unseen: true, hiddenReasoning: 'always' }
export const SILENT: GreedModel = {
  ...BASE,
  id: 'greed/silent',
  unseen: true,
  quirks: { streaming: 'never' },
}
export const PARALLEL: GreedModel = {
  ...BASE,
  id: 'greed/parallel',
  parallel: true,
  quirks: { supports_n: false },
}
export const TIERED: GreedModel = { ...BASE, id: 'greed/tiered', tier: { above: 800, prices: DEAR } }
/** Of sick providers there are several: one that breaks off too often is left alone. */
export const SICK: readonly [GreedModel, ...GreedModel[]] = [
  { ...BASE, id: 'greed/sick', sick: true },
  ...[1, 2, 3].map((number) => ({ ...BASE, id: `greed/sick-${number}`, sick: true })),
]
const MODELS = [OPEN, LONG, THINKER, SILENT, PARALLEL, TIERED, ...SICK]

/** A configuration of all models, each with a provider of its own at the same address. */
export function marketOf(provider: ScriptedProvider): Readonly<Record<string, unknown>> {
  const { providers } = standardConfig(provider) as { providers: { acme: object } }
  return {
    providers: Object.fromEntries(
      MODELS.map(({ id, quirks }) => [
        providerOf(id),
        {
          ...providers.acme,
          timeouts: { first_event: '30s', whole: '30s', idle: '30s' },
          ...(quirks && { quirks }),
        },
      ]),
    ),
    models: MODELS.map((model) => ({
      id: model.id,
      context_length: model.contextLength,
      max_output_tokens: model.maxOutputTokens,
      image_tokens: IMAGE_TOKENS,
      ...(model.hiddenReasoning && { hidden_reasoning: model.hiddenReasoning }),
      our_price: {
        ...perMillion(PRICES),
        ...(model.tier && {
          tiers: [{ above_prompt_tokens: model.tier.above, ...perMillion(model.tier.prices) }],
        }),
      },
      targets: [{ provider: providerOf(model.id), model: model.id }],
    })),
  }
}

/** What a model costs for a prompt of this length. */
export function pricesFor({ tier }: GreedModel, promptTokens: number): TokenPrices {
  return tier && promptTokens > tier.above ? tier.prices : PRICES
}

function providerOf(model: string): string {
  return model.replaceAll('/', '-')
}

function perMillion({ input, cached, output, reasoning }: TokenPrices): Record<string, number> {
  const usd = (nano: bigint): number => Number(nano) / 1_000
  return {
    input: usd(input),
    cached_input: usd(cached),
    output: usd(output),
    reasoning: usd(reasoning),
  }
}
