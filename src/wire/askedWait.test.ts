import { describe, expect, test } from 'bun:test'
import type { Json } from '../core/json.ts'
import { DAY_QUOTA_WAIT_MS, askedWait, waitInWords } from './askedWait.ts'
import { RETRY_AFTER_MS_MAX } from './retryAfter.ts'

const DATE = 'Fri, 20 Nov 2026 12:00:00 GMT'

function waitOf(body: Json, sent?: Json) {
  return askedWait({ headers: new Map([['date', DATE]]), body, sent })
}

describe('a sentence', () => {
  test.each([
    ['Please try again in 6m0s.', 360_000],
    ['Please try again in 20ms.', 20],
    ['Please retry in 34.074824224s.', 34_075],
    ['Please retry after 86400 seconds.', 86_400_000],
    ['Rate limit is exceeded. Try again in 42 seconds.', 42_000],
    ['please try again after 1 second', 1_000],
    ['Try again in about 3 hours.', 10_800_000],
    ['Try again in 2 minutes and 3 seconds.', 123_000],
    ['Please wait 54 seconds before retrying.', 54_000],
    ['Retrying in 2 mins', 120_000],
    ['Out of call volume quota. Quota will be replenished in 02:34:45.', 9_285_000],
    ['Out of call volume quota. Quota will be replenished in 18.10:35:54.', RETRY_AFTER_MS_MAX],
    ['resets at 2026-11-20T15:00:00Z (2056)', 10_800_000],
    ['Your limit resets on 2026-11-20 12:30 UTC.', 1_800_000],
    ['Your limit will reset at 2026-11-20 19:01:25', undefined],
    ['Your limit resets at 19:01:25.', undefined],
    ['please try again later', undefined],
    ['Please wait before trying again.', undefined],
    ['Too long: 20 seconds', undefined],
    ['try again with 3 messages', undefined],
    ['Retry after 30 requests', undefined],
    [`Please try again in ${'9'.repeat(60)}s`, undefined],
  ])('%j asks to wait for %p ms', (words, ms) => {
    expect(waitInWords(words, DATE)).toBe(ms)
  })

  test('a time says nothing where the answer has no date', () => {
    expect(waitInWords('resets at 2026-11-20T15:00:00Z', undefined)).toBeUndefined()
  })
})

describe('a body', () => {
  test.each<[string, Json, number | undefined]>([
    ['a duration of Google', { error: { details: [{}, { retryDelay: '21.5s' }] } }, 21_500],
    ['an error in a list', [{ error: { details: [{ retryDelay: '21s' }] } }], 21_000],
    ['seconds', { error: { resets_in_seconds: 756, resets_at: 1 } }, 756_000],
    ['a Unix time', { error: { resets_at: 1_795_176_060 } }, 60_000],
    ['a time', { quotaResetTimeStamp: '2026-11-20T12:10:00Z' }, 600_000],
    ['a time that is over', { resets_at: '2026-11-20T11:00:00Z' }, 0],
    ['a text that is no wait', { retry_after: 'soon' }, undefined],
    ['a field of another meaning', { retry: 5, after: 7, reset: true }, undefined],
    ['JSON within a text', { error: { metadata: { raw: '{"retry_after": 4}' } } }, 4_000],
    ['a sentence', 'Rate limit is exceeded. Try again in 42 seconds.', 42_000],
    ['a field before a sentence', { message: 'Try again in 42 seconds.', retry_after: 5 }, 5_000],
  ])('%s', (_what, body, ms) => {
    expect(waitOf(body).ms).toBe(ms)
  })

  test("a day's quota is asked for again after an hour", () => {
    const violation = { quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }
    const { ms, renews } = waitOf({ details: [{ violations: [violation] }, { retryDelay: '34s' }] })
    expect([ms, renews]).toEqual([DAY_QUOTA_WAIT_MS, true])
  })

  test('deep, wide and endless ones end, and say nothing beyond the bound', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50)}{"retry_after":5}${'}'.repeat(50)}`) as Json
    expect(waitOf(deep).ms).toBeUndefined()
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, { a: i }]))
    expect(waitOf({ ...wide, z: { retry_after: 5 } }).ms).toBeUndefined()
    expect(waitOf({ message: `Try again in 5s. ${'x'.repeat(2_000)}` }).ms).toBeUndefined()
  })

  test('what the request sent is no wait', () => {
    const body = { message: 'Too many requests: please try again in 20h.' }
    expect(waitOf(body, { messages: [{ content: 'please try again in 20h.' }] }).ms).toBeUndefined()
  })
})
