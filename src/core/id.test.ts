import { describe, expect, test } from 'bun:test'
import { createIdSource, encodeTime } from './id.ts'

function source(now: () => number) {
  return createIdSource(now, (bytes) => void crypto.getRandomValues(bytes))
}

describe('ids', () => {
  test('say what they name', () => {
    const ids = source(Date.now)
    expect(ids.workspace()).toMatch(/^ws_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(ids.key()).toMatch(/^key_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(ids.request('chatcmpl-')).toMatch(/^chatcmpl-[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(ids.request()).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(ids.secret()).toMatch(/^tg_[0-9A-HJKMNP-TV-Z]{52}$/)
  })

  test('sort by the time they were made at', () => {
    let at = 1_700_000_000_000
    const ids = source(() => at++)
    const made = Array.from({ length: 500 }, () => ids.request('chatcmpl-'))
    expect(made.toSorted()).toEqual(made)
  })

  test('are all different within one millisecond', () => {
    const ids = source(() => 1_700_000_000_000)
    const made = new Set(Array.from({ length: 20_000 }, () => ids.request('chatcmpl-')))
    expect(made.size).toBe(20_000)
  })

  test('hold 48 bits of time, as the ULID specification writes them', () => {
    // The specification's own example: 01ARYZ6S41 is 1469918176385.
    expect(encodeTime(1_469_918_176_385)).toBe('01ARYZ6S41')
    expect(encodeTime(2 ** 48 - 1)).toBe('7ZZZZZZZZZ')
    expect(encodeTime(0)).toBe('0000000000')
  })
})
