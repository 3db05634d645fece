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
import { mistralChat } from './mistralChat.ts'

const { client } = mistralChat
const { json, frames, errors } = fixturesIn(import.meta.dir)

const weather = functionCall('D681PevKs', 'get_weather', '{"city": "Paris"}')

describe('whole answers of Mistral', () => {
  test('text', () => {
    expect(client.decodeResponse(json('text.json'))).toEqual({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Le meilleur fromage est le comté. 🧀' },
          finishReason: 'stop',
        },
      ],
      usage: usageOf(16, 34),
      extra: {},
    })
  })

  test('parallel tool calls, whose arguments come as text or as an object', () => {
    const time = functionCall('a8Xc0QmPz', 'get_time', '{"zone":"Europe/Paris"}')
    expect(client.decodeResponse(json('tools.json'))).toEqual({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [weather, time] },
          finishReason: 'tool_calls',
        },
      ],
      usage: usageOf(94, 30, { cachedTokens: 64 }),
      extra: {},
    })
  })

  test('thoughts beside the text', () => {
    expect(client.decodeResponse(json('thinking.json'))).toEqual({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '391', reasoning_content: '17 × 20 = 340, 17 × 3 = 51.' },
          finishReason: 'stop',
        },
      ],
      usage: usageOf(31, 161, { reasoningTokens: 150 }),
      extra: {},
    })
  })

  test('an answer at the limit of the model, several choices in any order', () => {
    expect(client.decodeResponse(json('length.json'))).toMatchObject({
      choices: [{ finishReason: 'length' }],
      usage: usageOf(16, 1, { cachedTokens: 8 }),
    })
    const { choices } = client.decodeResponse(json('two-choices.json'), 2)
    expect(choices.map((choice) => choice.message.content)).toEqual(['a', 'b'])
  })

  test('what is no answer: an error finish, too few choices, other JSON', () => {
    expect(failureOf(() => client.decodeResponse(json('error-finish.json')))?.kind).toBe('server')
    expect(failureOf(() => client.decodeResponse(json('text.json'), 2))?.kind).toBe('invalid_answer')
    expect(failureOf(() => client.decodeResponse({ object: 'error', message: 'no' }))?.kind).toBe(
      'invalid_answer',
    )
  })
})

describe('streams of Mistral', () => {
  test('text, with a chunk of no choices and usage in the last one', () => {
    expect(eventsOf(client, frames('text.sse'))).toEqual([
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'Le ' } },
      { type: 'delta', index: 0, delta: { content: 'comté 🧀' } },
      { type: 'usage', usage: usageOf(16, 3) },
      { type: 'finish', index: 0, reason: 'stop' },
    ])
  })

  test('thoughts, closed by their signature', () => {
    expect(collected(eventsOf(client, frames('thinking.sse')))).toEqual({
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: '391',
            reasoning_content: '17 × 20 = 340',
            reasoning_details: [
              { type: 'reasoning.text', text: '17 × 20 = 340', signature: 'c2ln', format: 'mistral-v1' },
            ],
          },
          finishReason: 'stop',
        },
      ],
      usage: usageOf(31, 31, { reasoningTokens: 28 }),
      extra: {},
    })
  })

  test('tool calls, whole or in pieces', () => {
    const whole = collected(eventsOf(client, frames('tools.sse'))).choices[0]
    expect(whole?.message.tool_calls).toEqual([weather, functionCall('a8Xc0QmPz', 'get_time', '{}')])
    const pieces = collected(eventsOf(client, frames('tools-in-pieces.sse')))
    expect(pieces.choices[0]?.message.tool_calls).toEqual([
      functionCall('chatcmpl-tool-9f149c74', 'search', '{"query": "rain"}'),
    ])
    expect(pieces.usage).toEqual(usageOf(171, 14, { cachedTokens: 128 }))
  })

  test('several choices, told side by side', () => {
    const { choices } = collected(eventsOf(client, frames('two-choices.sse'), 2))
    expect(choices.map(({ message, finishReason }) => [message.content, finishReason])).toEqual([
      ['ab', 'stop'],
      ['xy', 'length'],
    ])
    expect(failureIn(eventsOf(client, frames('two-choices.sse'), 3))?.kind).toBe('invalid_answer')
  })

  test.each([
    ['error-frame.sse', 'server'],
    ['error-finish.sse', 'server'],
    ['cut.sse', 'invalid_answer'],
  ] as const)('%s is a failure (%s), [DONE] or not', (name, kind) => {
    const events = eventsOf(client, frames(name))
    expect(failureIn(events)?.kind).toBe(kind)
    expect(events.some((event) => event.type === 'finish')).toBe(false)
  })
})

test.each([-1, 0.5, 128, 1e9])('a choice of index %p is a failure, not memory', (index) => {
  const chunk = { choices: [{ index, delta: { content: 'a' }, finish_reason: null }] }
  const events = eventsOf(client, [{ event: undefined, data: JSON.stringify(chunk) }])
  expect(failureIn(events)?.kind).toBe('invalid_answer')
})

describe('a stream without a finish reason', () => {
  const said = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] }
  const report = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }

  function told(...chunks: (object | string)[]): string[] {
    const datas = chunks.map((chunk) => (typeof chunk === 'string' ? chunk : JSON.stringify(chunk)))
    return eventsOf(
      client,
      datas.map((data) => ({ event: undefined, data })),
    ).map(({ type }) => type)
  }

  test('ends with stop where it reports its usage and then says [DONE], and is cut otherwise', () => {
    expect(told(said, report, '[DONE]')).toEqual(['start', 'delta', 'usage', 'finish'])
    for (const cut of [
      [said, report],
      [said, '[DONE]'],
      [said, report, said, '[DONE]'],
    ])
      expect(told(...cut).at(-1)).toBe('error')
  })
})

test('a stream that begins with a failure has no start', () => {
  const chunk = { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] }
  const events = eventsOf(client, [{ event: undefined, data: JSON.stringify(chunk) }])
  expect(events.map((event) => event.type)).toEqual(['error'])
})

describe('errors of Mistral', () => testErrorFixtures(client, errors()))
