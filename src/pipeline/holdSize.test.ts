import { describe, expect, test } from 'bun:test'
import { chatRequest, textPrompt } from '../../test/support/chatSamples.ts'
import type { Model } from '../core/model.ts'
import { type Nano, nano } from '../core/money.ts'
import type { Price } from '../core/price.ts'
import { anthropic } from '../providers/anthropic.ts'
import { mistral } from '../providers/mistral.ts'
import { openai } from '../providers/openai.ts'
import { xai } from '../providers/xai.ts'
import type { Route } from '../upstream/route.ts'
import { testModel, testRoute } from '../upstream/testRoute.ts'
import { extensionAmount, holdAmount, outputTokensOf } from './holdSize.ts'

const NOON = Date.UTC(2026, 10, 21, 12)

/** Nano-dollars per token, as prices are written: per million. */
const perToken = (price: number): Nano => nano(BigInt(price) * 1_000_000n)

function routeAt(price: Price, more: Partial<Model> = {}, provider = openai): Route {
  return testRoute({ provider, model: testModel({ prices: [price], ...more }) })
}

/** 10 nano-dollars for an input token, 100 for an output token. */
const PLAIN = { input: perToken(10), output: perToken(100) }

describe('the output that a hold covers', () => {
  const model = testModel({ maxOutputTokens: 8_000, assumedOutputTokens: 500 })

  test('is all of `max_tokens` from the start when the caller gave it', () => {
    expect(outputTokensOf(chatRequest({ maxTokens: 3_000 }), model)).toEqual({ assumed: 3_000, most: 3_000 })
  })

  test('is never more than the model can write, however much the caller asks for', () => {
    const most = { assumed: 8_000, most: 8_000 }
    expect(outputTokensOf(chatRequest({ maxTokens: 8_001 }), model)).toEqual(most)
  })

  test('without `max_tokens` is what the model assumes, and may grow to all that it can write', () => {
    expect(outputTokensOf(chatRequest(), model)).toEqual({ assumed: 500, most: 8_000 })
    const terse = { ...model, maxOutputTokens: 300 }
    expect(outputTokensOf(chatRequest(), terse)).toEqual({ assumed: 300, most: 300 })
  })

  test('is counted for each of the `n` choices', () => {
    expect(outputTokensOf(chatRequest({ n: 3 }), model)).toEqual({ assumed: 1_500, most: 24_000 })
    expect(outputTokensOf(chatRequest({ n: 3, maxTokens: 40 }), model)).toEqual({ assumed: 120, most: 120 })
  })
})

describe('the hold for `n` choices', () => {
  const request = chatRequest({ n: 4, maxTokens: 20 })

  test.each([
    ['xAI, which takes no `n`', xai],
    ['Anthropic, whose format has no `n`', anthropic],
  ])('covers one prompt for each of the parallel calls to %s', (_, provider) => {
    const held = holdAmount(request, [routeAt(PLAIN, {}, provider)], textPrompt(1_000), NOON)
    expect(held).toBe(nano(4n * 1_000n * 10n + 4n * 20n * 100n))
  })

  test.each([openai, mistral])('covers one prompt for the one call to $id, which takes `n`', (provider) => {
    const held = holdAmount(request, [routeAt(PLAIN, {}, provider)], textPrompt(1_000), NOON)
    expect(held).toBe(nano(1_000n * 10n + 4n * 20n * 100n))
  })

  test('takes the price tier of one prompt, not of all the prompts together', () => {
    const tiers = [{ abovePromptTokens: 1_000, input: perToken(30), output: perToken(300) }]
    const route = routeAt({ ...PLAIN, tiers }, {}, xai)
    expect(holdAmount(request, [route], textPrompt(1_000), NOON)).toBe(
      nano(4n * 1_000n * 10n + 4n * 20n * 100n),
    )
    expect(holdAmount(request, [route], textPrompt(1_001), NOON)).toBe(
      nano(4n * 1_001n * 30n + 4n * 20n * 300n),
    )
  })
})

describe('the hold for several candidates', () => {
  const request = chatRequest()

  test('is that of the dearest one, wherever it stands among them', () => {
    const cheap = routeAt(PLAIN)
    const dear = routeAt({ input: perToken(20), output: perToken(200) })
    const held = nano(1_000n * 20n + 500n * 200n)
    expect(holdAmount(request, [cheap, dear], textPrompt(1_000), NOON)).toBe(held)
    expect(holdAmount(request, [dear, cheap], textPrompt(1_000), NOON)).toBe(held)
  })

  test('counts for each the output that its own model may write', () => {
    const dearButTerse = routeAt({ input: perToken(10), output: perToken(200) }, { assumedOutputTokens: 10 })
    const held = holdAmount(request, [dearButTerse, routeAt(PLAIN)], textPrompt(1_000), NOON)
    expect(held).toBe(nano(1_000n * 10n + 500n * 100n))
  })

  test('counts for each the calls that its own provider needs', () => {
    const routes = [routeAt(PLAIN), routeAt(PLAIN, {}, xai)]
    const held = holdAmount(chatRequest({ n: 2, maxTokens: 20 }), routes, textPrompt(1_000), NOON)
    expect(held).toBe(nano(2n * 1_000n * 10n + 2n * 20n * 100n))
  })
})

describe('the hold for media', () => {
  const request = chatRequest()
  const size = { ...textPrompt(100), images: 2 }

  test('is at what an image costs on the dearest of the models, and not below its text', () => {
    const held = (imageTokens: number): Nano =>
      holdAmount(request, [routeAt(PLAIN, { imageTokens })], size, NOON)
    expect(held(0)).toBe(nano(100n * 10n + 500n * 100n))
    expect(held(48_169)).toBe(nano((100n + 2n * 48_169n) * 10n + 500n * 100n))
    const routes = [routeAt(PLAIN, { imageTokens: 1_200 }), routeAt(PLAIN, { imageTokens: 14_364 })]
    expect(holdAmount(request, routes, size, NOON)).toBe(nano((100n + 2n * 14_364n) * 10n + 500n * 100n))
  })

  test('is at the whole context, and its price tier, where a document may be anything', () => {
    const tiers = [{ abovePromptTokens: 1_000, input: perToken(30), output: perToken(300) }]
    const route = routeAt({ ...PLAIN, tiers }, { contextLength: 50_000 })
    const document = { ...textPrompt(100), unfolds: true }
    expect(holdAmount(request, [route], document, NOON)).toBe(nano(50_000n * 30n + 500n * 300n))
    expect(extensionAmount(route, document, 7, NOON)).toBe(nano(7n * 300n))
  })
})

test('a hold and its extension take the price in force when the request came', () => {
  const later = { input: perToken(20), output: perToken(200), validFrom: NOON }
  const route = testRoute({ model: testModel({ prices: [PLAIN, later] }) })
  expect(holdAmount(chatRequest(), [route], textPrompt(1_000), NOON - 1)).toBe(
    nano(1_000n * 10n + 500n * 100n),
  )
  expect(holdAmount(chatRequest(), [route], textPrompt(1_000), NOON)).toBe(nano(1_000n * 20n + 500n * 200n))
  expect(extensionAmount(route, textPrompt(1_000), 7, NOON - 1)).toBe(nano(700n))
  expect(extensionAmount(route, textPrompt(1_000), 7, NOON)).toBe(nano(1_400n))
})

test('an extension pays for output alone, at the tier of the prompt and at the dearest class of output', () => {
  const tiers = [{ abovePromptTokens: 1_000, input: perToken(30), output: perToken(300) }]
  const route = routeAt({ ...PLAIN, reasoning: perToken(150), tiers })
  expect(extensionAmount(route, textPrompt(1_000), 7, NOON)).toBe(nano(7n * 150n))
  expect(extensionAmount(route, textPrompt(1_001), 7, NOON)).toBe(nano(7n * 300n))
})
