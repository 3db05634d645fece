import { expect, test } from 'bun:test'
import { failureOf } from './errorAnswer.ts'
import { nothingIsLeft } from './rateCounters.ts'

test.each([
  ['x-ratelimit-remaining-requests', '0', true],
  ['x-ratelimit-remaining-tokens', ' 0 ', true],
  ['anthropic-ratelimit-requests-remaining', '0', true],
  ['anthropic-ratelimit-input-tokens-remaining', '0', true],
  ['x-ratelimit-remaining-requests', '1', false],
  ['x-ratelimit-remaining-tokens', '', false],
  ['x-ratelimit-limit-requests', '0', false],
])('%s: %p says that nothing is left: %p', (name, value, expected) => {
  const headers = new Map([
    ['content-type', 'application/json'],
    [name, value],
  ])
  expect(nothingIsLeft(headers)).toBe(expected)
  const failure = failureOf({ status: 429, headers, body: '{}' }, { kind: 'rate_limited', sign: 'status' })
  expect(failure.remainingZero).toBe(expected ? true : undefined)
})
