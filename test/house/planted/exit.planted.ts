import { expect, test } from 'bun:test'

test('passes before the end', () => {
  expect(1 + 1).toBe(2)
})

test('ends its own process', () => {
  process.exit(0)
})

test('is never reached', () => {
  expect(1 + 1).toBe(2)
})
