import { expect, test } from 'bun:test'
import type { CatalogRow } from '../src/catalog/row.ts'
import { page, unsupported } from '../src/catalog/source.ts'
import { countFacts } from './unsupportedFacts.ts'

const READ = page('https://nimbus.example/models', '2026-11-20', 'the limits')
const row: CatalogRow = {
  model: 'large',
  name: 'Large',
  context: 1_000,
  output: 100,
  capabilities: [],
  statedPrice: {
    source: 'https://nimbus.example/pricing',
    read: '2026-11-20',
    prices: [{ input: '1', output: '2' }],
  },
  sources: { context: READ, output: READ, reasoning: READ, refused: READ, formats: READ },
}
const count = (more: Partial<CatalogRow>) =>
  countFacts([{ provider: 'nimbus', bareNames: false, rows: [{ ...row, ...more }] }])

test('a row whose facts all have a source is not listed', () => {
  expect(count({})).toEqual({ rows: 1, facts: 6, supported: 6, unsupported: [] })
})

test('a fact without support is listed with the reason', () => {
  const output = unsupported('the page could not be read')
  expect(count({ sources: { ...row.sources, output } })).toMatchObject({
    supported: 5,
    unsupported: ['nimbus/large: output: the page could not be read'],
  })
})

test('what an image costs needs a source where the row states it', () => {
  expect(count({ imageTokens: 1_000 })).toMatchObject({
    facts: 7,
    unsupported: ['nimbus/large: images: has no source'],
  })
})

test('a model without a price is listed', () => {
  const { statedPrice: _, ...unpriced } = row
  const { unsupported: listed } = countFacts([{ provider: 'nimbus', bareNames: false, rows: [unpriced] }])
  expect(listed).toEqual([expect.stringContaining('nimbus/large: its provider has no "pricedBy"')])
})
