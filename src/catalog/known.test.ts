import { expect, test } from 'bun:test'
import { collectPrices, packageModel } from '../../scripts/officialPriceFile.ts'
import { expectCurrent } from '../../test/support/generated.ts'
import { knownProvider } from '../providers/index.ts'
import { knownModel, KNOWN_MODELS } from './known.ts'
import file from './officialPrices.json'
import { CATALOG_SECTIONS } from './rows.ts'

test('the committed official prices are what the price package says, or the model’s row', () => {
  const [is, shouldBe] = [file, collectPrices().file].map((prices) => JSON.stringify(prices, null, 2))
  expectCurrent('src/catalog/officialPrices.json', is ?? '', shouldBe ?? '', 'scripts/updateCatalog.ts')
})

test('every known model has an official price', () => {
  expect(collectPrices().unpriced).toEqual([])
  expect(KNOWN_MODELS.filter((model) => model.officialPrices === undefined).map(({ id }) => id)).toEqual([])
})

test('a price that a row states has a page and the day it was read', () => {
  for (const { provider, rows } of CATALOG_SECTIONS)
    for (const { model, statedPrice } of rows) {
      if (!statedPrice) continue
      const { source, read } = statedPrice
      expect({ provider, model, source }).toEqual({
        provider,
        model,
        source: expect.stringMatching(/^https:\/\/\S+$/),
      })
      expect({ provider, model, read }).toEqual({
        provider,
        model,
        read: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      })
    }
})

// Where providers' own pages and the price package differ, the catalogue holds what the pages say.
const OTHER_CONTEXT: Record<string, [ours: number, theirs: number | undefined]> = {
  'openai/gpt-5.5': [1_050_000, 1_000_000],
  'openai/gpt-4.1': [1_047_576, 1_000_000],
  'openai/gpt-4.1-mini': [1_047_576, 1_000_000],
  'openai/gpt-4.1-nano': [1_047_576, 1_000_000],
  'google/gemini-3.8-flash': [1_048_576, 1_000_000],
  'google/gemini-3.5-flash': [1_048_576, 1_000_000],
  'google/gemini-3.1-pro-preview': [1_048_576, undefined],
  'google/gemini-3.1-flash-lite': [1_048_576, 1_000_000],
  'google/gemini-3-flash-preview': [1_048_576, 1_000_000],
  'google/gemini-2.5-flash-lite': [1_048_576, 1_000_000],
  'google/gemini-2.5-pro': [1_048_576, undefined],
  'mistral/mistral-medium-2508': [262_144, undefined],
  'mistral/mistral-small-2603': [256_000, 262_144],
  'cohere/command-a-03-2025': [256_000, undefined],
  'cohere/command-r-plus-08-2024': [128_000, undefined],
  'cohere/command-r-08-2024': [128_000, undefined],
  'cohere/command-r7b-12-2024': [128_000, undefined],
  'groq/llama-3.3-70b-versatile': [131_072, undefined],
  'groq/llama-3.1-8b-instant': [131_072, undefined],
  'groq/meta-llama/llama-4-scout-17b-16e-instruct': [131_072, undefined],
}

test('context lengths agree with the price package but for the exceptions named here', () => {
  const differing: typeof OTHER_CONTEXT = {}
  for (const { provider, pricedBy, rows } of CATALOG_SECTIONS)
    for (const row of rows) {
      const theirs = packageModel(pricedBy, row.pricedAs ?? row.model)?.context_window
      // A model that the package does not know has nothing to agree with.
      if (row.statedPrice && theirs === undefined) continue
      if (theirs !== row.context) differing[`${provider}/${row.model}`] = [row.context, theirs]
    }
  expect(differing).toEqual(OTHER_CONTEXT)
})

test('every name leads to one model, of a provider that has a row', () => {
  const names = KNOWN_MODELS.flatMap((model) => [model.id, ...model.aliases])
  expect(names.length).toBe(new Set(names).size)
  for (const model of KNOWN_MODELS) {
    expect(knownModel(model.id)).toBe(model)
    expect(knownProvider(model.provider)).toBeDefined()
    expect(model.id).toBe(`${model.provider}/${model.upstreamModel}`)
  }
})

test('limits and prices of known models are sane', () => {
  for (const { id, maxOutputTokens, contextLength, officialPrices = [], created } of KNOWN_MODELS) {
    expect({ id, sane: maxOutputTokens > 0 && maxOutputTokens <= contextLength }).toEqual({ id, sane: true })
    expect({ id, whole: Number.isSafeInteger(created) && created >= 0 }).toEqual({ id, whole: true })
    for (const price of officialPrices)
      for (const unit of [price, ...(price.tiers ?? [])])
        expect({
          id,
          sane: unit.input > 0n && unit.output > 0n && (unit.cachedInput ?? 0n) <= unit.input,
        }).toEqual({
          id,
          sane: true,
        })
  }
})

test('the serving process does not load the price package', async () => {
  const script = `
    await import('${import.meta.dir}/known.ts')
    console.log(Object.keys(require.cache).some((path) => path.includes('genai-prices')))`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script])
  expect(stdout.toString().trim()).toBe('false')
})

// The most expensive image that each was seen to report, or that its provider's page allows.
test.each([
  ['openai/gpt-4o', 1_445],
  ['openai/gpt-4o-mini', 48_169],
  ['openai/gpt-6-sol', 14_364],
  ['openai/gpt-5.5', 12_000],
  ['openai/gpt-5-nano', 3_778],
  ['anthropic/claude-haiku-4-5', 1_661],
  ['anthropic/claude-opus-5', 4_784],
  ['google/gemini-3.5-flash', 1_120],
  ['google/gemini-2.5-pro', 4_128],
])('an image on %s is known to cost up to %d tokens, and not twice as many', (id, tokens) => {
  const most = knownModel(id)?.imageTokens ?? 0
  expect(most).toBeGreaterThanOrEqual(tokens)
  expect(most).toBeLessThan(2 * tokens)
})

test.each([
  ['openai/gpt-5-mini', 'always'],
  ['openai/gpt-5.1', 'on_request'],
  ['openai/gpt-5.2', 'on_request'],
  ['openai/gpt-5.4', 'on_request'],
  ['openai/gpt-5.4-nano', 'on_request'],
  ['openai/gpt-5.5', 'by_default'],
  ['openai/gpt-5.6', 'by_default'],
  ['openai/gpt-5.6-luna', 'by_default'],
  ['openai/gpt-6-sol', 'by_default'],
  ['openai/gpt-6-astra', 'always'],
  ['openai/gpt-4.1', undefined],
  ['openai/o3', 'always'],
  ['google/gemini-2.5-pro', 'always'],
  ['google/gemini-2.5-flash', 'by_default'],
  ['google/gemini-2.5-flash-lite', 'on_request'],
  ['google/gemini-3.1-flash-lite', 'on_request'],
  ['google/gemini-3.8-flash', 'always'],
  ['anthropic/claude-sonnet-4-6', 'on_request'],
  ['anthropic/claude-sonnet-5', 'by_default'],
  ['anthropic/claude-opus-5', 'by_default'],
  ['anthropic/claude-opus-4-8', 'on_request'],
  ['anthropic/claude-opus-5-5', 'always'],
  ['xai/grok-4.20-0309-non-reasoning', undefined],
  ['deepseek/deepseek-v4-pro', undefined],
] as const)('%s reasons out of sight: %p', (id, hiddenReasoning) => {
  expect(knownModel(id)?.hiddenReasoning).toBe(hiddenReasoning)
})
