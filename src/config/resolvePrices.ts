import { nano, type Nano } from '../core/money.ts'
import type { OfficialPrice } from '../core/model.ts'
import type { Price, PriceSchedule, PriceTier, UnitPrices } from '../core/price.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import type { PricesEntry } from './schema.ts'

/** Millionths in a whole: markups are read in millionths. */
const WHOLE = 1_000_000n

/** The prices of the file as a schedule; names tiers and dates that are out of order. */
export function resolveSchedule(
  entries: readonly PricesEntry[],
  path: ConfigPath,
  report: Report,
): PriceSchedule | undefined {
  const prices = entries.map(toPrice)
  const nested = entries.length > 1
  entries.forEach((entry, index) => {
    const at = nested ? [...path, index] : path
    entry.tiers?.forEach((tier, position) => {
      const before = entry.tiers?.[position - 1]
      if (before && tier.above_prompt_tokens <= before.above_prompt_tokens)
        report.problem(
          [...at, 'tiers', position, 'above_prompt_tokens'],
          'must be above that of the tier before',
        )
    })
    if (index === 0) return
    const before = entries[index - 1]?.valid_from
    if (entry.valid_from === undefined)
      report.problem([...at, 'valid_from'], 'is missing: only the first price may omit it')
    else if (before !== undefined && entry.valid_from <= before)
      report.problem([...at, 'valid_from'], 'must be after that of the price before')
  })
  const [first, ...rest] = prices
  return first && [first, ...rest]
}

/** A schedule with every price raised (or, with a negative markup, lowered) by millionths, half up. */
export function markUp(schedule: PriceSchedule, markup: bigint): PriceSchedule {
  const [first, ...rest] = schedule
  return [markUpPrice(first, markup), ...rest.map((price) => markUpPrice(price, markup))]
}

/** The public part of a price schedule at a moment, with the changes to come. */
export function officialPriceOf(schedule: PriceSchedule, source: string, at: number): OfficialPrice {
  const begun = schedule.filter((price) => (price.validFrom ?? 0) <= at)
  const current = begun.at(-1) ?? schedule[0]
  const later = schedule.flatMap(({ validFrom, input, output }) =>
    validFrom !== undefined && validFrom > at ? [{ validFrom, input, output }] : [],
  )
  return {
    input: current.input,
    output: current.output,
    source,
    ...(later.length === 0 ? {} : { later }),
  }
}

function toPrice(entry: PricesEntry): Price {
  return {
    ...toUnitPrices(entry),
    ...(entry.valid_from === undefined ? {} : { validFrom: entry.valid_from }),
    ...(entry.tiers === undefined
      ? {}
      : {
          tiers: entry.tiers.map((tier): PriceTier => ({
            ...toUnitPrices(tier),
            abovePromptTokens: tier.above_prompt_tokens,
          })),
        }),
  }
}

function toUnitPrices(entry: {
  input: Nano
  output: Nano
  cached_input?: Nano | undefined
  cache_write?: Nano | undefined
  reasoning?: Nano | undefined
}): UnitPrices {
  return {
    input: entry.input,
    output: entry.output,
    ...(entry.cached_input === undefined ? {} : { cachedInput: entry.cached_input }),
    ...(entry.cache_write === undefined ? {} : { cacheWrite: entry.cache_write }),
    ...(entry.reasoning === undefined ? {} : { reasoning: entry.reasoning }),
  }
}

function markUpPrice(price: Price, markup: bigint): Price {
  return {
    ...price,
    ...markUpUnits(price, markup),
    ...(price.tiers === undefined
      ? {}
      : { tiers: price.tiers.map((tier) => ({ ...tier, ...markUpUnits(tier, markup) })) }),
  }
}

function markUpUnits(prices: UnitPrices, markup: bigint): UnitPrices {
  const raise = (amount: Nano) => nano((amount * (WHOLE + markup) + WHOLE / 2n) / WHOLE)
  return {
    input: raise(prices.input),
    output: raise(prices.output),
    ...(prices.cachedInput === undefined ? {} : { cachedInput: raise(prices.cachedInput) }),
    ...(prices.cacheWrite === undefined ? {} : { cacheWrite: raise(prices.cacheWrite) }),
    ...(prices.reasoning === undefined ? {} : { reasoning: raise(prices.reasoning) }),
  }
}
