import { describe, expect, test } from 'bun:test'
import type { AnswerEvent, Delta } from '../core/answer/event.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import { UpstreamError } from '../core/failure.ts'
import type { ReasoningDetail } from '../core/chat/request.ts'
import { collectEvents, responseToEvents } from './collect.ts'

function collect(events: readonly AnswerEvent[]): WholeAnswer {
  const collector = collectEvents()
  for (const event of events) collector.push(event)
  return collector.response()
}

/** The message that the deltas make. */
function messageOf(...deltas: readonly Delta[]): unknown {
  const told = deltas.map((delta): AnswerEvent => ({ type: 'delta', index: 0, delta }))
  return collect([{ type: 'start' }, ...told, { type: 'finish', index: 0, reason: 'stop' }]).choices[0]
    ?.message
}

const usage = {
  promptTokens: 1,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 1,
  reasoningTokens: 0,
}

describe('collectEvents', () => {
  test('an answer that says nothing has empty text', () => {
    expect(messageOf()).toEqual({ role: 'assistant', content: '' })
  })

  test('pieces of text, refusal and reasoning are joined', () => {
    expect(
      messageOf(
        { reasoning_content: 'a', refusal: null },
        { reasoning_content: 'b' },
        { content: 'c' },
        { content: 'd', refusal: 'e' },
      ),
    ).toEqual({ role: 'assistant', content: 'cd', reasoning_content: 'ab', refusal: 'e' })
  })

  test('a reasoning block is joined until its signature closes it', () => {
    const text = (more: object): Delta => ({ reasoning_details: [{ type: 'reasoning.text', ...more }] })
    expect(
      messageOf(text({ text: 'a' }), text({ text: 'b', signature: 's' }), text({ text: 'c' }), {
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
      }),
    ).toHaveProperty('reasoning_details', [
      { type: 'reasoning.text', text: 'ab', signature: 's' },
      { type: 'reasoning.text', text: 'c' },
      { type: 'reasoning.encrypted', data: 'x' },
    ])
  })

  test('a call keeps the id, type and name that later pieces leave empty', () => {
    const first = { index: 0, id: 'a', type: 'function' as const, function: { name: 'f', arguments: '{' } }
    const later = { index: 0, id: '', type: null, function: { name: '', arguments: '}' } }
    expect(messageOf({ tool_calls: [first] }, { tool_calls: [later as never] })).toHaveProperty(
      'tool_calls',
      [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    )
  })

  test('a custom call keeps its name and all of its input', () => {
    const pieces = [{ id: 'a', type: 'custom', custom: { name: 'sql', input: '' } }, 'select', ' 1'].map(
      (piece): Delta => {
        const call = typeof piece === 'string' ? { custom: { name: null, input: piece } } : piece
        return { tool_calls: [{ index: 0, ...call } as never] }
      },
    )
    expect(messageOf(...pieces)).toHaveProperty('tool_calls', [
      { id: 'a', type: 'custom', custom: { name: 'sql', input: 'select 1' } },
    ])
  })

  test('calls are ordered by index and have none themselves', () => {
    const message = messageOf(
      { tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } }] },
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '}' } }] },
    )
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
      ],
    })
  })

  test('audio is joined from its pieces', () => {
    expect(
      messageOf({ audio: { id: 'x', data: 'AA' } }, { audio: { data: 'BB', transcript: 'hi' } }),
    ).toMatchObject({ content: null, audio: { id: 'x', data: 'AABB', transcript: 'hi' } })
  })

  test('the last usage holds, and an absent one is not zero', () => {
    const whole: AnswerEvent[] = [{ type: 'start' }, { type: 'finish', index: 0, reason: 'stop' }]
    expect(collect(whole).usage).toBeUndefined()
    const more = { ...usage, completionTokens: 2 }
    expect(collect([...whole, { type: 'usage', usage }, { type: 'usage', usage: more }]).usage).toEqual(more)
  })

  test('an answer that failed or was cut has no response', () => {
    const start: AnswerEvent = { type: 'start' }
    const text: AnswerEvent = { type: 'delta', index: 0, delta: { content: 'Half' } }
    const second: AnswerEvent = { type: 'finish', index: 1, reason: 'stop' }
    const error: AnswerEvent = { type: 'error', failure: { kind: 'timeout', detail: '' } }
    for (const events of [[], [start], [start, text], [start, second], [start, error]]) {
      expect(() => collect(events)).toThrow(UpstreamError)
    }
  })

  test("the provider's chunks are left as they were", () => {
    const logprobs = { content: [{ token: 'a' }] }
    const events: AnswerEvent[] = [
      { type: 'delta', index: 0, delta: { content: 'a' }, logprobs },
      { type: 'delta', index: 0, delta: { content: 'b' }, logprobs: { content: [{ token: 'b' }] } },
      { type: 'finish', index: 0, reason: 'stop' },
    ]
    expect(collect(events).choices[0]?.logprobs).toEqual({ content: [{ token: 'a' }, { token: 'b' }] })
    expect(logprobs).toEqual({ content: [{ token: 'a' }] })
  })
})

test('responseToEvents tells the signature of a call with its call', () => {
  const signature = { type: 'reasoning.encrypted', id: 'a', data: 'signed' }
  const block = { type: 'reasoning.encrypted', data: 'thought' }
  const call = { id: 'a', type: 'function' as const, function: { name: 'f', arguments: '{}' } }
  const deltasOf = (details: ReasoningDetail[]) => {
    const message = {
      role: 'assistant' as const,
      content: null,
      reasoning_details: details,
      tool_calls: [call],
    }
    const choices = [{ index: 0, message, finishReason: 'tool_calls' as const }]
    return responseToEvents({ choices, extra: {} }).flatMap((e) => (e.type === 'delta' ? [e.delta] : []))
  }
  const withCall = { reasoning_details: [signature], tool_calls: [{ ...call, index: 0 }] }
  expect(deltasOf([signature])).toEqual([withCall])
  expect(deltasOf([block, signature])).toEqual([{ reasoning_details: [block] }, withCall])
})

test('responseToEvents tells reasoning before text before calls, and the finish after them', () => {
  const events = responseToEvents({
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'text',
          reasoning_content: 'thought',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        finishReason: 'tool_calls',
      },
    ],
    usage,
    extra: {},
  })
  expect(
    events.map((event) => (event.type === 'delta' ? Object.keys(event.delta).join() : event.type)),
  ).toEqual(['start', 'reasoning_content', 'content', 'tool_calls', 'finish', 'usage'])
})
