import { describe, expect, test } from 'bun:test'
import { ERRORS } from './error.ts'
import type { FailureKind } from './failure.ts'
import { refusalOf, refusalOfBrokenOff } from './refusalOf.ts'

const STATUS_OF: Record<FailureKind, number> = {
  connection: 502,
  no_files: 503,
  no_ports: 503,
  no_room: 503,
  no_share: 400,
  timeout: 502,
  bad_request: 400,
  too_large: 400,
  oversized: 400,
  over_limit: 400,
  content_policy: 400,
  credential: 502,
  billing: 502,
  too_dear: 502,
  not_found: 502,
  rate_limited: 503,
  overloaded: 503,
  server: 502,
  invalid_answer: 502,
  malformed_output: 502,
}

/** What is said of failures that are the gateway's own. */
const BEGINNINGS = {
  no_room: /^The gateway had a server error: .*\.$/,
  no_share: /^The responses in flight of this workspace are too large together.*\.$/,
}

const kinds = Object.keys(STATUS_OF) as FailureKind[]

describe('refusalOf', () => {
  for (const kind of kinds) {
    test(`${kind} is ${STATUS_OF[kind]} to the caller, without the provider's words`, () => {
      const refusal = refusalOf({ kind, status: 418, detail: 'sk-secret at acme.internal' })
      expect<number>(ERRORS[refusal.code].status).toBe(STATUS_OF[kind])
      expect(JSON.stringify(refusal)).not.toMatch(/secret|acme|418/)
    })
  }

  test('a 503 says when to come back, in whole seconds, never 0', () => {
    expect(refusalOf({ kind: 'overloaded', detail: '' }).retryAfterSeconds).toBeGreaterThan(0)
    expect(refusalOf({ kind: 'rate_limited', retryAfterMs: 0, detail: '' }).retryAfterSeconds).toBe(1)
    expect(refusalOf({ kind: 'rate_limited', retryAfterMs: 1001, detail: '' }).retryAfterSeconds).toBe(2)
  })

  test('a bad request names the field at fault when it is known', () => {
    expect(refusalOf({ kind: 'bad_request', param: 'top_p', detail: '' }).param).toBe('top_p')
    expect(refusalOf({ kind: 'bad_request', detail: '' }).param).toBeNull()
    expect(refusalOf({ kind: 'too_large', detail: '' }).param).toBe('messages')
  })

  test.each(kinds)(
    '%s after the first event says that the answer was broken off, with the same code',
    (kind) => {
      const failure = { kind, status: 418, detail: 'sk-secret at acme.internal' }
      const { message, ...rest } = refusalOfBrokenOff(failure)
      expect(message).toMatch(
        BEGINNINGS[kind as keyof typeof BEGINNINGS] ?? /^The model's provider interrupted its answer.*\.$/,
      )
      expect(message).not.toMatch(/secret|acme|418|reached/)
      expect(refusalOf(failure)).toMatchObject(rest)
    },
  )
})
