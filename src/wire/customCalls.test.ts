import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { anyText } from '../../test/support/chatArbitraries.ts'
import { chatRequest, functionCall, usageOf } from '../../test/support/chatSamples.ts'
import { collected } from '../../test/support/wireFixtures.ts'
import type { AnswerEvent, ToolCallDelta } from '../core/answer/event.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import type { Tool, ToolCall } from '../core/chat/request.ts'
import { restoringCustomCalls, withCustomCalls } from './customCalls.ts'
import { type CustomNames, asFunctions } from './customTools.ts'

const NAMES = namesOf(['sh', 'patch'], ['patch_all', 'weather'])

function namesOf(custom: readonly string[], functions: readonly string[]): CustomNames {
  const tools: Tool[] = [
    ...custom.map((name) => ({ type: 'custom', custom: { name } })),
    ...functions.map((name) => ({ type: 'function', function: { name } })),
  ]
  const taken = asFunctions(chatRequest({ tools }))
  if (!taken) throw new Error('no custom tool')
  return taken.names
}

function answerOf(calls: readonly ToolCall[]): WholeAnswer {
  const message = { role: 'assistant', content: null, tool_calls: calls } as const
  return { choices: [{ index: 0, message, finishReason: 'tool_calls' }], extra: {}, usage: usageOf(9, 7) }
}

function delta(piece: ToolCallDelta): AnswerEvent {
  return { type: 'delta', index: 0, delta: { tool_calls: [piece] } }
}

const USAGE: AnswerEvent = { type: 'usage', usage: usageOf(9, 7) }
const FINISH: AnswerEvent = { type: 'finish', index: 0, reason: 'tool_calls' }

/** The events of a decoder that says these, restored. */
function restored(...events: readonly AnswerEvent[]): AnswerEvent[] {
  const silent = { state: 'over', push: () => [...events], end: () => [] } as const
  return restoringCustomCalls(silent, NAMES).push({ event: undefined, data: '' })
}

/** A call as a stream brings it, its arguments in pieces of so many characters. */
function pieced(
  { id, function: { name, arguments: text } }: ToolCall,
  index: number,
  length: number,
): AnswerEvent[] {
  const pieces: AnswerEvent[] = [delta({ index, id, type: 'function', function: { name, arguments: '' } })]
  for (let at = 0; at < text.length; at += length)
    pieces.push(delta({ index, function: { arguments: text.slice(at, at + length) } }))
  return pieces
}

test('a call of the function is one of the custom tool, whole as streamed in any pieces', () => {
  const given = fc.oneof(
    fc.tuple(
      fc.constantFrom('sh', 'patch'),
      anyText.map((input) => JSON.stringify({ input })),
    ),
    fc.tuple(fc.constantFrom('sh', 'weather'), anyText),
  )
  fc.assert(
    fc.property(
      fc.array(given, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 9 }),
      (all, length) => {
        const calls = all.map(([name, text], i) => functionCall(`call_${i}`, name, text))
        const whole = withCustomCalls(answerOf(calls), NAMES)
        const events = calls.flatMap((call, i) => pieced(call, i, length))
        const streamed = restored({ type: 'start' }, ...events, USAGE, FINISH)
        expect(collected(streamed)).toEqual(whole)
      },
    ),
  )
})

test('its input is what the model wrote there, and calls of functions stay as they are', () => {
  const weather = functionCall('b', 'weather', '{"input":"x"}')
  const { choices } = withCustomCalls(
    answerOf([functionCall('a', 'sh', '{"input":"ls\\n"}'), weather]),
    NAMES,
  )
  expect(choices[0]?.message.tool_calls).toEqual([
    { id: 'a', type: 'custom', custom: { name: 'sh', input: 'ls\n' } } as never,
    weather,
  ])
})

describe('in a stream', () => {
  test('text goes on with the piece that brings it, and each piece is still an event', () => {
    const call = functionCall('a', 'sh', '{"input":"ls -l"}')
    const events = restored(...pieced(call, 0, 6), FINISH)
    expect(events.slice(0, -1).map((event) => (event as never as { delta: object }).delta)).toEqual(
      [
        { index: 0, id: 'a', type: 'custom', custom: { name: 'sh', input: '' } },
        { index: 0, custom: { input: '' } },
        { index: 0, custom: { input: 'ls' } },
        { index: 0, custom: { input: ' -l' } },
      ].map((piece) => ({ tool_calls: [piece] })),
    )
  })

  test('what is held back until the end is counted by the report before it', () => {
    const begun = delta({ index: 0, id: 'a', type: 'function', function: { name: 'sh', arguments: '{"inp' } })
    const events = restored({ type: 'start' }, begun, USAGE, FINISH)
    expect(events.at(-2)).toEqual({
      type: 'delta',
      index: 0,
      delta: { tool_calls: [{ index: 0, custom: { input: '{"inp' } }] },
      isReported: true,
    })
    expect(collected(events).usage).toEqual(usageOf(9, 7))
  })

  test.each([
    [['pat', 'ch'], 'custom'],
    [['patch', '_all'], 'function'],
    [['', 'sh'], 'custom'],
  ])('a name in pieces is that of its tool: %j', (parts, type) => {
    const [first = '', ...more] = parts
    const events = [
      { type: 'start' } as const,
      delta({ index: 0, id: 'a', type: 'function', function: { name: first, arguments: '' } }),
      ...more.map((name) => delta({ index: 0, function: { name } })),
    ]
    const name = parts.join('')
    const called = { type, [type]: { name, [type === 'custom' ? 'input' : 'arguments']: '' } }
    const { choices } = collected(restored(...events, USAGE, FINISH))
    expect(choices[0]?.message.tool_calls).toEqual([{ id: 'a', ...called } as never])
    const whole = restored(...events, delta({ index: 0, function: { arguments: '{}' } }), FINISH)
    expect(JSON.stringify(collected(whole).choices[0]?.message.tool_calls)).toContain(`"name":"${name}"`)
  })
})
