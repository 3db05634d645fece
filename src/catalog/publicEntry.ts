import type { Model, OfficialPrice } from '../core/model.ts'
import { formatUsd, type Nano } from '../core/money.ts'
import { priceAt } from '../core/price.ts'

/** A model in the public list: contract, "Public model entry". Prices are US dollars per 1,000,000 tokens. */
export interface PublicEntry {
  readonly model_id: string
  readonly display_name: string
  /** Lowercase. */
  readonly provider: string
  readonly category: string
  readonly our_price: { readonly input: number; readonly output: number; readonly unit: string }
  /** Present only when available. */
  readonly official_price?: { readonly input: number; readonly output: number; readonly source: string }
  readonly savings_percent: number
  readonly capabilities: readonly string[]
  readonly context_length: number
}

const UNIT = 'per 1M tokens'

/** @param at milliseconds since the epoch: decides which prices are in force */
export function publicEntry(model: Model, at: number): PublicEntry {
  const ours = priceAt(model.prices, at)
  const official = model.officialPrice && officialPriceAt(model.officialPrice, at)
  return {
    model_id: model.id,
    display_name: model.displayName,
    provider: model.ownedBy,
    category: model.category,
    our_price: { input: usdNumber(ours.input), output: usdNumber(ours.output), unit: UNIT },
    ...(official && {
      official_price: {
        input: usdNumber(official.input),
        output: usdNumber(official.output),
        source: official.source,
      },
    }),
    savings_percent: official ? savingsPercent(ours, official) : 0,
    capabilities: model.capabilities,
    context_length: model.contextLength,
  }
}

/** The official price with the announced changes that have come into force. */
export function officialPriceAt(official: OfficialPrice, at: number): OfficialPrice {
  const begun = official.later?.findLast((change) => change.validFrom <= at)
  return begun ? { input: begun.input, output: begun.output, source: official.source } : official
}

interface Prices {
  readonly input: Nano
  readonly output: Nano
}

/** 100 × (1 − ours / official) over input and output together, to one decimal; negative when we are dearer. */
export function savingsPercent(ours: Prices, official: Prices): number {
  const whole = official.input + official.output
  // Nothing can be saved on what is free.
  if (whole === 0n) return 0
  const saved = whole - (ours.input + ours.output)
  const magnitude = saved < 0n ? -saved : saved
  const tenths = Number((magnitude * 2000n + whole) / (2n * whole))
  return tenths === 0 ? 0 : ((saved < 0n ? -1 : 1) * tenths) / 10
}

function usdNumber(amount: Nano): number {
  return Number(formatUsd(amount))
}
