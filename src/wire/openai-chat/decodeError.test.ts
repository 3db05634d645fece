import { describe, expect, test } from 'bun:test'
import type { FailureKind, UpstreamFailure } from '../../core/failure.ts'
import errors from './__fixtures__/errors.json'
import { decodeError, failureInside } from './decodeError.ts'
import { callerParam } from '../callerParam.ts'

interface ErrorFixture {
  readonly source: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly kind: string
  readonly sign: string
  readonly code?: string
  readonly param?: string
  readonly limit?: number
  readonly requested?: number
  readonly retryAfterMs?: number
  readonly remainingZero?: boolean
}

const fixtures: readonly ErrorFixture[] = errors

describe('decodeError', () => {
  for (const fixture of fixtures) {
    const { source, status, headers, body, kind, sign, code, param, retryAfterMs, remainingZero } = fixture
    const { limit, requested } = fixture
    test(`${source} (${status}) is ${kind}`, () => {
      const entries = Object.entries(headers).map(([name, value]) => [name, value ?? ''] as const)
      const failure = decodeError({ status, headers: new Map(entries), body })
      expect({ ...failure, detail: '' }).toEqual({
        kind: kind as FailureKind,
        sign: sign as NonNullable<UpstreamFailure['sign']>,
        status,
        ...(code !== undefined && { code }),
        ...(param !== undefined && { param }),
        ...(limit !== undefined && { limit }),
        ...(requested !== undefined && { requested }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(remainingZero && { remainingZero: true }),
        detail: '',
      })
    })
  }

  test.each([
    ['Please try again in 1m2.5s.', 62_500],
    ['please try again after 3 seconds', 3_000],
    ['please try again after 1 second', 1_000],
    ['please try again later', undefined],
  ])('%j asks to wait for %p ms', (message, retryAfterMs) => {
    const body = JSON.stringify({ error: { message, type: 'rate_limit_reached_error' } })
    expect(decodeError({ status: 429, headers: new Map(), body }).retryAfterMs).toBe(retryAfterMs)
  })

  test('a prompt that is flagged is known by its words where there is no status', () => {
    const message = 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.'
    const error = { message, type: 'invalid_request_error', code: 'invalid_prompt' }
    expect(failureInside({ error })).toMatchObject({ kind: 'content_policy', code: 'invalid_prompt' })
  })

  test("the provider's own words are kept for the log, cut to a bound", () => {
    const body = JSON.stringify({ error: { message: 'x'.repeat(10_000), code: 'odd_code' } })
    const { detail } = decodeError({ status: 400, headers: new Map(), body })
    expect(detail.startsWith('odd_code: xxx')).toBe(true)
    expect(detail.length).toBeLessThanOrEqual(2000)
  })
})

describe('callerParam', () => {
  test('paths are brought to our spelling', () => {
    expect(callerParam('messages.[12].content')).toBe('messages[12].content')
    expect(callerParam('tools.0.function.name')).toBe('tools[0].function.name')
    expect(callerParam('response_format')).toBe('response_format')
  })

  test('a path ends before the first name that is not one of the interface', () => {
    expect(callerParam('messages[0].content.sk_proj_abcdefgh')).toBe('messages[0].content')
    expect(callerParam('tools.0.function.parameters.properties.home_address.type')).toBe(
      'tools[0].function.parameters.properties',
    )
  })

  test('what is no field of the caller, or could be anything, is not told', () => {
    for (const param of [
      'model',
      'quota',
      'input',
      'messages; drop',
      'https://x',
      `messages${'[0]'.repeat(99)}`,
    ]) {
      expect(callerParam(param)).toBeUndefined()
    }
  })
})
