import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../core/answer/event.ts'
import type { Envelope } from '../wire.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

const envelope: Envelope = {
  id: 'chatcmpl-1',
  created: 1_795_000_000,
  model: 'acme/chat-1',
  includeUsage: false,
}
const usage = {
  promptTokens: 9,
  cachedTokens: 4,
  cacheWriteTokens: 0,
  completionTokens: 3,
  reasoningTokens: 1,
}
const head = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_795_000_000,
  model: 'acme/chat-1',
}

/** The payloads of the stream; JSON ones parsed. */
function payloads(events: readonly AnswerEvent[], options: Partial<Envelope> = {}): unknown[] {
  const encode = encodeStream({ ...envelope, ...options })
  const text = [...events.flatMap((event) => encode.push(event)), ...encode.end()].join('')
  const frames = text.split('\n\n')
  expect(frames.pop()).toBe('')
  return frames.map((frame) => {
    expect(frame.startsWith('data: ')).toBe(true)
    const data = frame.slice('data: '.length)
    return data.startsWith('{') ? (JSON.parse(data) as unknown) : data
  })
}

function chunk(delta: object, finish: string | null = null, index = 0): object {
  return { ...head, choices: [{ index, delta, finish_reason: finish }] }
}

const hello: AnswerEvent[] = [
  { type: 'start' },
  { type: 'delta', index: 0, delta: { content: 'Hello "you"\n' } },
  { type: 'finish', index: 0, reason: 'stop' },
  { type: 'usage', usage },
]

describe('encodeStream', () => {
  test('one role chunk, the content, one empty finish chunk, [DONE]', () => {
    expect(payloads(hello)).toEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hello "you"\n' }),
      chunk({}, 'stop'),
      '[DONE]',
    ])
  })

  test('usage is told before [DONE] only when asked for, and is null on the chunks before', () => {
    const told = payloads(hello, { includeUsage: true })
    expect(told.slice(0, 3).map((one) => (one as { usage: unknown }).usage)).toEqual([null, null, null])
    expect(told.slice(3)).toEqual([
      {
        ...head,
        choices: [],
        usage: {
          prompt_tokens: 9,
          completion_tokens: 3,
          total_tokens: 12,
          prompt_tokens_details: { cached_tokens: 4 },
          completion_tokens_details: { reasoning_tokens: 1 },
        },
      },
      '[DONE]',
    ])
  })

  test('every choice has its own first and last chunk', () => {
    const told = payloads([
      { type: 'start' },
      { type: 'delta', index: 1, delta: { content: 'b' } },
      { type: 'finish', index: 0, reason: 'length' },
      { type: 'finish', index: 1, reason: 'stop' },
    ])
    expect(told).toEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({ role: 'assistant', content: '' }, null, 1),
      chunk({ content: 'b' }, null, 1),
      chunk({}, 'length'),
      chunk({}, 'stop', 1),
      '[DONE]',
    ])
  })

  test('a failure is one error frame in our words, and then nothing', () => {
    const told = payloads([
      ...hello.slice(0, 2),
      { type: 'error', failure: { kind: 'server', detail: 'acme.internal exploded' } },
      ...hello,
    ])
    expect(told.slice(2)).toEqual([
      {
        ...head,
        choices: [],
        error: {
          code: 'upstream_error',
          message: "The model's provider interrupted its answer with a server error.",
          type: 'upstream_error',
          param: null,
        },
      },
    ])
  })

  test('a stream that is ended before its choices never looks whole', () => {
    for (const cut of [[], hello.slice(0, 1), hello.slice(0, 2)]) {
      const told = payloads(cut)
      expect(told.at(-1)).toHaveProperty('error.code', 'upstream_error')
      expect(told).not.toContain('[DONE]')
    }
  })

  test('what nobody models gets through, and cannot stand for what is ours', () => {
    const told = payloads([
      { type: 'start', extra: { service_tier: 'flex' } },
      {
        type: 'delta',
        index: 0,
        delta: { content: 'x', unknown: [1] },
        logprobs: { content: [] },
        choiceExtra: { content_filter_results: {} },
        extra: { service_tier: 'flex' },
      },
      { type: 'finish', index: 0, reason: 'stop' },
    ])
    expect(told[0]).toEqual({ ...chunk({ role: 'assistant', content: '' }), service_tier: 'flex' })
    expect(told[1]).toEqual({
      ...head,
      service_tier: 'flex',
      choices: [
        {
          index: 0,
          delta: { content: 'x', unknown: [1] },
          logprobs: { content: [] },
          finish_reason: null,
          content_filter_results: {},
        },
      ],
    })
  })
})

describe('encodeResponse', () => {
  test('it is the chat completion of the contract', () => {
    const body = encodeResponse(
      {
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finishReason: 'stop' }],
        usage,
        extra: { service_tier: 'flex' },
      },
      envelope,
    )
    expect(body).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_795_000_000,
      model: 'acme/chat-1',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 3,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
      service_tier: 'flex',
    })
  })
})
