import { describe, expect, test } from 'bun:test'
import { usageOf } from '../../test/support/chatSamples.ts'
import type { AnswerEvent } from '../core/answer/event.ts'
import { hasText } from '../core/answer/hasText.ts'
import type { Json } from '../core/json.ts'
import { anthropicMessages } from './anthropic-messages/anthropicMessages.ts'
import { bedrockConverse } from './bedrock-converse/bedrockConverse.ts'
import { googleGenerate } from './google-generate/googleGenerate.ts'
import { mistralChat } from './mistral-chat/mistralChat.ts'
import { openAiChat } from './openai-chat/openAiChat.ts'
import type { ProviderCodec, WireFormat } from './wire.ts'

const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
const LAST = { index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }

/** The events of each frame. */
function eventsOf({ client }: WireFormat, frames: readonly Json[]): AnswerEvent[][] {
  const decode = client.decodeStream()
  return [
    ...frames.map((frame) => decode.push({ event: undefined, data: JSON.stringify(frame) })),
    decode.end(),
  ]
}

function usages(events: readonly AnswerEvent[]) {
  return events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))
}

/** Text comes first in a frame, then the report, and nothing that is generated after it. */
function expectUsageLast(events: readonly AnswerEvent[]): void {
  const last = events.findLastIndex((event) => event.type === 'usage')
  const texts = events.map((event) => event.type === 'delta' && hasText(event.delta))
  expect(texts).toContain(true)
  expect(last).toBeGreaterThan(texts.lastIndexOf(true))
}

// Bedrock and Cohere have frames of their own for usage.
describe('a report in the same frame as text speaks of that text', () => {
  const FRAMES: [string, WireFormat, Json[]][] = [
    ['of OpenAI', openAiChat, [{ choices: [LAST], usage: USAGE }]],
    ['of Groq', openAiChat, [{ choices: [LAST], x_groq: { usage: USAGE } }]],
    ['of Mistral', mistralChat, [{ choices: [LAST], usage: USAGE }]],
    [
      'of Mistral, two choices at once',
      mistralChat,
      [{ choices: [LAST, { ...LAST, index: 1 }], usage: USAGE }],
    ],
    [
      'of Gemini',
      googleGenerate,
      [
        {
          candidates: [{ index: 0, content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
        },
      ],
    ],
    [
      'of Anthropic, whose refusal is explained beside it',
      anthropicMessages,
      [
        {
          type: 'message_delta',
          delta: { stop_reason: 'refusal', stop_details: { explanation: 'No.' } },
          usage: { input_tokens: 9, output_tokens: 2 },
        },
      ],
    ],
  ]
  test.each(FRAMES)('%s', (_, format, frames) => {
    const [events = []] = eventsOf(format, frames)
    expectUsageLast(events)
    expect(usages(events)).toEqual([usageOf(9, 2)])
  })
})

test('a Mistral stream whose report grows with every chunk tells each after its text', () => {
  const chunks = [1, 2, 3].map((completion_tokens) => ({
    choices: [{ index: 0, delta: { content: 'x' }, finish_reason: completion_tokens === 3 ? 'stop' : null }],
    usage: { prompt_tokens: 9, completion_tokens },
  }))
  const frames = eventsOf(mistralChat, chunks).slice(0, -1)
  for (const events of frames) expectUsageLast(events)
  expect(usages(frames.flat()).map((usage) => usage.completionTokens)).toEqual([1, 2, 3])
})

test('a Mistral chunk that fails ends with its failure, whatever it reports', () => {
  const [events = []] = eventsOf(mistralChat, [
    { choices: [{ ...LAST, finish_reason: 'error' }], usage: USAGE },
  ])
  expect(events.at(-1)?.type).toBe('error')
})

test("Anthropic's report is told again when a block that nobody closed ends after it", () => {
  const frames = eventsOf(anthropicMessages, [
    { type: 'message_start', message: { usage: { input_tokens: 9 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ])
  expectUsageLast(frames.flat())
  expect(usages(frames.flat()).at(-1)).toEqual(usageOf(9, 2))
})

describe('the total of a report is kept where it tells more than prompt and completion', () => {
  test('of OpenAI and its imitators', () => {
    const decoded = openAiChat.client.decodeResponse({
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { ...USAGE, total_tokens: 311 },
    })
    expect(decoded.usage).toEqual({ ...usageOf(9, 2), totalTokens: 311 })
  })

  test('of Gemini: thoughts that have no count of their own', () => {
    const answer = (usageMetadata: Json) =>
      googleGenerate.client.decodeResponse({
        candidates: [{ index: 0, content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
        usageMetadata,
      }).usage
    const counts = { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 311 }
    expect(answer(counts)).toEqual({ ...usageOf(9, 2), totalTokens: 311 })
    expect(answer({ ...counts, thoughtsTokenCount: 300 })).toEqual(usageOf(9, 302, { reasoningTokens: 300 }))
  })
})

test('a figure that is no number leaves the one beside it', () => {
  const decode = (format: { readonly client: ProviderCodec }, frame: Json, event?: string) =>
    usages(format.client.decodeStream().push({ event, data: JSON.stringify(frame) }))
  const odd = { prompt_tokens: '9', completion_tokens: 2 }
  expect(decode(openAiChat, { choices: [], usage: odd })).toEqual([usageOf(0, 2)])
  expect(decode(mistralChat, { choices: [], usage: odd })).toEqual([usageOf(0, 2)])
  expect(decode(bedrockConverse, { usage: { inputTokens: 9, outputTokens: null } }, 'metadata')).toEqual([
    usageOf(9, 0),
  ])
})
