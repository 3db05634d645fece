import { describe, expect, test } from 'bun:test'
import { chatRequest, textPrompt } from '../../../test/support/chatSamples.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { Model } from '../../core/model.ts'
import { type Nano, nano } from '../../core/money.ts'
import { LEAST_PROMPT, type PromptSize } from '../../core/promptSize.ts'
import { testModel, testRoute } from '../../../test/support/testRoute.ts'
import { holdFor } from './holdSize.ts'
import type { Plan } from '../plan/plan.ts'
import { remediesFor } from './remedies.ts'

const NOON = Date.UTC(2026, 10, 21, 12)
/** 10 nano-dollars for an input token, 100 for an output token. */
const PRICE = { input: nano(10_000_000n), output: nano(100_000_000n) }
const DOCUMENTS = 'leave out documents and videos, which are held as the whole context'

function planOf(
  request: Partial<ChatRequest>,
  promptSize: PromptSize = textPrompt(1_000),
  more: Partial<Model> = {},
): Plan {
  const model = testModel({
    prices: [PRICE],
    contextLength: 100_000,
    maxOutputTokens: 64_000,
    assumedOutputTokens: 500,
    ...more,
  })
  return { request: chatRequest(request), promptSize, model, routes: [testRoute({ model })] }
}

function needOf({ request, routes, promptSize }: Plan): Nano {
  return holdFor(request, routes, promptSize, NOON).need
}

function remedies(plan: Plan, free: bigint): string[] {
  expect(needOf(plan)).toBeGreaterThan(free)
  return remediesFor(plan, nano(free), NOON, needOf)
}

describe('the remedies of a request that needs more than is free', () => {
  const answers200 = ['ask for at most 200 tokens with max_tokens']

  test('are exactly so many tokens as are paid for beside the prompt', () => {
    const plan = planOf({ maxTokens: 1_000 })
    expect(remedies(plan, 30_000n)).toEqual(answers200)
    expect(needOf(planOf({ maxTokens: 200 }))).toBe(nano(30_000n))
    expect(needOf(planOf({ maxTokens: 201 }))).toBeGreaterThan(30_000n)
  })

  test.each([
    ['a ceiling that holds nothing by itself', 60_000],
    ['no `max_tokens`', undefined],
  ])('name the number also behind %s: less than it would be refused again', (_, maxTokens) => {
    expect(remedies(planOf({ ...(maxTokens !== undefined && { maxTokens }) }), 30_000n)).toEqual(answers200)
  })

  test('count the tokens of each choice', () => {
    expect(remedies(planOf({ n: 4, maxTokens: 1_000 }), 30_000n)).toEqual([
      'ask for at most 50 tokens with max_tokens',
    ])
  })

  test('are fewer choices where they leave each of them no answer', () => {
    expect(remedies(planOf({ n: 100, maxTokens: 100 }), 30_000n)).toEqual([
      'ask for at most 2 tokens with max_tokens',
      'ask for fewer choices with n',
    ])
  })

  test('are a shorter prompt where the prompt alone is too dear', () => {
    expect(remedies(planOf({ maxTokens: 50 }), 9_000n)).toEqual(['shorten the prompt'])
    expect(remedies(planOf({ maxTokens: 500 }), 9_000n)).toEqual([
      'shorten the prompt and ask for fewer tokens with max_tokens',
    ])
  })

  test('are the document left out, which no `max_tokens` helps', () => {
    const plan = planOf({ maxTokens: 50 }, { ...textPrompt(100), unfolds: true })
    expect(remedies(plan, 10_000n)).toEqual([DOCUMENTS])
    expect(remedies(plan, 4_000n)).toEqual([`${DOCUMENTS} and ask for fewer tokens with max_tokens`])
  })

  test('are the images left out where they are what costs, and the text where it is', () => {
    const picture = { ...textPrompt(20), images: 1 }
    const onlyImages = planOf({ maxTokens: 20 }, picture, { imageTokens: 1_000 })
    expect(remedies(onlyImages, 9_000n)).toEqual(['leave out images'])
    const mostlyText = planOf({ maxTokens: 20 }, { ...textPrompt(5_000), images: 1 }, { imageTokens: 100 })
    expect(remedies(mostlyText, 9_000n)).toEqual(['shorten the text of the prompt'])
    const both = planOf({ maxTokens: 20 }, { ...textPrompt(5_000), images: 1 }, { imageTokens: 1_000 })
    expect(remedies(both, 9_000n)).toEqual(['leave out images and shorten the text of the prompt'])
  })

  test('are none where not even the shortest request is paid', () => {
    const least = needOf(planOf({ maxTokens: 1 }, LEAST_PROMPT))
    expect(remedies(planOf({}), least)).toEqual([
      'shorten the prompt and ask for fewer tokens with max_tokens',
    ])
    expect(remedies(planOf({}), least - 1n)).toEqual([])
    expect(remedies(planOf({}), 0n)).toEqual([])
  })
})
