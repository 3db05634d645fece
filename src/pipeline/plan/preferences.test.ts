import { describe, expect, test } from 'bun:test'
import { assert, boolean, constantFrom, property, record, uniqueArray } from 'fast-check'
import { textPrompt } from '../../../test/support/chatSamples.ts'
import type { RoutingPreferences } from '../../core/traits.ts'
import { groq } from '../../providers/groq.ts'
import type { Route } from '../../upstream/route.ts'
import { testRoute } from '../../../test/support/testRoute.ts'
import { applyPreferences } from './preferences.ts'
import { providersLeft, refusedBy } from '../../../test/support/testPlan.ts'

/** `d` is configured, and serves another model. */
const PROVIDERS = new Set(['a', 'b', 'c', 'd'])
const ROUTES = ['a', 'b', 'c'].map((name) => testRoute({ name }))

function verdictOf(preferences: RoutingPreferences, routes: readonly Route[] = ROUTES) {
  return applyPreferences(routes, preferences, { providers: PROVIDERS, at: 0, promptSize: textPrompt(0) })
}

const left = (...given: Parameters<typeof verdictOf>) => providersLeft(verdictOf(...given))
const refusalOf = (...given: Parameters<typeof verdictOf>) => refusedBy(verdictOf(...given))

describe('the routes that are left', () => {
  test('are all of them, in their order, when nothing is preferred', () => {
    expect(left({})).toEqual(['a', 'b', 'c'])
  })

  test('keep their order, whatever the order of the names: the router orders them', () => {
    expect(left({ only: ['c', 'a'] })).toEqual(['a', 'c'])
    expect(left({ order: ['c', 'a'] })).toEqual(['a', 'b', 'c'])
    expect(left({ order: ['c', 'a'], allowFallbacks: false })).toEqual(['a', 'c'])
  })

  test('are those that `only` names and `ignore` does not', () => {
    expect(left({ ignore: ['b', 'd'] })).toEqual(['a', 'c'])
    expect(left({ only: ['a', 'b', 'd'], ignore: ['a'] })).toEqual(['b'])
  })

  test('include the providers outside `order`, unless `allow_fallbacks` is false', () => {
    expect(left({ order: ['b'], allowFallbacks: true })).toEqual(['a', 'b', 'c'])
    expect(left({ order: ['b'], allowFallbacks: false })).toEqual(['b'])
    expect(left({ allowFallbacks: false })).toEqual(['a', 'b', 'c'])
  })

  test('are found by the name in the configuration, not by the kind of provider', () => {
    const ours = testRoute({ name: 'a', provider: groq })
    expect(left({ only: ['a'] }, [ours])).toEqual(['a'])
    expect(refusalOf({ only: ['groq'] }, [ours]).param).toBe('provider.only[0]')
  })
})

describe('a preference is refused by its own name', () => {
  test.each<[RoutingPreferences, string]>([
    [{ order: ['a', 'nobody'] }, 'provider.order[1]'],
    [{ only: ['nobody'] }, 'provider.only[0]'],
    [{ ignore: ['a', 'b', 'nobody'] }, 'provider.ignore[2]'],
    // Even where it could not have changed anything.
    [{ only: ['a'], order: ['nobody'], allowFallbacks: true }, 'provider.order[0]'],
  ])('when it names a provider that is not configured: %j', (preferences, param) => {
    const refusal = refusalOf(preferences)
    expect(refusal).toMatchObject({ code: 'invalid_request', param })
    expect(refusal.message).toContain(`\`${param}\``)
    expect(refusal.message).toEndWith(': "nobody".')
  })

  test.each<[RoutingPreferences, string]>([
    [{ only: ['d'] }, 'provider.only'],
    [{ ignore: ['a', 'b', 'c'] }, 'provider.ignore'],
    [{ only: ['a'], ignore: ['a'] }, 'provider.ignore'],
    [{ order: ['d'], allowFallbacks: false }, 'provider.order'],
    [{ only: ['a'], order: ['b'], allowFallbacks: false }, 'provider.order'],
  ])('when it leaves no provider: %j', (preferences, param) => {
    const refusal = refusalOf(preferences)
    expect(refusal).toMatchObject({ code: 'invalid_request', param })
    expect(refusal.message).toContain(`\`${param}\``)
  })

  test('an empty `only` leaves nobody, an empty `ignore` leaves all', () => {
    expect(refusalOf({ only: [] }).param).toBe('provider.only')
    expect(left({ ignore: [] })).toEqual(['a', 'b', 'c'])
  })
})

test('whatever is preferred, exactly the routes that every preference allows are left, or it is refused', () => {
  const names = uniqueArray(constantFrom(...PROVIDERS), { minLength: 1 })
  const preferences = record(
    { order: names, only: names, ignore: names, allowFallbacks: boolean() },
    { requiredKeys: [] },
  )
  assert(
    property(preferences, (preferences) => {
      const { order, only, ignore, allowFallbacks = true } = preferences
      const allowed = ['a', 'b', 'c'].filter(
        (name) =>
          (only?.includes(name) ?? true) &&
          !ignore?.includes(name) &&
          (allowFallbacks || (order?.includes(name) ?? true)),
      )
      if (allowed.length > 0) expect(left(preferences)).toEqual(allowed)
      else expect(refusalOf(preferences).code).toBe('invalid_request')
    }),
    { numRuns: 1_000 },
  )
})
