import { expect, test } from 'bun:test'
import type { Json } from './json.ts'
import { countValues } from './countValues.ts'

test.each<[Json, number]>([
  ['a', 1],
  [null, 1],
  [[], 1],
  [{ a: 1, b: [2, 3], c: undefined }, 5],
])('%j has %d values', (json, count) => {
  expect(countValues(json, 100)).toBe(count)
})

test('counting ends one beyond the limit', () => {
  const list = Array.from({ length: 1_000 }, () => ({ a: [1, 2, 3] }))
  expect(countValues(list, 10)).toBe(11)
})
