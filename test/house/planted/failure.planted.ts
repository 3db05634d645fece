import { describe, expect, test } from 'bun:test'

test('passes', () => {
  expect(1 + 1).toBe(2)
})

describe('a group', () => {
  test('fails every time', () => {
    expect('what is').toBe('what should be')
  })
})
