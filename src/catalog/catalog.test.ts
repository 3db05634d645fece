import { expect, test } from 'bun:test'
import type { Model } from '../core/model.ts'
import { nano } from '../core/money.ts'
import { isAllowed, resolveCatalog } from './catalog.ts'
import { publicEntry, savingsPercent } from './publicEntry.ts'

const AT = Date.parse('2026-11-20')
const usd = (dollars: number) => nano(BigInt(Math.round(dollars * 1e9)))

function model(more: Partial<Model> = {}): Model {
  return {
    id: 'acme/chat-1',
    displayName: 'Acme Chat 1',
    ownedBy: 'acme',
    category: 'chat',
    created: 1_700_000_000,
    contextLength: 128_000,
    maxOutputTokens: 8_192,
    assumedOutputTokens: 512,
    capabilities: ['streaming', 'function_calling'],
    prices: [{ input: usd(0.5), output: usd(1.5) }],
    officialPrice: { input: usd(1), output: usd(3), source: 'acme' },
    targets: [],
    strategy: 'priority',
    aliases: ['acme/chat'],
    unsupportedFields: [],
    ...more,
  }
}

test('a model is found by its id and by its alias', () => {
  const only = model()
  const catalog = resolveCatalog([only])
  expect(catalog.find('acme/chat-1', AT)).toEqual({ kind: 'found', model: only, alias: undefined })
  expect(catalog.find('acme/chat', AT)).toEqual({ kind: 'found', model: only, alias: 'acme/chat' })
  expect(catalog.find('acme/chat-2', AT)).toEqual({ kind: 'unknown' })
  expect(catalog.find('__proto__', AT)).toEqual({ kind: 'unknown' })
})

test('a retired model is served until its day and names its successor from then on', () => {
  const catalog = resolveCatalog([model({ retirement: { at: AT, successor: 'acme/chat-2' } })])
  expect(catalog.find('acme/chat', AT - 1).kind).toBe('found')
  expect(catalog.served(AT - 1)).toHaveLength(1)
  expect(catalog.find('acme/chat', AT)).toEqual({ kind: 'retired', successor: 'acme/chat-2' })
  expect(catalog.served(AT)).toEqual([])
})

test('workspace and key must both allow a model, by id or alias', () => {
  const only = model()
  expect(isAllowed(only, null, null)).toBe(true)
  expect(isAllowed(only, ['acme/chat-1'], null)).toBe(true)
  expect(isAllowed(only, ['acme/chat'], ['acme/chat-1'])).toBe(true)
  expect(isAllowed(only, ['acme/chat-1'], ['other'])).toBe(false)
  expect(isAllowed(only, [], null)).toBe(false)
  expect(isAllowed(only, null, [])).toBe(false)
})

test('the public entry has the fields of the contract', () => {
  expect(publicEntry(model(), AT)).toEqual({
    model_id: 'acme/chat-1',
    display_name: 'Acme Chat 1',
    provider: 'acme',
    category: 'chat',
    our_price: { input: 0.5, output: 1.5, unit: 'per 1M tokens' },
    official_price: { input: 1, output: 3, source: 'acme' },
    savings_percent: 50,
    capabilities: ['streaming', 'function_calling'],
    context_length: 128_000,
  })
})

test('without an official price there is none in the entry, and nothing is saved', () => {
  const { officialPrice: _, ...rest } = model()
  const entry = publicEntry(rest, AT)
  expect(entry).not.toHaveProperty('official_price')
  expect(entry.savings_percent).toBe(0)
})

test('savings have one decimal, are rounded half away from zero, and are negative when we are dearer', () => {
  const official = { input: usd(1), output: usd(2) }
  expect(savingsPercent({ input: usd(1), output: usd(1) }, official)).toBe(33.3)
  expect(savingsPercent({ input: usd(0.9), output: usd(1.9985) }, official)).toBe(3.4)
  expect(savingsPercent({ input: usd(2), output: usd(2) }, official)).toBe(-33.3)
  expect(savingsPercent(official, official)).toBe(0)
  expect(savingsPercent({ input: usd(0), output: usd(0) }, official)).toBe(100)
  expect(savingsPercent(official, { input: usd(0), output: usd(0) })).toBe(0)
})

test('an announced price shows from its day on, ours and the official one', () => {
  const changing = model({
    prices: [
      { input: usd(0.5), output: usd(1.5) },
      { input: usd(1), output: usd(3), validFrom: AT },
    ],
    officialPrice: {
      input: usd(1),
      output: usd(3),
      source: 'acme',
      later: [{ validFrom: AT, input: usd(2), output: usd(6) }],
    },
  })
  expect(publicEntry(changing, AT - 1)).toMatchObject({
    our_price: { input: 0.5 },
    official_price: { input: 1 },
  })
  expect(publicEntry(changing, AT)).toMatchObject({
    our_price: { input: 1, output: 3 },
    official_price: { input: 2, output: 6, source: 'acme' },
    savings_percent: 50,
  })
})
