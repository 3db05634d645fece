import { assert } from '../core/assert.ts'
import { parseUsd, type Nano } from '../core/money.ts'
import type { Price, PriceSchedule, UnitPrices } from '../core/price.ts'

/** `officialPrices.json`: list prices as decimal strings in US dollars per 1,000,000 tokens. */
export interface OfficialPriceFile {
  /** Package and version that the prices were taken from, but for those that their rows state. */
  readonly source: string
  readonly models: Readonly<Record<string, OfficialPriceEntry>>
}

export interface OfficialPriceEntry {
  /** The package's exact ids of provider and model; or the page that the model's row names, and when it was read. */
  readonly from:
    | { readonly provider: string; readonly model: string }
    | { readonly page: string; readonly read: string }
  /** By `valid_from` ascending. */
  readonly prices: readonly WrittenPrice[]
}

export interface WrittenUnitPrices {
  readonly input: string
  readonly output: string
  readonly cached_input?: string
  readonly cache_write?: string
}

export interface WrittenPrice extends WrittenUnitPrices {
  /** ISO date. */
  readonly valid_from?: string
  readonly tiers?: readonly (WrittenUnitPrices & { readonly above_prompt_tokens: number })[]
}

/** Reads the prices of one model. */
export function readSchedule(entry: OfficialPriceEntry): PriceSchedule {
  const [first, ...rest] = entry.prices.map(readPrice)
  assert(first !== undefined, 'an official price has at least one entry')
  return [first, ...rest]
}

function readPrice({ valid_from, tiers, ...prices }: WrittenPrice): Price {
  return {
    ...readUnitPrices(prices),
    ...(valid_from === undefined ? {} : { validFrom: Date.parse(valid_from) }),
    ...(tiers === undefined
      ? {}
      : {
          tiers: tiers.map(({ above_prompt_tokens, ...tier }) => ({
            ...readUnitPrices(tier),
            abovePromptTokens: above_prompt_tokens,
          })),
        }),
  }
}

function readUnitPrices(written: WrittenUnitPrices): UnitPrices {
  return {
    input: usd(written.input),
    output: usd(written.output),
    ...(written.cached_input === undefined ? {} : { cachedInput: usd(written.cached_input) }),
    ...(written.cache_write === undefined ? {} : { cacheWrite: usd(written.cache_write) }),
  }
}

function usd(text: string): Nano {
  const amount = parseUsd(text)
  assert(amount !== undefined, `an official price is a decimal number: ${text}`)
  return amount
}
