import { describe, expect, test } from 'bun:test'
import { assert, property } from 'fast-check'
import { usages } from '../../test/support/chatArbitraries.ts'
import { usageOf } from '../../test/support/chatSamples.ts'
import type { AnswerEvent } from '../core/answer/event.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import type { Usage } from '../core/usage.ts'
import { PROVIDERS } from '../providers/index.ts'
import { xai } from '../providers/xai.ts'
import { normaliseEvents, normaliseResponse } from './normalise.ts'
import { testRoute } from '../../test/support/testRoute.ts'

const XAI = testRoute({ provider: xai })
/** A whole answer; without `usage` the provider reported none. */
function answer(usage?: Usage): WholeAnswer {
  const message = { role: 'assistant', content: 'Hello' } as const
  return {
    choices: [{ index: 0, message, finishReason: 'stop' }],
    extra: { system_fingerprint: 'fp' },
    ...(usage && { usage }),
  }
}

function streamed(usage: Usage): AnswerEvent[] {
  return [
    { type: 'start' },
    { type: 'delta', index: 0, delta: { content: 'Hello' } },
    { type: 'finish', index: 0, reason: 'stop' },
    { type: 'usage', usage },
  ]
}

describe("xAI's usage", () => {
  const reported = usageOf(9, 12, { cachedTokens: 4, reasoningTokens: 300 })
  const normal = usageOf(9, 312, { cachedTokens: 4, reasoningTokens: 300 })

  test('a whole answer counts its reasoning tokens into the completion, and is otherwise unchanged', () => {
    expect(normaliseResponse(answer(reported), XAI)).toEqual(answer(normal))
  })

  test('a streamed answer counts its reasoning tokens into the completion, and is otherwise unchanged', () => {
    expect(normaliseEvents(streamed(reported), XAI)).toEqual(streamed(normal))
  })

  test('each report of a stream is corrected on its own', () => {
    const twice = [...streamed(reported), ...streamed(usageOf(9, 20, { reasoningTokens: 7 }))]
    const counts = normaliseEvents(twice, XAI).flatMap((event) =>
      event.type === 'usage' ? [event.usage.completionTokens] : [],
    )
    expect(counts).toEqual([312, 27])
  })

  test('an answer without a report stays without one: unknown is not zero', () => {
    expect('usage' in normaliseResponse(answer(), XAI)).toBe(false)
  })

  test('whatever is reported, whole and streamed answers cost the same: the prompt as reported, the completion plus its reasoning', () => {
    assert(
      property(usages, (usage) => {
        const whole = normaliseResponse(answer(usage), XAI).usage
        expect(whole).toEqual({
          ...usage,
          completionTokens: usage.completionTokens + usage.reasoningTokens,
        })
        expect(normaliseEvents([{ type: 'usage', usage }], XAI)).toEqual([
          { type: 'usage', usage: whole ?? usage },
        ])
      }),
    )
  })
})

test('a provider that already counts reasoning as completion is not charged for it twice', () => {
  const usage = usageOf(9, 312, { reasoningTokens: 300 })
  for (const provider of PROVIDERS.filter(({ id }) => id !== 'xai')) {
    const route = testRoute({ provider })
    expect(normaliseResponse(answer(usage), route)).toEqual(answer(usage))
    expect(normaliseEvents(streamed(usage), route)).toEqual(streamed(usage))
  }
})
