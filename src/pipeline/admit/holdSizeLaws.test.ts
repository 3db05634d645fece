import { expect, test } from 'bun:test'
import { array, assert, constantFrom, integer, nat, property, record, tuple } from 'fast-check'
import { chatRequest, textPrompt, usageOf } from '../../../test/support/chatSamples.ts'
import { type Nano, addNano, nano } from '../../core/money.ts'
import { type Price, chargeFor, chargeLines, unitPricesFor } from '../../core/price.ts'
import { anthropic } from '../../providers/anthropic.ts'
import { openai } from '../../providers/openai.ts'
import { xai } from '../../providers/xai.ts'
import { callsFor } from '../../upstream/fanOut.ts'
import { testModel, testRoute } from '../../../test/support/testRoute.ts'
import { extensionAmount, holdFor, outputTokensFor, outputTokensOf } from './holdSize.ts'

const NOON = Date.UTC(2026, 10, 21, 12)

// Any integer: most amounts need rounding.
const unitPrice = nat(2_000_000_000).map((price) => nano(BigInt(price)))
const unitPrices = record(
  {
    input: unitPrice,
    output: unitPrice,
    cachedInput: unitPrice,
    cacheWrite: unitPrice,
    reasoning: unitPrice,
  },
  { requiredKeys: ['input', 'output'] },
)
const prices = tuple(unitPrices, unitPrices, nat(2_000)).map(([price, tier, abovePromptTokens]): Price => ({
  ...price,
  tiers: [{ ...tier, abovePromptTokens }],
}))
const routes = tuple(prices, constantFrom(openai, xai, anthropic), nat(400)).map(
  ([price, provider, assumedOutputTokens]) =>
    testRoute({ provider, model: testModel({ prices: [price], assumedOutputTokens }) }),
)
/** Which classes a call's tokens fall into, in percent. */
const shares = record({ cached: nat(50), written: nat(50), output: nat(100), reasoning: nat(100) })

test('no candidate charges more than was held, however the tokens fall into classes', () => {
  const candidates = array(routes, { minLength: 1, maxLength: 4 })
  assert(
    property(
      candidates,
      integer({ min: 1, max: 5 }),
      nat(3_000),
      shares,
      (routes, n, promptTokens, share) => {
        const request = chatRequest({ n })
        const { need: held } = holdFor(request, routes, textPrompt(promptTokens), NOON)
        const part = (whole: number, percent: number): number => Math.floor((whole * percent) / 100)
        for (const route of routes) {
          const prompt = promptTokens * callsFor(request, route)
          const completion = part(outputTokensOf(request, route.model).needed, share.output)
          const usage = usageOf(prompt, completion, {
            cachedTokens: part(prompt, share.cached),
            cacheWriteTokens: part(prompt, share.written),
            reasoningTokens: part(completion, share.reasoning),
          })
          const charge = chargeFor(chargeLines(usage, unitPricesFor(route.model.prices[0], promptTokens)))
          expect(charge).toBeLessThanOrEqual(held)
        }
      },
    ),
  )
})

test('a hold that grew covers what a hold for all of the output would have covered', () => {
  assert(
    property(routes, nat(3_000), integer({ min: 1, max: 400 }), nat(400), (route, prompt, first, more) => {
      const hold = (maxTokens: number): Nano =>
        holdFor(chatRequest({ maxTokens }), [route], textPrompt(prompt), NOON).most
      const grown = addNano(hold(first), extensionAmount(route, textPrompt(prompt), more, NOON))
      expect(grown).toBeGreaterThanOrEqual(hold(first + more))
    }),
  )
})

test('an amount pays exactly the output whose ceiling is within it', () => {
  assert(
    property(routes, nat(3_000), integer({ min: 1, max: 400 }), (route, prompt, maxTokens) => {
      const request = chatRequest({ maxTokens })
      const { most } = holdFor(request, [route], textPrompt(prompt), NOON)
      const paid = outputTokensFor(most, { request, prompt: { size: textPrompt(prompt) } }, route, NOON)
      expect(paid).toBeGreaterThanOrEqual(maxTokens)
      const within = holdFor(chatRequest({ maxTokens: paid }), [route], textPrompt(prompt), NOON)
      if (paid <= route.model.maxOutputTokens) expect(within.most).toBeLessThanOrEqual(most)
    }),
  )
})
