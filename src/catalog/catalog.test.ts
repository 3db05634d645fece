import { expect, test } from 'bun:test'
import type { Model } from '../core/model.ts'
import { nano } from '../core/money.ts'
import { isAllowed, resolveCatalog } from './catalog.ts'

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
    assumedTokensPerSecond: 60,
    imageTokens: 1_000,
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
