import { expect, test } from 'bun:test'
import { textLength } from './textLength.ts'

test('the length of a value is that of its strings and names, and one for each other value', () => {
  expect(textLength('abc', 9)).toBe(3)
  expect(textLength(null, 9)).toBe(1)
  expect(textLength({ ab: 'cde', f: [1, true, 'g'] }, 99)).toBe(1 + 2 + 3 + 1 + 1 + 3 + 1 + 1 + 1)
})

test('nothing is looked at beyond the most that counts', () => {
  const untouchable = new Proxy({}, { ownKeys: () => expect.unreachable() })
  expect(textLength({ a: 'x'.repeat(100), b: untouchable }, 50)).toBeGreaterThan(50)
  expect(textLength([['x'.repeat(100)], untouchable], 50)).toBeGreaterThan(50)
})
