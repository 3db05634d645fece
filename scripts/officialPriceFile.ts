import { findProvider, type ConditionalPrice, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices'
import { dependencies } from '../package.json'
import type {
  OfficialPriceEntry,
  OfficialPriceFile,
  WrittenPrice,
  WrittenUnitPrices,
} from '../src/catalog/officialPrices.ts'
import { catalogId, CATALOG_SECTIONS } from '../src/catalog/rows.ts'

const PACKAGE = '@pydantic/genai-prices'

/** The package's entry of a model, by exact id: its own matching takes one model for another. */
export function packageModel(provider: string, model: string): ModelInfo | undefined {
  return findProvider({ providerId: provider })?.models.find(({ id }) => id === model)
}

/** What `officialPrices.json` must hold: the same input gives the same file. */
export function officialPriceFile(): OfficialPriceFile {
  const models: Record<string, OfficialPriceEntry> = {}
  for (const { provider, pricedBy, rows } of CATALOG_SECTIONS)
    for (const row of rows) {
      const model = row.pricedAs ?? row.model
      const info = packageModel(pricedBy, model)
      const prices = info && writtenPrices(info.prices)
      if (prices) models[catalogId(provider, row.model)] = { from: { provider: pricedBy, model }, prices }
    }
  return { source: `${PACKAGE}@${dependencies[PACKAGE]}`, models }
}

/** Undefined when input or output have no price. */
function writtenPrices(prices: ModelInfo['prices']): WrittenPrice[] | undefined {
  const entries: ConditionalPrice[] = Array.isArray(prices) ? prices : [{ prices }]
  const written: WrittenPrice[] = []
  const byHour: WrittenPrice[] = []
  for (const { constraint, prices } of entries) {
    const price = writtenPrice(prices)
    if (price === undefined) return undefined
    if (constraint === undefined) written.push(price)
    else if (constraint.type === 'start_date') written.push({ ...price, valid_from: constraint.start_date })
    else byHour.push(price)
  }
  // A price by the hour: whoever resells it must reckon with the highest.
  const last = written.pop()
  return last && [...written, byHour.reduce(dearer, last)]
}

function dearer(a: WrittenPrice, b: WrittenPrice): WrittenPrice {
  return { ...a, ...(Number(b.output) > Number(a.output) ? b : {}) }
}

const CLASSES = {
  input: 'input_mtok',
  output: 'output_mtok',
  cached_input: 'cache_read_mtok',
  cache_write: 'cache_write_mtok',
} as const

function writtenPrice(prices: ModelPrice): WrittenPrice | undefined {
  const starts = new Set<number>()
  for (const key of Object.values(CLASSES)) {
    const price = prices[key]
    if (typeof price === 'object') for (const tier of price.tiers) starts.add(tier.start)
  }
  const base = unitPricesAbove(prices, -1)
  const tiers = [...starts]
    .sort((a, b) => a - b)
    .flatMap((start) => {
      const unit = unitPricesAbove(prices, start)
      return unit ? [{ above_prompt_tokens: start, ...unit }] : []
    })
  return base && { ...base, ...(tiers.length === 0 ? {} : { tiers }) }
}

/** The unit prices of a prompt that is longer than `start`. */
function unitPricesAbove(prices: ModelPrice, start: number): WrittenUnitPrices | undefined {
  const unit: Partial<Record<keyof typeof CLASSES, string>> = {}
  for (const [name, key] of Object.entries(CLASSES) as [keyof typeof CLASSES, string][]) {
    const price = prices[key]
    if (price === undefined) continue
    const amount =
      typeof price === 'number'
        ? price
        : (price.tiers.findLast((tier) => tier.start <= start)?.price ?? price.base)
    unit[name] = decimal(amount)
  }
  const { input, output } = unit
  return input === undefined || output === undefined ? undefined : { ...unit, input, output }
}

/** Digits without an exponent; the package's numbers have at most nine decimals. */
function decimal(amount: number): string {
  const text = amount.toFixed(9).replace(/\.?0+$/, '')
  return text === '' ? '0' : text
}
