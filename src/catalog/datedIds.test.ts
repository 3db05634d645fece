import { findProvider } from '@pydantic/genai-prices'
import { expect, test } from 'bun:test'
import { readDatedName } from './datedIds.ts'
import { knownModel, knownModelAt } from './known.ts'
import { CATALOG_SECTIONS } from './rows.ts'

test.each([
  ['gpt-4o-mini-2024-07-18', '-YYYY-MM-DD', 'gpt-4o-mini', '2024-07-18', 'gpt-4o-mini-2024-07-18'],
  ['claude-haiku-4-5-20251001', '-YYYYMMDD', 'claude-haiku-4-5', '2025-10-01', 'claude-haiku-4-5-20251001'],
  ['claude-haiku-4-5@20251001', '-YYYYMMDD', 'claude-haiku-4-5', '2025-10-01', 'claude-haiku-4-5-20251001'],
] as const)('%s is a name with a date as %s', (name, form, base, date, written) => {
  expect(readDatedName(name, form)).toEqual({ base, date, name: written })
})

test.each([
  ['gpt-4o-mini', '-YYYY-MM-DD'],
  ['gpt-4o-mini-20240718', '-YYYY-MM-DD'],
  ['gpt-4o-mini-2024-13-01', '-YYYY-MM-DD'],
  ['gpt-4o-mini-2024-02-30', '-YYYY-MM-DD'],
  ['-2024-07-18', '-YYYY-MM-DD'],
  ['claude-haiku-4-5-2025-10-01', '-YYYYMMDD'],
  ['claude-haiku-4-5-20251301', '-YYYYMMDD'],
  ['claude-haiku-4-5-20251001-v1', '-YYYYMMDD'],
] as const)('%s is no name with a date as %s', (name, form) => {
  expect(readDatedName(name, form)).toBeUndefined()
})

test('a dated snapshot has the facts and prices of its model, and its own name at the provider', () => {
  const haiku = knownModel('claude-haiku-4-5')
  expect(knownModel('anthropic/claude-haiku-4-5-20251001')).toEqual({
    ...(haiku ?? expect.unreachable()),
    id: 'anthropic/claude-haiku-4-5-20251001',
    upstreamModel: 'claude-haiku-4-5-20251001',
    displayName: 'Claude Haiku 4.5 (2025-10-01)',
    created: Date.parse('2025-10-01') / 1000,
    aliases: ['claude-haiku-4-5-20251001'],
    snapshotOf: 'anthropic/claude-haiku-4-5',
  })
  expect(knownModel('gpt-4o-mini-2024-07-18')?.upstreamModel).toBe('gpt-4o-mini-2024-07-18')
  expect(knownModelAt('openai', 'gpt-5.4-2026-03-05')?.snapshotOf).toBe('openai/gpt-5.4')
})

test.each([
  'claude-sonnet-4-20250514',
  'gpt-9-2026-01-01',
  'gpt-4o-20240806',
  'claude-haiku-4-5-2025-10-01',
  'grok-4.3-20260417',
  'demo/chat-2026-01-01',
])('%s is unknown: its model is, or the provider dates no model so', (name) => {
  expect(knownModel(name)).toBeUndefined()
})

test('a snapshot with a price of its own has a row of its own', () => {
  const first = knownModel('gpt-4o-2024-05-13')
  expect(first?.snapshotOf).toBeUndefined()
  expect(first?.officialPrices).not.toEqual(knownModel('gpt-4o')?.officialPrices ?? [])
})

test('no snapshot that the price package names has another price than its model', () => {
  const wrong: string[] = []
  let snapshots = 0
  for (const { provider, pricedBy, rows } of CATALOG_SECTIONS) {
    const models = findProvider({ providerId: pricedBy ?? '' })?.models ?? []
    for (const { id, match } of models)
      for (const name of namesIn(match)) {
        const model = knownModelAt(provider, name)
        if (model?.snapshotOf === undefined) continue
        snapshots += 1
        const row = rows.find((each) => `${provider}/${each.model}` === model.snapshotOf)
        if ((row?.pricedAs ?? row?.model) !== id) wrong.push(`${provider}/${name} is priced as ${id}`)
      }
  }
  expect(wrong).toEqual([])
  expect(snapshots).toBeGreaterThan(10)
})

/** The exact names in a match of the package: `{ or: [{ equals }, …] }`. */
function namesIn(match: unknown): string[] {
  if (typeof match !== 'object' || match === null) return []
  return Object.entries(match).flatMap(([key, value]: [string, unknown]) =>
    key === 'equals' && typeof value === 'string' ? [value] : namesIn(value),
  )
}
