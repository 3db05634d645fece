import { describe, expect, test } from 'bun:test'
import { textPrompt } from '../../../test/support/chatSamples.ts'
import type { RoutingPreferences } from '../../core/traits.ts'
import { type Nano, nano } from '../../core/money.ts'
import type { Price } from '../../core/price.ts'
import type { PromptSize } from '../../core/promptSize.ts'
import type { Route } from '../../upstream/route.ts'
import { testModel, testRoute } from '../../../test/support/testRoute.ts'
import { applyPreferences, type RoutesVerdict } from './preferences.ts'
import { providersLeft, refusedBy } from '../../../test/support/testPlan.ts'

const NOON = Date.UTC(2026, 10, 21, 12)
const usd = (dollars: number): Nano => nano(BigInt(Math.round(dollars * 1e9)))

/** A route at a provider of this name, and its price per million tokens. */
function routeAt(name: string, input = 1, output = 2, more: Partial<Price> = {}): Route {
  const prices: Price = { input: usd(input), output: usd(output), ...more }
  return testRoute({ name, model: testModel({ prices: [prices] }) })
}

const PROVIDERS = new Set(['a', 'b', 'c'])
const ROUTES = [routeAt('a', 3, 4), routeAt('b', 1, 9), routeAt('c', 2, 4)]

function verdictOf(preferences: RoutingPreferences, routes: readonly Route[] = ROUTES, at = NOON) {
  return applyPreferences(routes, preferences, { providers: PROVIDERS, at, promptSize: textPrompt(1_000) })
}

const left = (...given: Parameters<typeof verdictOf>) => providersLeft(verdictOf(...given))
const refusalOf = (...given: Parameters<typeof verdictOf>) => refusedBy(verdictOf(...given))

describe('a highest price', () => {
  test('leaves the routes whose input and output both cost no more', () => {
    expect(left({ maxPrice: { input: usd(2) } })).toEqual(['b', 'c'])
    expect(left({ maxPrice: { output: usd(4) } })).toEqual(['a', 'c'])
    expect(left({ maxPrice: { input: usd(2), output: usd(4) } })).toEqual(['c'])
    expect(left({ maxPrice: {} })).toEqual(['a', 'b', 'c'])
  })

  test('allows a price of zero only to what is free', () => {
    const routes = [routeAt('a'), routeAt('b', 0, 0)]
    expect(left({ maxPrice: { input: usd(0), output: usd(0) } }, routes)).toEqual(['b'])
  })

  test('is compared with the price in force when the request came', () => {
    const prices = [
      { input: usd(1), output: usd(1) },
      { input: usd(5), output: usd(5), validFrom: NOON },
    ] as const
    const route = testRoute({ name: 'a', model: testModel({ prices }) })
    expect(left({ maxPrice: { input: usd(1) } }, [route], NOON - 1)).toEqual(['a'])
    expect(refusalOf({ maxPrice: { input: usd(1) } }, [route], NOON).param).toBe('provider.max_price')
  })

  test("is compared with the price tier of the request's prompt", () => {
    const tier = (abovePromptTokens: number) => [{ abovePromptTokens, input: usd(5), output: usd(5) }]
    const routes = [routeAt('a', 1, 1, { tiers: tier(999) }), routeAt('b', 1, 1, { tiers: tier(1_000) })]
    expect(left({ maxPrice: { input: usd(1) } }, routes)).toEqual(['b'])
  })

  test('is compared with the price tier that images and documents may reach on that very model', () => {
    const tiers = [{ abovePromptTokens: 5_000, input: usd(5), output: usd(5) }]
    const at = (name: string, imageTokens: number): Route =>
      testRoute({
        name,
        model: testModel({ prices: [{ input: usd(1), output: usd(1), tiers }], imageTokens }),
      })
    const routes = [at('a', 4_800), at('b', 1_200)]
    const leftOf = (more: Partial<PromptSize>): RoutesVerdict => {
      const promptSize = { ...textPrompt(1_000), ...more }
      return applyPreferences(
        routes,
        { maxPrice: { input: usd(1) } },
        { providers: PROVIDERS, at: 0, promptSize },
      )
    }
    expect(providersLeft(leftOf({}))).toEqual(['a', 'b'])
    expect(providersLeft(leftOf({ images: 1 }))).toEqual(['b'])
    expect(refusedBy(leftOf({ unfolds: true })).param).toBe('provider.max_price')
  })

  test('below every price is refused with the lowest price among the routes that were left', () => {
    const refusal = refusalOf({ maxPrice: { input: usd(0.5) }, ignore: ['c'] })
    expect(refusal).toMatchObject({ code: 'invalid_request', param: 'provider.max_price' })
    expect(refusal.message).toContain('`provider.max_price`')
    // Input and output together: a costs 7 and b costs 10. c would cost 6.
    expect(refusal.message).toContain('$3.00 for input and $4.00 for output')
  })
})
