import { expect, test } from 'bun:test'

test('prints a line like those of the runner', () => {
  console.log('(pass) what was never run')
  expect(1 + 1).toBe(2)
})
