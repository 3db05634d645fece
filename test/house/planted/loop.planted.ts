import { describe, expect, test } from 'bun:test'

describe('a file', () => {
  test('passes before the loop', () => {
    expect(1 + 1).toBe(2)
  })

  // The runner's own limit per test does not end this: its timer never fires.
  test('turns in a circle', () => {
    for (;;);
  })
})
