import { findProvider, type ConditionalPrice, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices'
import { devDependencies } from '../package.json' with { type: 'json' }
import type {
  OfficialPriceEntry,
  OfficialPriceFile,
  WrittenPrice,
  WrittenUnitPrices,
} from '../src/catalog/officialPrices.ts'
import type { CatalogRow } from '../src/catalog/row.ts'
import { catalogId, CATALOG_SECTIONS, type CatalogSection } from '../src/catalog/rows.ts'

const PACKAGE = '@pydantic/genai-prices'

/** The package's entry of a model, by exact id: its own matching takes one model for another. */
export function packageModel(provider: string | undefined, model: string): ModelInfo | undefined {
  if (provider === undefined) return undefined
  return findProvider({ providerId: provider })?.models.find(({ id }) => id === model)
}

/** What `officialPrices.json` must hold, and what people should know about it. */
export interface CollectedPrices {
  /** The same input gives the same file. */
  readonly file: OfficialPriceFile
  /** A sentence for each model that has no price, with the reason: such a model cannot be sold. */
  readonly unpriced: readonly string[]
  /** A sentence for each model whose price its row states. */
  readonly stated: readonly string[]
}

export function collectPrices(sections: readonly CatalogSection[] = CATALOG_SECTIONS): CollectedPrices {
  const models: Record<string, OfficialPriceEntry> = {}
  const unpriced: string[] = []
  const stated: string[] = []
  for (const { provider, pricedBy, rows } of sections)
    for (const row of rows) {
      const id = catalogId(provider, row.model)
      const listed = listedPrices(pricedBy, row.pricedAs ?? row.model)
      if (row.statedPrice) {
        const { source, read, prices } = row.statedPrice
        models[id] = { from: { page: source, read }, prices }
        stated.push(
          `${id}: ${source}, read on ${read}${typeof listed === 'string' ? '' : `. ${KNOWN_BY_NOW}`}`,
        )
      } else if (typeof listed === 'string') {
        unpriced.push(`${id}: ${listed}. ${remedy(row)}`)
      } else models[id] = listed
    }
  return { file: { source: SOURCE, models }, unpriced, stated }
}

const SOURCE = `${PACKAGE}@${devDependencies[PACKAGE]}`
const KNOWN_BY_NOW = 'The package knows it by now: compare, and remove "statedPrice"'

/** What the package says of a model, or why it says nothing. */
function listedPrices(pricedBy: string | undefined, model: string): OfficialPriceEntry | string {
  if (pricedBy === undefined) return 'its provider has no "pricedBy" in src/catalog/rows.ts'
  if (!findProvider({ providerId: pricedBy })) return `the package has no provider "${pricedBy}"`
  const info = packageModel(pricedBy, model)
  if (!info) return `the package has no model "${model}" of "${pricedBy}"`
  const prices = writtenPrices(info.prices)
  return prices
    ? { from: { provider: pricedBy, model }, prices }
    : `the package has no price for both input and output of "${model}"`
}

function remedy({ pricedAs }: CatalogRow): string {
  const exact = pricedAs === undefined ? 'give its row the exact id in the package as "pricedAs", or ' : ''
  return `To price it, ${exact}state the price in its row as "statedPrice"`
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
  // A price by the hour: a reseller must expect the highest.
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
