import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  OTHERS,
  OURS,
  THEIRS,
  only,
  provider,
  requestWith,
  routesAt,
  twoTargetsOf,
  worldOf,
} from '../../../test/support/routerWorld.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { WorkspaceId } from '../../core/id.ts'
import type { Route } from '../route.ts'
import { OPEN_FIRST_MS } from './circuit.ts'
import { LIMITED_EVERYONE_MAX_MS } from './effect.ts'
import { EVERYONE } from './scope.ts'
import { STRIKES_TO_OPEN } from './streak.ts'

function world(keys?: string[]) {
  const routes = routesAt([provider('a', keys), provider('b')])
  const made = worldOf(routes)
  return { ...made, a: only(routes), routes, theirs: made.of(THEIRS), others: made.of(OTHERS) }
}

/** What a request may bring about: whatever a provider answers to it, but for what says that it holds for everyone. */
const BROUGHT_ABOUT: readonly Omit<UpstreamFailure, 'detail'>[] = [
  { kind: 'server', status: 500 },
  { kind: 'timeout', code: 'first_event_timeout' },
  { kind: 'connection', code: 'connection_lost' },
  { kind: 'invalid_answer' },
  { kind: 'bad_request', status: 400 },
  { kind: 'malformed_output' },
  { kind: 'content_policy', status: 400 },
  { kind: 'too_dear', status: 402, sign: 'words' },
  { kind: 'not_found', status: 404 },
  { kind: 'rate_limited', status: 429 },
  { kind: 'rate_limited', status: 429, retryAfterMs: 20_000 },
  { kind: 'overloaded', status: 503 },
  { kind: 'overloaded', status: 529, retryAfterMs: 3_600_000 },
  { kind: 'credential', status: 400, sign: 'words' },
  { kind: 'credential', status: 400, sign: 'code' },
  { kind: 'credential', status: 403, sign: 'status' },
  { kind: 'billing', status: 400, sign: 'words' },
  { kind: 'billing', status: 400, sign: 'code' },
  { kind: 'billing', status: 429, sign: 'words' },
]

describe('what one workspace meets', () => {
  test.each(BROUGHT_ABOUT)('takes nothing from another: %p', (failure) => {
    const { a, fail, takes, theirs, order } = world()
    for (let i = 0; i < 10 * STRIKES_TO_OPEN; i++) {
      if (theirs.takes(a)) theirs.fail(a, failure.kind, failure)
      expect(takes(a)).toBe(true)
      expect(order()).toEqual(['a', 'b'])
    }
    // And its own strikes have their usual effect.
    expect(() => fail(a, 'server')).not.toThrow()
  })

  test('opens its circuit, and sends it elsewhere', () => {
    const { a, theirs, order, told, router } = world()
    for (let i = 0; i < STRIKES_TO_OPEN; i++) theirs.fail(a, 'server')
    expect(theirs.takes(a)).toBe(false)
    expect(theirs.order()).toEqual(['b', 'a'])
    expect(order()).toEqual(['a', 'b'])
    expect(router.availability([a], THEIRS)).toEqual({ waitMs: OPEN_FIRST_MS, refused: false })
    expect(router.availability([a], OURS)).toEqual({ waitMs: 0, refused: false })
    expect(told).toEqual([`a/m open for ${THEIRS}`])
  })

  test('parks a key for it alone when a 400 refuses the key by code', () => {
    const { a, theirs, takes, told } = world()
    theirs.fail(a, 'credential', { status: 400, sign: 'code' })
    expect(theirs.takes(a)).toBe(false)
    expect(takes(a)).toBe(true)
    expect(told).toEqual([`a#1 credential for ${THEIRS}`])
  })

  test('makes a key its last choice when a 400 refuses the key in words', () => {
    const { a, router, theirs } = world(['one', 'two'])
    theirs.fail(a, 'billing', { status: 400, sign: 'words' })
    const first = (workspaceId: WorkspaceId) => router.begin(a, workspaceId, 'stream')?.credential?.name
    expect([first(THEIRS), first(OURS)]).toEqual(['a#2', 'a#1'])
    theirs.fail(a, 'billing', { status: 400, sign: 'words' })
    expect(first(THEIRS)).toBe('a#1')
  })
})

describe('what two workspaces meet', () => {
  test('opens the circuit for everyone', () => {
    const { a, theirs, others, takes, told } = world()
    for (let i = 0; i < STRIKES_TO_OPEN; i++) [theirs, others][i % 2]?.fail(a, 'server')
    expect(takes(a)).toBe(false)
    expect(told).toEqual([`a/m open for ${EVERYONE}`])
  })

  test.each([
    ['rate_limited', 'a#1'],
    ['overloaded', 'a/m'],
  ] as const)('is not used by anyone for the time that the provider asked for: %s', (kind, what) => {
    const { a, theirs, others, takes, told, clock } = world()
    theirs.fail(a, kind, { retryAfterMs: 9_000 })
    expect(takes(a)).toBe(true)
    others.fail(a, kind, { retryAfterMs: 9_000 })
    expect(takes(a)).toBe(false)
    expect(told).toEqual([THEIRS, OTHERS, EVERYONE].map((scope) => `${what} ${kind} for ${scope}`))
    clock.now += 9_000
    expect(takes(a)).toBe(true)
  })

  test('is the last choice of everyone when the model is not there', () => {
    const { a, theirs, others, order } = world()
    theirs.fail(a, 'not_found', { status: 404 })
    expect(order()).toEqual(['a', 'b'])
    others.fail(a, 'not_found', { status: 404 })
    expect(order()).toEqual(['b', 'a'])
  })
})

describe('what holds for everyone', () => {
  test.each([
    ['a refused key', { kind: 'credential', status: 401 }],
    ['an unpaid account', { kind: 'billing', status: 402 }],
    ['a used-up quota, by its code', { kind: 'billing', status: 429, sign: 'code' }],
    ['a limit with nothing left', { kind: 'rate_limited', retryAfterMs: 9_000, remainingZero: true }],
  ] as const)('by one answer: %s', (_, failure) => {
    const { a, theirs, takes } = world()
    theirs.fail(a, failure.kind, failure)
    expect(takes(a)).toBe(false)
  })

  test('is a key that a 403 refuses by code: the last choice, at this target', () => {
    const [first, second] = twoTargetsOf(provider('a', ['one', 'two']))
    const { of, router } = worldOf([first, second])
    of(THEIRS).fail(first, 'credential', { status: 403, sign: 'code' })
    const keyAt = (route: Route) => router.begin(route, OURS, 'stream')?.credential?.name
    expect([keyAt(first), keyAt(second)]).toEqual(['a#2', 'a#1'])
  })

  test('is a provider that cannot be reached, whoever calls it', () => {
    const { a, theirs, takes, told } = world()
    for (let i = 0; i < STRIKES_TO_OPEN; i++) {
      expect(takes(a)).toBe(true)
      theirs.fail(a, 'connection', { unreachable: true })
    }
    expect(takes(a)).toBe(false)
    expect(told).toEqual([`a/m open for ${EVERYONE}`])
  })

  test('for a rate limit lasts a minute, whatever the provider asks for', () => {
    const { a, theirs, takes, clock } = world()
    theirs.fail(a, 'rate_limited', { retryAfterMs: 3_600_000, remainingZero: true })
    clock.now += LIMITED_EVERYONE_MAX_MS
    expect(takes(a)).toBe(true)
    expect(theirs.takes(a)).toBe(false)
  })
})

describe('what is not used', () => {
  test('is named with whom it holds for, why, until when; lifting it uses it again', () => {
    const { a, theirs, blocked, router, takes } = world()
    for (let i = 0; i < STRIKES_TO_OPEN; i++) theirs.fail(a, 'server')
    expect(blocked()).toEqual([`circuit for ${THEIRS}: server`])
    router.lift(router.blocks({ provider: 'a', scope: OURS }))
    expect(theirs.takes(a)).toBe(false)
    router.lift(router.blocks({ provider: 'a', scope: THEIRS }))
    expect(blocked()).toEqual([])
    expect([theirs.takes(a), takes(a)]).toEqual([true, true])
  })

  test('is lifted at one target, and stays at the other and for the whole provider', () => {
    const [first, second] = twoTargetsOf(provider('a'))
    const { router, fail, blocked } = worldOf([first, second])
    fail(first, 'overloaded', { retryAfterMs: 9_000 })
    fail(second, 'overloaded', { retryAfterMs: 9_000 })
    router.lift(router.blocks({ provider: 'a', upstreamModel: 'other' }))
    expect(router.blocks({ provider: 'a' }).map(({ upstreamModel }) => upstreamModel)).toEqual(['m'])
    fail(second, 'credential', { status: 401 })
    router.lift(router.blocks({ provider: 'a', upstreamModel: 'm' }))
    expect(blocked()).toEqual([`credential for ${EVERYONE}: credential`])
    router.lift(router.blocks({ provider: 'a' }))
    expect(blocked()).toEqual([])
  })

  test('is not lifted by a filter of another provider', () => {
    const { a, fail, router, blocked } = world()
    fail(a, 'credential', { status: 401 })
    router.lift(router.blocks({ provider: 'b' }))
    expect(blocked()).toHaveLength(1)
  })
})

const act = fc.record({
  who: fc.constantFrom('victim', 'mallory', 'third'),
  outcome: fc.option(fc.constantFrom(...BROUGHT_ABOUT), { freq: 3 }),
  breaksOff: fc.boolean(),
  after: fc.integer({ min: 0, max: 20_000 }),
})

test('a workspace is refused only for what it met itself, or what two others met', () => {
  fc.assert(
    fc.property(
      fc.array(act, { maxLength: 400 }),
      fc.boolean(),
      fc.boolean(),
      (acts, victimFails, thirdFails) => {
        const { router, clock, a } = world(['one', 'two'])
        const ids = { victim: OURS, mallory: THEIRS, third: OTHERS }
        const failed = new Set<string>()
        for (const { who, outcome, breaksOff, after } of acts) {
          clock.now += after
          const call = router.begin(a, ids[who], 'stream')
          const others = [...failed].filter((each) => each !== who).length
          if (!call) expect(failed.has(who) || others > 1).toBe(true)
          else if (outcome && (who === 'mallory' || (who === 'third' ? thirdFails : victimFails))) {
            router.failed(call, { detail: 'scripted', ...outcome })
            failed.add(who)
          } else {
            router.answered(call, 10)
            const mayBreak = who === 'mallory' || (who === 'third' ? thirdFails : victimFails)
            const failure: UpstreamFailure = { kind: 'connection', detail: 'scripted' }
            const broken = breaksOff && mayBreak
            if (broken) failed.add(who)
            router.ended(a, ids[who], {
              failure: broken ? failure : undefined,
              whole: !broken,
              outputTokens: 20,
              delivered: false,
              durationMs: 100,
            })
          }
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('a workspace that fails all the time does not change the order of another', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...BROUGHT_ABOUT), { maxLength: 100 }), (failures) => {
      const { router, a, routes } = world()
      for (const failure of failures) {
        const call = router.begin(a, THEIRS, 'stream')
        if (call) router.failed(call, { detail: 'scripted', ...failure })
        expect(router.order(routes, requestWith(), 'stream', OURS)).toEqual(routes)
      }
    }),
  )
})
