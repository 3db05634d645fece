import { expect } from 'bun:test'
import type { UpstreamFailure } from '../../../src/core/failure.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { refusalOf } from '../../../src/core/refusalOf.ts'
import type { ErrorAnswer } from '../../../src/wire/wire.ts'
import { failureIn } from '../../support/wireFixtures.ts'
import type { Cell, Rule } from '../rule.ts'

const DATE = 'Fri, 20 Nov 2026 12:00:00 GMT'

/** An answer of this format, with these headers and, inside of its body, these fields. */
function read(
  { client, column }: Cell,
  sentence: string,
  {
    status = 429,
    headers = {},
    fields = {},
  }: { status?: number; headers?: object; fields?: JsonObject } = {},
): UpstreamFailure {
  const answer = column.error(status, sentence)
  const body: ErrorAnswer['body'] = JSON.stringify({ ...(JSON.parse(answer.body) as JsonObject), ...fields })
  const all = new Map([...answer.headers, ...Object.entries({ date: DATE, ...headers })])
  return client.decodeError({ ...answer, body, headers: all })
}

/** When an error may be over: providers say it in headers, fields and sentences, and are resold in other formats. */
export const WAIT_RULES: readonly Rule[] = [
  {
    name: 'a wait is found in headers, also as the reset of whatever rate limit is used up',
    check(cell) {
      for (const [headers, ms] of [
        [{ 'retry-after': '7' }, 7_000],
        [{ 'retry-after-ms': '1250' }, 1_250],
        [{ 'retry-after': 'Fri, 20 Nov 2026 12:01:00 GMT' }, 60_000],
        [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
        [
          { 'x-ratelimit-remaining-requests-day': '0', 'x-ratelimit-reset-requests-day': '33011.4' },
          33_011_400,
        ],
        [
          {
            'anthropic-ratelimit-input-tokens-remaining': '0',
            'anthropic-ratelimit-input-tokens-reset': '2026-11-20T12:00:30Z',
          },
          30_000,
        ],
        [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795176090000' }, 90_000],
        [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '12' }, 12_000],
        [{ 'x-ratelimit-remaining-tokens': '5', 'x-ratelimit-reset-tokens': '6m0s' }, undefined],
      ] as const)
        expect([headers, read(cell, 'Slow down.', { headers }).retryAfterMs]).toEqual([headers, ms])
    },
  },
  {
    name: 'a wait is found in the fields of a body, however they are called, and in a body within it',
    check(cell) {
      const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '21s' }
      const inner = JSON.stringify({ error: { code: 429, details: [retryInfo] } })
      for (const [fields, ms] of [
        [{ error: { code: 429, message: 'Slow down.', details: [retryInfo] } }, 21_000],
        [{ metadata: { raw: inner, provider_name: 'Google' } }, 21_000],
        [{ retry_after: 3.5 }, 3_500],
        [{ retryAfterMs: 250 }, 250],
        [{ resets_in_seconds: 756 }, 756_000],
        [{ resets_at: 1_795_176_060 }, 60_000],
        [
          { metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1795176090000' } } },
          90_000,
        ],
      ] as const) {
        const { kind, retryAfterMs } = read(cell, 'Slow down.', { fields })
        expect([fields, kind, retryAfterMs]).toEqual([fields, 'rate_limited', ms])
      }
    },
  },
  {
    name: 'a wait is found in a sentence, of an answer and of a stream',
    check(cell) {
      for (const [sentence, ms] of [
        ['Please try again in 1m2.5s.', 62_500],
        ['request reached organization max RPM: 3, please try again after 1 seconds', 1_000],
        [
          'have exceeded token rate limit of your current pricing tier. Please retry after 26 seconds.',
          26_000,
        ],
        ['Rate limit of 50 per 86400s exceeded. Please wait 13107 seconds before retrying.', 13_107_000],
        [
          'You have exhausted your capacity on this model. Your quota will reset after 27h41m36s.',
          86_400_000,
        ],
        ['Please try again later.', undefined],
      ] as const) {
        expect([sentence, read(cell, sentence).retryAfterMs]).toEqual([sentence, ms])
        const failure = failureIn(cell.events([cell.column.limitFrame(`Rate limit reached. ${sentence}`)], 1))
        expect([sentence, failure?.kind, failure?.retryAfterMs]).toEqual([sentence, 'rate_limited', ms])
      }
    },
  },
  {
    name: 'a wait that the request itself names is none',
    check({ client, column }) {
      const words = 'Please try again in 20h.'
      const answer = column.error(429, `Too many requests: ${words}`)
      expect(client.decodeError({ ...answer, sent: { messages: [{ content: words }] } }).retryAfterMs).toBe(
        undefined,
      )
    },
  },
  {
    name: 'a quota that comes back is a 503 with a wait, and parks no key',
    check(cell) {
      const bill = 'You exceeded your current quota, please check your plan and billing details.'
      const minute = { quotaId: 'GenerateRequestsPerMinutePerProjectPerModel', quotaValue: '15' }
      for (const [sentence, fields] of [
        [`${bill}\nPlease retry in 34.07s.`, {}],
        [bill, { details: [{ violations: [minute] }] }],
        [bill, { retry_after: 20 }],
        ['usage limit exceeded, 5-hour usage limit reached for Token Plan Starter', {}],
        ['Usage limit reached for 5 hour. Your limit will reset at 2026-09-04 19:01:25', {}],
        ['Token quota of 30000 tokens per minute is exceeded.', {}],
        ['Too many tokens per day, please wait before trying again.', {}],
        ['Requests per day limit exceeded - too many requests sent.', {}],
      ] as const) {
        const failure = read(cell, sentence, { fields })
        expect([sentence, failure.kind]).toEqual([sentence, 'rate_limited'])
        expect(refusalOf(failure).retryAfterSeconds).toBeGreaterThan(0)
      }
    },
  },
  {
    name: 'a bill is a 502, also where it names a wait; so is a quota of nothing',
    check(cell) {
      for (const [status, sentence] of [
        [400, 'You exceeded your current quota, please check your plan and billing details.'],
        [429, 'Insufficient balance. Please top up, and try again in 5 minutes.'],
        [429, 'You have reached your monthly spending limit. Try again in 3 days.'],
        [429, 'Quota exceeded for metric: free_tier_requests, limit: 0. Please retry in 34.07s.'],
      ] as const) {
        const failure = read(cell, sentence, { status })
        expect([sentence, failure.kind]).toEqual([sentence, 'billing'])
        expect(refusalOf(failure).code).toBe('upstream_error')
      }
    },
  },
  {
    name: 'a quota of a day is asked for again after an hour, even if it comes with a shorter wait',
    check(cell) {
      const day = { quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier', quotaValue: '50' }
      const fields = { details: [{ violations: [day] }, { retryDelay: '34s' }] }
      const { kind, retryAfterMs } = read(cell, 'You exceeded your current quota.', { fields })
      expect([kind, retryAfterMs]).toEqual(['rate_limited', 3_600_000])
    },
  },
]
