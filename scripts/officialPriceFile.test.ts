import { expect, test } from 'bun:test'
import type { CatalogRow } from '../src/catalog/row.ts'
import { unsupported } from '../src/catalog/source.ts'
import { collectPrices } from './officialPriceFile.ts'

const made = unsupported('made up for the test')
const sources = { context: made, output: made, reasoning: made, refused: made, formats: made }

const row = (more: Partial<CatalogRow>): CatalogRow => ({
  model: 'large',
  name: 'Large',
  context: 1_000,
  output: 100,
  capabilities: [],
  sources,
  ...more,
})
const statedPrice = {
  source: 'https://nimbus.example/pricing',
  read: '2026-11-20',
  prices: [{ input: '0.4', output: '1.6' }],
} as const

const collect = (pricedBy: string | undefined, ...rows: CatalogRow[]) =>
  collectPrices([{ provider: 'nimbus', ...(pricedBy && { pricedBy }), bareNames: false, rows }])

test('a price that a row states is kept, with its page and the day it was read', () => {
  const { file, stated, unpriced } = collect(undefined, row({ statedPrice }))
  expect(file.models).toEqual({
    'nimbus/large': {
      from: { page: statedPrice.source, read: statedPrice.read },
      prices: statedPrice.prices,
    },
  })
  expect(stated).toEqual(['nimbus/large: https://nimbus.example/pricing, read on 2026-11-20'])
  expect(unpriced).toEqual([])
})

test.each([
  ['a provider without the package’s id', undefined, row({}), 'its provider has no "pricedBy"'],
  ['a provider that the package does not know', 'nimbus', row({}), 'no provider "nimbus"'],
  ['a model that it does not know', 'openai', row({}), 'no model "large" of "openai"'],
  ['an id that it does not know', 'openai', row({ pricedAs: 'gpt-0' }), 'no model "gpt-0" of "openai"'],
])('%s leaves the model without a price, and is named', (_what, pricedBy, given, reason) => {
  const { file, unpriced } = collect(pricedBy, given)
  expect(file.models).toEqual({})
  expect(unpriced).toHaveLength(1)
  for (const part of ['nimbus/large: ', reason, '"statedPrice"']) expect(unpriced[0]).toContain(part)
})

test('a stated price stays in force when the package knows the model, and that is said', () => {
  const { file, stated } = collect('openai', row({ model: 'gpt-5-mini', statedPrice }))
  expect(file.models['nimbus/gpt-5-mini']?.prices).toEqual(statedPrice.prices)
  expect(stated[0]).toEndWith('The package knows it by now: compare, and remove "statedPrice"')
})
