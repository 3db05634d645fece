import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { FailureKind, UpstreamFailure } from '../../core/failure.ts'
import {
  ASKED_MAX_MS,
  type Cooling,
  LIMITED_FIRST_MS,
  REFUSED_FIRST_MS,
  REFUSED_MAX_MS,
  createParking,
  effectOf,
} from './credentials.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const REFUSED: Cooling = {
  on: 'credential',
  firstMs: REFUSED_FIRST_MS,
  maxMs: REFUSED_MAX_MS,
  firm: true,
}

function failure(kind: FailureKind, more: Partial<UpstreamFailure> = {}): UpstreamFailure {
  return { kind, detail: 'scripted', ...more }
}

describe('what a failure tells', () => {
  test.each([
    ['connection', 'circuit'],
    ['timeout', 'circuit'],
    ['server', 'circuit'],
    ['invalid_answer', 'circuit'],
    ['bad_request', 'request'],
    ['too_large', 'request'],
    ['content_policy', 'request'],
    ['malformed_output', 'request'],
    ['credential', 'request'],
    ['billing', 'request'],
    ['not_found', 'target'],
    ['rate_limited', 'place'],
    ['overloaded', 'target'],
  ] as const)('%s is about the %s', (kind, on) => {
    expect(effectOf(failure(kind)).on).toBe(on)
  })

  test('a 401 refuses the credential everywhere, a 403 with a listed code at this target and not for sure', () => {
    expect(effectOf(failure('credential', { status: 401 }))).toMatchObject({ on: 'credential', firm: true })
    const forbidden = { status: 403, sign: 'code' } as const
    expect(effectOf(failure('credential', forbidden))).toMatchObject({ on: 'place', firm: false })
  })

  test.each([
    ['credential', { status: 403, sign: 'status' }],
    ['credential', { status: 403, sign: 'words' }],
    ['credential', { status: 400, sign: 'code' }],
    ['credential', { status: 400, sign: 'words' }],
    ['billing', { status: 400, sign: 'code' }],
    ['billing', { status: 400, sign: 'words' }],
    ['billing', { status: 422, sign: 'code' }],
    ['billing', { status: 429, sign: 'words' }],
    ['billing', { sign: 'words' }],
    ['too_dear', { status: 402, sign: 'words' }],
  ] as const)('%s by %p parks nothing: a caller may have brought it about', (kind, more) => {
    expect(effectOf(failure(kind, more))).toEqual({ on: 'request' })
  })

  test('a 402, or a listed code with a 429, is the bill', () => {
    for (const more of [
      { status: 402, sign: 'status' },
      { status: 429, sign: 'code' },
    ] as const)
      expect(effectOf(failure('billing', more))).toMatchObject({ on: 'credential', firm: true })
  })

  test.each(['rate_limited', 'overloaded'] as const)('%s: a wait that was asked for is kept', (kind) => {
    expect(effectOf(failure(kind, { retryAfterMs: 7000 }))).toMatchObject({ askedMs: 7000, firm: true })
    expect(effectOf(failure(kind, { retryAfterMs: 864e5 }))).toMatchObject({ askedMs: ASKED_MAX_MS })
    expect(effectOf(failure(kind))).toMatchObject({ firm: false })
  })
})

describe('a parking', () => {
  test('lasts its time, and says why and until when', () => {
    const parking = createParking()
    expect(parking.standing(NOON)).toBe('ready')
    parking.cool(REFUSED, 'credential', NOON)
    expect(parking.standing(NOON + REFUSED_FIRST_MS - 1)).toBe('parked')
    expect(parking.reason(NOON)).toBe('credential')
    expect(parking.until(NOON)).toBe(NOON + REFUSED_FIRST_MS)
    expect(parking.standing(NOON + REFUSED_FIRST_MS)).toBe('ready')
    expect(parking.reason(NOON + REFUSED_FIRST_MS)).toBeUndefined()
  })

  test('doubles with each round, up to its cap, and starts anew after a success', () => {
    const parking = createParking()
    let at = NOON
    let wait = REFUSED_FIRST_MS
    for (let round = 0; round < 8; round++) {
      parking.cool(REFUSED, 'credential', at)
      expect(parking.until(at)).toBe(at + wait)
      at += wait
      wait = Math.min(wait * 2, REFUSED_MAX_MS)
    }
    parking.clear()
    parking.cool(REFUSED, 'credential', at)
    expect(parking.until(at)).toBe(at + REFUSED_FIRST_MS)
  })

  test('counts calls that fail together as one round', () => {
    const parking = createParking()
    for (let i = 0; i < 100; i++) parking.cool(REFUSED, 'credential', NOON + i)
    const until = parking.until(NOON + 100) ?? 0
    expect(until).toBe(NOON + 99 + REFUSED_FIRST_MS)
  })

  test('a guess leaves it the last choice, and a guess never loosens what is firm', () => {
    const guess: Cooling = { on: 'place', firstMs: LIMITED_FIRST_MS, maxMs: LIMITED_FIRST_MS, firm: false }
    const parking = createParking()
    parking.cool(guess, 'rate_limited', NOON)
    expect(parking.standing(NOON)).toBe('last_choice')
    parking.cool(REFUSED, 'credential', NOON)
    parking.cool(guess, 'rate_limited', NOON)
    expect(parking.standing(NOON)).toBe('parked')
    expect(parking.until(NOON)).toBe(NOON + REFUSED_FIRST_MS)
  })

  test('never lasts longer than its cap or what was asked for, whatever happens', () => {
    const cooling = fc.record({
      on: fc.constant('place' as const),
      firstMs: fc.constant(LIMITED_FIRST_MS),
      maxMs: fc.constant(REFUSED_MAX_MS),
      firm: fc.boolean(),
      askedMs: fc.integer({ min: 1, max: ASKED_MAX_MS }),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(cooling, fc.nat({ max: 100_000 }))), (steps) => {
        const parking = createParking()
        let at = NOON
        for (const [step, after] of steps) {
          at += after
          parking.cool(step, 'rate_limited', at)
          expect((parking.until(at) ?? at) - at).toBeLessThanOrEqual(ASKED_MAX_MS)
          expect(parking.standing(at + ASKED_MAX_MS)).toBe('ready')
        }
      }),
    )
  })
})
