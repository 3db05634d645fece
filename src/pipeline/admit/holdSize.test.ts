import { hidesReasoning } from '../../core/hidesReasoning.ts'
import { describe, expect, test } from 'bun:test'
import { chatRequest, textPrompt } from '../../../test/support/chatSamples.ts'
import type { HiddenReasoning, Model } from '../../core/model.ts'
import { type Nano, nano } from '../../core/money.ts'
import type { Price } from '../../core/price.ts'
import { anthropic } from '../../providers/anthropic.ts'
import { mistral } from '../../providers/mistral.ts'
import { openai } from '../../providers/openai.ts'
import { xai } from '../../providers/xai.ts'
import type { Route } from '../../upstream/route.ts'
import { testModel, testRoute } from '../../../test/support/testRoute.ts'
import { extensionAmount, holdFor, outputLimitFor, outputTokensFor, outputTokensOf } from './holdSize.ts'

const NOON = Date.UTC(2026, 10, 21, 12)

/** Nano-dollars per token, as prices are written: per million. */
const perToken = (price: number): Nano => nano(BigInt(price) * 1_000_000n)

function routeAt(price: Price, more: Partial<Model> = {}, provider = openai): Route {
  return testRoute({ provider, model: testModel({ prices: [price], ...more }) })
}

/** 10 nano-dollars for an input token, 100 for an output token. */
const PLAIN = { input: perToken(10), output: perToken(100) }

/** What a call needs at first. */
function needOf(...given: Parameters<typeof holdFor>): Nano {
  return holdFor(...given).need
}

describe('the output that a hold covers', () => {
  const model = testModel({ maxOutputTokens: 8_000, assumedOutputTokens: 500 })

  test('is all of `max_tokens` from the start when the caller gave it', () => {
    expect(outputTokensOf(chatRequest({ maxTokens: 3_000 }), model)).toEqual({ needed: 3_000, most: 3_000 })
  })

  test('is never more than the model can write, however much the caller asks for', () => {
    const most = { needed: 6_000, most: 6_000 }
    expect(outputTokensOf(chatRequest({ maxTokens: 7_999 }), { ...model, maxOutputTokens: 6_000 })).toEqual(
      most,
    )
  })

  test('is what such answers take where `max_tokens` is a ceiling: more than sixteen times that', () => {
    const wide = { ...model, maxOutputTokens: 64_000 }
    expect(outputTokensOf(chatRequest({ maxTokens: 8_000 }), wide)).toEqual({ needed: 8_000, most: 8_000 })
    expect(outputTokensOf(chatRequest({ maxTokens: 8_001 }), wide)).toEqual({ needed: 500, most: 8_001 })
    expect(outputTokensOf(chatRequest({ maxTokens: 8_001 }), model)).toEqual({ needed: 500, most: 8_000 })
  })

  test('without `max_tokens` is what the model assumes, and may grow to all that it can write', () => {
    expect(outputTokensOf(chatRequest(), model)).toEqual({ needed: 500, most: 8_000 })
    const terse = { ...model, maxOutputTokens: 300 }
    expect(outputTokensOf(chatRequest(), terse)).toEqual({ needed: 300, most: 300 })
  })

  test('is counted for each of the `n` choices', () => {
    expect(outputTokensOf(chatRequest({ n: 3 }), model)).toEqual({ needed: 1_500, most: 24_000 })
    expect(outputTokensOf(chatRequest({ n: 3, maxTokens: 40 }), model)).toEqual({ needed: 120, most: 120 })
  })
})

describe('the hold for `n` choices', () => {
  const request = chatRequest({ n: 4, maxTokens: 20 })

  test.each([
    ['xAI, which takes no `n`', xai],
    ['Anthropic, whose format has no `n`', anthropic],
  ])('covers one prompt for each of the parallel calls to %s', (_, provider) => {
    const held = needOf(request, [routeAt(PLAIN, {}, provider)], textPrompt(1_000), NOON)
    expect(held).toBe(nano(4n * 1_000n * 10n + 4n * 20n * 100n))
  })

  test.each([openai, mistral])('covers one prompt for the one call to $id, which takes `n`', (provider) => {
    const held = needOf(request, [routeAt(PLAIN, {}, provider)], textPrompt(1_000), NOON)
    expect(held).toBe(nano(1_000n * 10n + 4n * 20n * 100n))
  })

  test('takes the price tier of one prompt, not of all the prompts together', () => {
    const tiers = [{ abovePromptTokens: 1_000, input: perToken(30), output: perToken(300) }]
    const route = routeAt({ ...PLAIN, tiers }, {}, xai)
    expect(needOf(request, [route], textPrompt(1_000), NOON)).toBe(nano(4n * 1_000n * 10n + 4n * 20n * 100n))
    expect(needOf(request, [route], textPrompt(1_001), NOON)).toBe(nano(4n * 1_001n * 30n + 4n * 20n * 300n))
  })
})

describe('the hold for several candidates', () => {
  const request = chatRequest()

  test('is that of the dearest one, wherever it stands among them', () => {
    const cheap = routeAt(PLAIN)
    const dear = routeAt({ input: perToken(20), output: perToken(200) })
    const held = nano(1_000n * 20n + 500n * 200n)
    expect(needOf(request, [cheap, dear], textPrompt(1_000), NOON)).toBe(held)
    expect(needOf(request, [dear, cheap], textPrompt(1_000), NOON)).toBe(held)
  })

  test('counts for each the output that its own model may write', () => {
    const dearButTerse = routeAt({ input: perToken(10), output: perToken(200) }, { assumedOutputTokens: 10 })
    const held = needOf(request, [dearButTerse, routeAt(PLAIN)], textPrompt(1_000), NOON)
    expect(held).toBe(nano(1_000n * 10n + 500n * 100n))
  })

  test('counts for each the calls that its own provider needs', () => {
    const routes = [routeAt(PLAIN), routeAt(PLAIN, {}, xai)]
    const held = needOf(chatRequest({ n: 2, maxTokens: 20 }), routes, textPrompt(1_000), NOON)
    expect(held).toBe(nano(2n * 1_000n * 10n + 2n * 20n * 100n))
  })
})

describe('the hold for media', () => {
  const request = chatRequest()
  const size = { ...textPrompt(100), images: 2 }

  test('is at what an image costs on the dearest of the models, and not below its text', () => {
    const held = (imageTokens: number): Nano => needOf(request, [routeAt(PLAIN, { imageTokens })], size, NOON)
    expect(held(0)).toBe(nano(100n * 10n + 500n * 100n))
    expect(held(48_169)).toBe(nano((100n + 2n * 48_169n) * 10n + 500n * 100n))
    const routes = [routeAt(PLAIN, { imageTokens: 1_200 }), routeAt(PLAIN, { imageTokens: 14_364 })]
    expect(needOf(request, routes, size, NOON)).toBe(nano((100n + 2n * 14_364n) * 10n + 500n * 100n))
  })

  test('is at the whole context, and its price tier, where a document may be anything', () => {
    const tiers = [{ abovePromptTokens: 1_000, input: perToken(30), output: perToken(300) }]
    const route = routeAt({ ...PLAIN, tiers }, { contextLength: 50_000 })
    const document = { ...textPrompt(100), unfolds: true }
    expect(needOf(request, [route], document, NOON)).toBe(nano(50_000n * 30n + 500n * 300n))
    expect(extensionAmount(route, document, 7, NOON)).toBe(nano(7n * 300n))
  })
})

test('a hold and its extension take the price in force when the request came', () => {
  const later = { input: perToken(20), output: perToken(200), validFrom: NOON }
  const route = testRoute({ model: testModel({ prices: [PLAIN, later] }) })
  expect(needOf(chatRequest(), [route], textPrompt(1_000), NOON - 1)).toBe(nano(1_000n * 10n + 500n * 100n))
  expect(needOf(chatRequest(), [route], textPrompt(1_000), NOON)).toBe(nano(1_000n * 20n + 500n * 200n))
  expect(extensionAmount(route, textPrompt(1_000), 7, NOON - 1)).toBe(nano(700n))
  expect(extensionAmount(route, textPrompt(1_000), 7, NOON)).toBe(nano(1_400n))
})

test('an extension pays for output alone, at the tier of the prompt and at the dearest class of output', () => {
  const tiers = [{ abovePromptTokens: 1_000, input: perToken(30), output: perToken(300) }]
  const route = routeAt({ ...PLAIN, reasoning: perToken(150), tiers })
  expect(extensionAmount(route, textPrompt(1_000), 7, NOON)).toBe(nano(7n * 150n))
  expect(extensionAmount(route, textPrompt(1_001), 7, NOON)).toBe(nano(7n * 300n))
})

describe('the most that a call can cost', () => {
  test('is the prompt and all that its dearest candidate may write', () => {
    const routes = [routeAt(PLAIN, { maxOutputTokens: 8_000 }), routeAt(PLAIN, { maxOutputTokens: 300 }, xai)]
    expect(holdFor(chatRequest({ n: 2 }), routes, textPrompt(1_000), NOON)).toEqual({
      need: nano(1_000n * 10n + 2n * 500n * 100n),
      most: nano(1_000n * 10n + 2n * 8_000n * 100n),
    })
  })
})

const ASKED = { request: chatRequest(), prompt: { size: textPrompt(1_000) } }

describe('the output that an amount pays', () => {
  test('is what is left of it beside the prompt, in whole tokens of the dearest class', () => {
    const route = routeAt({ ...PLAIN, reasoning: perToken(150) })
    const paid = (amount: bigint): number => outputTokensFor(nano(amount), ASKED, route, NOON)
    expect([paid(9_999n), paid(10_000n), paid(10_149n), paid(10_150n), paid(25_000n)]).toEqual([
      0, 0, 0, 1, 100,
    ])
  })

  test('has no end where output costs nothing', () => {
    const route = routeAt({ input: perToken(10), output: perToken(0) })
    expect(outputTokensFor(nano(10_000n), ASKED, route, NOON)).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe('the output limit that hold and balance set', () => {
  const model = testModel({ maxOutputTokens: 8_000 })

  test('is what they pay, for each choice', () => {
    expect(outputLimitFor(700, chatRequest(), model)).toBe(700)
    expect(outputLimitFor(700, chatRequest({ n: 3 }), model)).toBe(233)
    expect(outputLimitFor(700, chatRequest({ maxTokens: 701 }), model)).toBe(700)
    expect(outputLimitFor(0, chatRequest(), model)).toBe(1)
  })

  test('is none where they pay all that the caller, or the model, allows', () => {
    expect(outputLimitFor(700, chatRequest({ maxTokens: 700 }), model)).toBeUndefined()
    expect(outputLimitFor(8_000, chatRequest(), model)).toBeUndefined()
    expect(outputLimitFor(7_999, chatRequest(), model)).toBe(7_999)
  })
})

describe('reasoning out of sight', () => {
  const hides = (hiddenReasoning: HiddenReasoning | undefined, reasoningEffort?: string): boolean =>
    hidesReasoning(
      chatRequest({ ...(reasoningEffort !== undefined && { reasoningEffort }) }),
      testModel({ ...(hiddenReasoning && { hiddenReasoning }) }),
    )

  test('is a fact of the model, and of the request where the model waits to be asked', () => {
    expect([hides(undefined), hides(undefined, 'high')]).toEqual([false, false])
    expect([hides('on_request'), hides('on_request', 'high')]).toEqual([false, true])
    expect([hides('always'), hides('always', 'low'), hides('always', 'none')]).toEqual([true, true, true])
    expect(hides('on_request', 'none')).toBe(false)
    expect([hides('by_default'), hides('by_default', 'low'), hides('by_default', 'none')]).toEqual([
      true,
      true,
      false,
    ])
  })
})
