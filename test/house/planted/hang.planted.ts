import { expect, test } from 'bun:test'

test('passes before the hang', () => {
  expect(1 + 1).toBe(2)
})

test('waits for what never comes', async () => {
  await new Promise(() => undefined)
})

test('passes behind the hang', () => {
  expect(2 + 2).toBe(4)
})
