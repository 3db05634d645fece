import type { Model } from '../../core/model.ts'
import type { Nano } from '../../core/money.ts'
import { priceAt, type UnitPrices } from '../../core/price.ts'

/** A price beside the usual ones of a model, in nano-dollars per 1,000,000 tokens. */
export interface FurtherPrice {
  readonly direction: 'input' | 'output'
  /** Which tokens have it. */
  readonly kind: 'cached' | 'cache write' | 'reasoning' | 'all'
  /** It is for requests whose prompt is longer than this; 0: for those below the first such limit. */
  readonly abovePromptTokens: number
  readonly price: Nano
}

/** What a model charges beside its plain input and output: the cache, hidden reasoning, long prompts. */
export function furtherPrices(model: Model, at: number): FurtherPrice[] {
  const price = priceAt(model.prices, at)
  return [
    ...classPrices(price, 0),
    ...(price.tiers ?? []).flatMap((tier): FurtherPrice[] => {
      const { abovePromptTokens } = tier
      return [
        { direction: 'input', kind: 'all', abovePromptTokens, price: tier.input },
        { direction: 'output', kind: 'all', abovePromptTokens, price: tier.output },
        ...classPrices(tier, abovePromptTokens),
      ]
    }),
  ]
}

/** Those that differ from the price of the tokens they are a part of. */
function classPrices(prices: UnitPrices, abovePromptTokens: number): FurtherPrice[] {
  const { input, output, cachedInput = input, cacheWrite = input, reasoning = output } = prices
  const all: FurtherPrice[] = [
    { direction: 'input', kind: 'cached', abovePromptTokens, price: cachedInput },
    { direction: 'input', kind: 'cache write', abovePromptTokens, price: cacheWrite },
    { direction: 'output', kind: 'reasoning', abovePromptTokens, price: reasoning },
  ]
  return all.filter(({ direction, price }) => price !== (direction === 'input' ? input : output))
}
