import { describe, expect, test } from 'bun:test'
import { failureOf } from './errorAnswer.ts'
import { RETRY_AFTER_MS_MAX, parseDuration, retryAfterMs, usedUpCounters } from './retryAfter.ts'

function waitOf(headers: Record<string, string>): number | undefined {
  return retryAfterMs(new Map(Object.entries(headers)))
}

describe('retryAfterMs', () => {
  test('milliseconds win over seconds', () => {
    expect(waitOf({ 'retry-after': '2', 'retry-after-ms': '1250.2' })).toBe(1251)
  })

  test('seconds may have decimals', () => {
    expect(waitOf({ 'retry-after': ' 1.5 ' })).toBe(1500)
  })

  test("a date is measured against the answer's own clock", () => {
    const date = 'Fri, 20 Nov 2026 12:00:00 GMT'
    expect(waitOf({ date, 'retry-after': 'Fri, 20 Nov 2026 12:01:00 GMT' })).toBe(60_000)
    expect(waitOf({ date, 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' })).toBe(0)
    expect(waitOf({ 'retry-after': 'Fri, 20 Nov 2026 12:01:00 GMT' })).toBeUndefined()
  })

  test('without either, a used-up window says when it opens', () => {
    const resets = { 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-reset-tokens': '9h' }
    expect(waitOf({ ...resets, 'x-ratelimit-remaining-requests': '0' })).toBe(360_000)
    expect(waitOf({ ...resets, 'x-ratelimit-remaining-requests': '1' })).toBeUndefined()
  })

  test('nonsense is no wait, and an endless one is bounded', () => {
    for (const value of ['', 'soon', '-5', '1e9', 'NaN']) {
      expect(waitOf({ 'retry-after': value, date: 'now' })).toBeUndefined()
    }
    expect(waitOf({ 'retry-after': '99999999999' })).toBe(RETRY_AFTER_MS_MAX)
  })
})

test('parseDuration reads compound durations and nothing else', () => {
  expect(parseDuration('1h2m3.5s')).toBe(3_723_500)
  expect(parseDuration('20ms')).toBe(20)
  for (const text of ['', 's', '5', '5 s', '1w', '1s'.repeat(30)]) expect(parseDuration(text)).toBeUndefined()
})

test.each([
  ['x-ratelimit-remaining-requests', '0', true],
  ['x-ratelimit-remaining-tokens', ' 0 ', true],
  ['x-ratelimit-remaining-tokens-minute', '0', true],
  ['anthropic-ratelimit-requests-remaining', '0', true],
  ['anthropic-ratelimit-input-tokens-remaining', '0', true],
  ['ratelimit-remaining', '0', true],
  ['x-ratelimit-remaining-requests', '1', false],
  ['x-ratelimit-remaining-tokens', '', false],
  ['x-ratelimit-limit-requests', '0', false],
])('%s: %p says that nothing is left: %p', (name, value, expected) => {
  const headers = new Map([
    ['content-type', 'application/json'],
    [name, value],
  ])
  expect(usedUpCounters(headers)).toEqual(expected ? [name] : [])
  const failure = failureOf({ status: 429, headers, body: '{}' }, { kind: 'rate_limited', sign: 'status' })
  expect(failure.remainingZero).toBe(expected ? true : undefined)
})
