import { nano, type Nano } from './money.ts'
import type { Usage } from './usage.ts'

/** Prices of one model by class of token, in nano-dollars per 1,000,000 tokens. Absent classes cost what their whole costs. */
export interface UnitPrices {
  readonly input: Nano
  readonly output: Nano
  /** Prompt tokens read from the provider's cache; else `input`. */
  readonly cachedInput?: Nano
  /** Prompt tokens written to the provider's cache; else `input`. */
  readonly cacheWrite?: Nano
  /** Completion tokens spent on reasoning; else `output`. */
  readonly reasoning?: Nano
}

/** A price with its validity and its tiers by prompt length. */
export interface Price extends UnitPrices {
  /** Milliseconds since the epoch from which it holds; absent: from ever. */
  readonly validFrom?: number
  /** Prices for the whole request when its prompt is longer than `abovePromptTokens`; ascending. */
  readonly tiers?: readonly PriceTier[]
}

export interface PriceTier extends UnitPrices {
  readonly abovePromptTokens: number
}

/** All prices of a model, by `validFrom` ascending; never empty. */
export type PriceSchedule = readonly [Price, ...Price[]]

/** Prices are for a million tokens. */
export const TOKENS_PER_PRICE = 1_000_000n

/** The price in force at a moment: the last one that has begun, or the first one when none has. */
export function priceAt(schedule: PriceSchedule, at: number): Price {
  let current: Price = schedule[0]
  for (const price of schedule) if ((price.validFrom ?? 0) <= at) current = price
  return current
}

/** The unit prices for a prompt of this length. */
export function unitPricesFor(price: Price, promptTokens: number): UnitPrices {
  let current: UnitPrices = price
  for (const tier of price.tiers ?? []) if (promptTokens > tier.abovePromptTokens) current = tier
  return current
}

/** One line of a charge: tokens of a class times their unit price, not yet rounded. */
export interface ChargeLine {
  readonly class: 'input' | 'cached_input' | 'cache_write' | 'output' | 'reasoning'
  readonly tokens: number
  readonly unitPrice: Nano
}

/** The lines of a charge that have a token; each token is in exactly one of them. */
export function chargeLines(usage: Usage, prices: UnitPrices): ChargeLine[] {
  const uncached = usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens
  const spoken = usage.completionTokens - usage.reasoningTokens
  const lines: ChargeLine[] = [
    { class: 'input', tokens: uncached, unitPrice: prices.input },
    { class: 'cached_input', tokens: usage.cachedTokens, unitPrice: prices.cachedInput ?? prices.input },
    { class: 'cache_write', tokens: usage.cacheWriteTokens, unitPrice: prices.cacheWrite ?? prices.input },
    { class: 'output', tokens: spoken, unitPrice: prices.output },
    { class: 'reasoning', tokens: usage.reasoningTokens, unitPrice: prices.reasoning ?? prices.output },
  ]
  return lines.filter(({ tokens }) => tokens > 0)
}

/** What the lines cost together: exact, rounded once, half up, per request (docs/billing.md#how-the-amount-is-calculated). */
export function chargeFor(lines: readonly ChargeLine[]): Nano {
  let sum = 0n
  for (const { tokens, unitPrice } of lines) sum += BigInt(tokens) * unitPrice
  return nano((sum + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE)
}

/** How much prompt a request has. */
export interface PromptTokens {
  /** Of one prompt: decides the tier. */
  readonly promptTokens: number
  /** How many times the prompt is sent: `n` where choices are made by parallel calls. */
  readonly prompts: number
}

/**
 * The most that a request can cost at this price: every prompt token at the dearest class a prompt
 * token can be in, every output token likewise. Rounded up.
 *
 * @param outputTokens all together
 */
export function ceilingFor(price: Price, prompt: PromptTokens, outputTokens: number): Nano {
  const { input, output } = dearestPrices(price, prompt)
  const sum = BigInt(prompt.promptTokens * prompt.prompts) * input + BigInt(outputTokens) * output
  return nano((sum + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE)
}

/**
 * The most output tokens whose ceiling is within the amount: 0 where not even the prompt is.
 *
 * @param factor so many times what the prompt leaves of it
 */
export function outputTokensWithin(amount: Nano, price: Price, prompt: PromptTokens, factor = 1): number {
  const { input, output } = dearestPrices(price, prompt)
  const left = amount * TOKENS_PER_PRICE - BigInt(prompt.promptTokens * prompt.prompts) * input
  if (left < 0n) return 0
  if (output === 0n) return Number.MAX_SAFE_INTEGER
  return Math.min(Number((left * BigInt(factor)) / output), Number.MAX_SAFE_INTEGER)
}

function dearestPrices(price: Price, { promptTokens }: PromptTokens): { input: Nano; output: Nano } {
  const prices = unitPricesFor(price, promptTokens)
  return {
    input: dearest(prices.input, prices.cachedInput, prices.cacheWrite),
    output: dearest(prices.output, prices.reasoning),
  }
}

function dearest(first: Nano, ...rest: (Nano | undefined)[]): Nano {
  let most = first
  for (const price of rest) if (price !== undefined && price > most) most = price
  return most
}
