import { describe, expect, test } from 'bun:test'
import { collected, eventsOf } from '../../test/support/wireFixtures.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { normaliseEvents, normaliseResponse, TOOL_CALLS_MAX } from '../upstream/normalise.ts'
import { testRoute } from '../../test/support/testRoute.ts'
import { WIRE_FORMATS, type WireFormatId } from './formats.ts'
import type { Frame } from '../core/answer/frame.ts'

const CHAT = ['openai-chat', 'mistral-chat'] as const

function frame(data: JsonObject | string, event?: string): Frame {
  return { event, data: typeof data === 'string' ? data : JSON.stringify(data) }
}

/** Each list comes in a chunk of its own. */
function streamedCalls(format: WireFormatId, ...lists: JsonObject[][]) {
  const chunks = lists.map((calls) =>
    frame({ choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] }),
  )
  const end = frame({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })
  return told(format, [...chunks, end, frame('[DONE]')])
}

function told(format: WireFormatId, frames: readonly Frame[]) {
  const [choice] = collected(eventsOf(WIRE_FORMATS[format].client, frames)).choices
  return choice?.message.tool_calls?.map(({ id, function: called }) => [id, called.name, called.arguments])
}

function wholeCalls(format: WireFormatId, calls: readonly Json[]) {
  const body = {
    choices: [{ index: 0, message: { role: 'assistant', tool_calls: calls }, finish_reason: 'tool_calls' }],
  }
  const [choice] = WIRE_FORMATS[format].client.decodeResponse(body).choices
  return choice?.message.tool_calls
}

describe.each(CHAT)('tool calls of %s', (format) => {
  const call = (more: JsonObject, name: string, text: string) => ({
    ...more,
    type: 'function',
    function: { name, arguments: text },
  })
  const two = [call({ id: 'same' }, 'f', '{"a":1}'), call({ id: 'same' }, 'g', '{"b":2}')]
  const both = [
    ['same', 'f', '{"a":1}'],
    ['same', 'g', '{"b":2}'],
  ]

  test('that have one id are different calls, whole or streamed, in one list or in two', () => {
    expect(wholeCalls(format, two)).toEqual(two as never)
    expect(streamedCalls(format, two)).toEqual(both)
    expect(streamedCalls(format, ...two.map((one) => [one]))).toEqual(both)
  })

  test('of one list are different calls, also of the same function', () => {
    const twins = [call({ id: 'same' }, 'f', '{"a":1}'), call({ id: 'same' }, 'f', '{"a":2}')]
    expect(wholeCalls(format, twins)).toEqual(twins as never)
    const streamed = [
      ['same', 'f', '{"a":1}'],
      ['same', 'f', '{"a":2}'],
    ]
    expect(streamedCalls(format, twins)).toEqual(streamed)
    expect(
      streamedCalls(
        format,
        twins.map((one) => ({ ...one, index: 0 })),
      ),
    ).toEqual(streamed)
  })

  test('whose name comes in pieces have all of it, once', () => {
    for (const id of [{ id: 'a' }, {}]) {
      const first = { index: 0, id: 'a', function: { name: 'get_', arguments: '' } }
      const then = { index: 0, ...id, function: { name: 'weather' } }
      const repeated = { index: 0, ...id, function: { name: 'get_weather', arguments: '{}' } }
      expect(streamedCalls(format, [first], [then], [repeated])).toEqual([['a', 'get_weather', '{}']])
    }
  })

  test('with another name and another id are others, under one index, too', () => {
    const lists = [
      [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }],
      [{ index: 0, id: 'b', function: { name: 'g', arguments: '' } }],
      [{ index: 0, id: 'a', function: { arguments: '{"a":1}' } }],
      [{ index: 0, id: 'b', function: { arguments: '{"b":2}' } }],
    ]
    expect(streamedCalls(format, ...lists)).toEqual([
      ['a', 'f', '{"a":1}'],
      ['b', 'g', '{"b":2}'],
    ])
  })

  test('that bring a name after the arguments of another are others', () => {
    const lists = ['f', 'g'].map((name) => [{ index: 0, function: { name, arguments: '{}' } }])
    expect(streamedCalls(format, ...lists)?.map(([, name]) => name)).toEqual(['f', 'g'])
  })
})

describe('arguments that come as an object are told as text', () => {
  const input = { city: 'Rome', deep: [1, { a: null }] }
  const text = JSON.stringify(input)

  test('in streams of Bedrock', () => {
    const frames = [
      frame({ contentBlockIndex: 0, start: { toolUse: { toolUseId: 'a', name: 'f' } } }, 'contentBlockStart'),
      frame({ contentBlockIndex: 0, delta: { toolUse: { input } } }, 'contentBlockDelta'),
      frame({ contentBlockIndex: 0 }, 'contentBlockStop'),
      frame({ stopReason: 'tool_use' }, 'messageStop'),
    ]
    expect(told('bedrock-converse', frames)).toEqual([['a', 'f', text]])
  })

  test.each(['tool-call-start', 'tool-call-delta'])('in streams of Cohere, in %s', (where) => {
    const calls = (called: JsonObject) => ({ index: 0, delta: { message: { tool_calls: called } } })
    const begun = { name: 'f', ...(where === 'tool-call-start' && { arguments: input }) }
    const frames = [
      frame({ type: 'message-start' }),
      frame({ type: 'tool-call-start', ...calls({ id: 'a', function: begun }) }),
      ...(where === 'tool-call-delta'
        ? [frame({ type: where, ...calls({ function: { arguments: input } }) })]
        : []),
      frame({ type: 'tool-call-end', index: 0 }),
      frame({ type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } }),
    ]
    expect(told('cohere-chat', frames)).toEqual([['a', 'f', text]])
  })

  test('in whole answers of Cohere', () => {
    const { choices } = WIRE_FORMATS['cohere-chat'].client.decodeResponse({
      message: { tool_calls: [{ id: 'a', function: { name: 'f', arguments: input } }] },
      finish_reason: 'TOOL_CALL',
    })
    expect(choices[0]?.message.tool_calls?.[0]?.function.arguments).toBe(text)
  })
})

describe('as many calls as fit into 128,000 tokens of output', () => {
  const many = 16_000
  const ROUTE = testRoute({})

  test.each(CHAT)('are all told, whole or streamed: %s', (format) => {
    const calls = Array.from({ length: many }, (_, index) => ({
      index,
      id: `c${index}`,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    }))
    expect(wholeCalls(format, calls)).toHaveLength(many)
    expect(streamedCalls(format, ...calls.map((call) => [call]))).toHaveLength(many)
  })

  test('are no answer any more when they are four times as many', () => {
    const call = (index: number) => ({
      index,
      id: `c${index}`,
      type: 'function' as const,
      function: { name: 'f', arguments: '{}' },
    })
    const delta = (index: number) =>
      ({ type: 'delta', index: 0, delta: { tool_calls: [call(index)] } }) as const
    const last = delta(TOOL_CALLS_MAX - 1)
    expect(normaliseEvents([last], ROUTE)).toEqual([last])
    expect(normaliseEvents([last, delta(TOOL_CALLS_MAX), last], ROUTE)).toEqual([
      last,
      {
        type: 'error',
        failure: { kind: 'invalid_answer', detail: `more than ${TOOL_CALLS_MAX} tool calls` },
      },
    ])
    const whole = (length: number) => ({
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant' as const,
            content: null,
            tool_calls: Array.from({ length }, (_, i) => call(i)),
          },
          finishReason: 'tool_calls' as const,
        },
      ],
      extra: {},
    })
    expect(() => normaliseResponse(whole(TOOL_CALLS_MAX), ROUTE)).not.toThrow()
    expect(() => normaliseResponse(whole(TOOL_CALLS_MAX + 1), ROUTE)).toThrow()
  })
})
