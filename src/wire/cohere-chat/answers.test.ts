import { describe, expect, test } from 'bun:test'
import { functionCall, usageOf } from '../../../test/support/chatSamples.ts'
import {
  collected,
  eventsOf,
  failureIn,
  failureOf,
  fixturesIn,
  testErrorFixtures,
} from '../../../test/support/wireFixtures.ts'
import { cohereChat } from './cohereChat.ts'

const { client } = cohereChat
const { json, frames, errors } = fixturesIn(import.meta.dir)

const page = {
  type: 'url_citation',
  url_citation: { url: 'https://example.com/ai', title: 'AI', start_index: 3, end_index: 18 },
}

describe('whole answers of Cohere', () => {
  test('text, counted in billed units', () => {
    expect(client.decodeResponse(json('text.json'))).toEqual({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'LLMs are models of language. 🦜' },
          finishReason: 'stop',
        },
      ],
      usage: usageOf(5, 42),
      extra: {},
    })
  })

  test('parallel tool calls with the plan as text before them', () => {
    expect(client.decodeResponse(json('tools.json')).choices).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'I will look at both.',
          tool_calls: [
            functionCall('get_weather_nsz5zm3w56q3', 'get_weather', '{"city":"Toronto"}'),
            functionCall('get_time_tf4dywn8wgnk', 'get_time', '{}'),
          ],
        },
        finishReason: 'tool_calls',
      },
    ])
  })

  test('thoughts; tokens where no units were billed', () => {
    expect(client.decodeResponse(json('thinking.json'))).toEqual({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', reasoning_content: 'The user greets.' },
          finishReason: 'stop',
        },
      ],
      usage: usageOf(31, 12, { cachedTokens: 16 }),
      extra: {},
    })
  })

  test('citations of the text, one annotation for each source', () => {
    const [choice] = client.decodeResponse(json('citations.json')).choices
    expect(choice?.message.annotations).toEqual([
      {
        type: 'url_citation',
        url_citation: { url: '', title: 'benefits.txt', start_index: 3, end_index: 18 },
      },
      page,
    ])
  })

  test('an answer at its limit, with log probabilities', () => {
    const [choice] = client.decodeResponse(json('max-tokens.json')).choices
    expect(choice?.finishReason).toBe('length')
    expect(choice?.logprobs).toEqual({
      content: [{ token: 'LL', logprob: -0.75, bytes: [76, 76], top_logprobs: [] }],
      refusal: null,
    })
  })

  test.each(['error.json', 'timeout.json'])('%s is a failure, although it came with a 200', (name) => {
    expect(failureOf(() => client.decodeResponse(json(name)))?.kind).toBe('server')
  })
})

describe('streams of Cohere', () => {
  test('text', () => {
    expect(eventsOf(client, frames('text.sse'))).toEqual([
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'LLMs' } },
      { type: 'delta', index: 0, delta: { content: ' speak 🦜' } },
      { type: 'usage', usage: usageOf(5, 42) },
      { type: 'finish', index: 0, reason: 'stop' },
    ])
  })

  test('thoughts, then text with log probabilities', () => {
    expect(collected(eventsOf(client, frames('thinking.sse')))).toEqual({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', reasoning_content: 'The user greets.' },
          finishReason: 'length',
          logprobs: {
            content: [{ token: 'Hello', logprob: -0.5, bytes: [72, 101, 108, 108, 111], top_logprobs: [] }],
            refusal: null,
          },
        },
      ],
      usage: usageOf(31, 12, { cachedTokens: 16 }),
      extra: {},
    })
  })

  test('a plan and parallel tool calls, one of them without arguments', () => {
    expect(collected(eventsOf(client, frames('tools.sse')))).toEqual({
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'I will look.',
            tool_calls: [
              functionCall('get_weather_nsz5zm3w56q3', 'get_weather', '{\n    "city": "Toronto"}'),
              functionCall('get_time_tf4dywn8wgnk', 'get_time', '{}'),
            ],
          },
          finishReason: 'tool_calls',
        },
      ],
      usage: usageOf(46, 14),
      extra: {},
    })
  })

  test('citations', () => {
    const { choices } = collected(eventsOf(client, frames('citations.sse')))
    expect(choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'It automates tasks.',
      annotations: [page],
    })
  })

  test.each([
    ['error.sse', 'invalid_answer'],
    ['timeout.sse', 'server'],
    ['cut.sse', 'invalid_answer'],
    ['error-body.sse', 'invalid_answer'],
  ] as const)('%s is a failure (%s)', (name, kind) => {
    const events = eventsOf(client, frames(name))
    expect(failureIn(events)?.kind).toBe(kind)
    expect(events.some((event) => event.type === 'finish')).toBe(false)
  })
})

test('an error at the end is a failure, whatever the finish reason says', () => {
  const end = { type: 'message-end', delta: { finish_reason: 'COMPLETE', error: 'NETWORK_ERROR' } }
  const events = eventsOf(client, [{ event: 'message-end', data: JSON.stringify(end) }])
  expect(failureIn(events)?.detail).toContain('NETWORK_ERROR')
})

test('a stream that begins with a failure has no start', () => {
  const end = { type: 'message-end', delta: { finish_reason: 'ERROR' } }
  const events = eventsOf(client, [{ event: 'message-end', data: JSON.stringify(end) }])
  expect(events.map((event) => event.type)).toEqual(['error'])
})

describe('errors of Cohere', () => testErrorFixtures(client, errors()))

test('a stream without a finish reason ends with stop where message-end reports its usage, and else is a failure', () => {
  const ended = (delta: object) =>
    eventsOf(client, [
      { event: 'message-start', data: '{"type":"message-start"}' },
      { event: 'message-end', data: JSON.stringify({ type: 'message-end', delta }) },
    ]).at(-1)
  const usage = { tokens: { input_tokens: 9, output_tokens: 2 } }
  expect(ended({ usage })).toEqual({ type: 'finish', index: 0, reason: 'stop' })
  for (const delta of [{}, { usage, error: 'no' }, { usage, finish_reason: 'ERROR' }])
    expect(ended(delta)?.type).toBe('error')
})
