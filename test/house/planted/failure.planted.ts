import { describe, expect, test } from 'bun:test'
import { skipFor } from '../../support/runEvents.ts'

test('passes', () => {
  expect(1 + 1).toBe(2)
})

test.skipIf(skipFor('it is planted'))('is skipped', () => undefined)

describe('a group', () => {
  test('fails every time', () => {
    expect('what is').toBe('what should be')
  })
})
