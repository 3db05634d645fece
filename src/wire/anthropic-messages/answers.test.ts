import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../core/answer/event.ts'
import type { ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { type UpstreamFailure, UpstreamError } from '../../core/failure.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { functionCall, usageOf } from '../../../test/support/chatSamples.ts'
import { framesOfBytes } from '../../../test/support/streamBytes.ts'
import { collected, eventsOf, fixturesIn } from '../../../test/support/wireFixtures.ts'
import type { Frame } from '../../core/answer/frame.ts'
import errors from './__fixtures__/errors.json'
import { anthropicMessages } from './anthropicMessages.ts'

const { client } = anthropicMessages

const { json, bytes, frames } = fixturesIn(import.meta.dir)

function streamed(name: string): AnswerEvent[] {
  return eventsOf(client, frames(`${name}.stream.txt`))
}

function blockStart(index: number, block: JsonObject): Frame {
  return frameOf({ type: 'content_block_start', index, content_block: block })
}

function blockDelta(index: number, delta: JsonObject): Frame {
  return frameOf({ type: 'content_block_delta', index, delta })
}

function blockStop(index: number): Frame {
  return frameOf({ type: 'content_block_stop', index })
}

function frameOf(data: JsonObject): Frame {
  return { event: undefined, data: JSON.stringify(data) }
}

function reasoningDetailsIn(events: readonly AnswerEvent[]): ReasoningDetail[] {
  return events.flatMap((event) => (event.type === 'delta' ? (event.delta.reasoning_details ?? []) : []))
}

const ANSWERS: Readonly<Record<string, WholeAnswer>> = {
  text: {
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello, Zoë! 👋' }, finishReason: 'stop' }],
    usage: usageOf(2125, 15, { cachedTokens: 2000, cacheWriteTokens: 100 }),
    extra: {},
  },
  tools: {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Okay, let me check.',
          tool_calls: [
            functionCall('toolu_01T1x1fJ34qAmk2tNTrN7Up6', 'get_weather', '{"location":"San Francisco"}'),
            functionCall('toolu_01A09q90qw90lq917835lq9', 'get_time', '{}'),
          ],
        },
        finishReason: 'tool_calls',
      },
    ],
    usage: usageOf(472, 89),
    extra: {},
  },
  thinking: {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'It is **21**.',
          reasoning_content: 'The greatest common divisor of 1071 and 462 is 21.',
          reasoning_details: [
            {
              type: 'reasoning.text',
              format: 'anthropic-claude-v1',
              text: 'The greatest common divisor of 1071 and 462 is 21.',
              signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds',
            },
            {
              type: 'reasoning.encrypted',
              format: 'anthropic-claude-v1',
              data: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP',
            },
          ],
        },
        finishReason: 'stop',
      },
    ],
    usage: usageOf(40, 64, { reasoningTokens: 50 }),
    extra: {},
  },
  refusal: {
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: 'This request asks for harmful code.' },
        finishReason: 'content_filter',
      },
    ],
    usage: usageOf(20, 3),
    extra: {},
  },
  citations: {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'As reported, it is sunny.',
          annotations: [
            {
              type: 'url_citation',
              url_citation: {
                url: 'https://example.com/weather',
                title: 'Weather',
                start_index: 13,
                end_index: 25,
              },
            },
          ],
        },
        finishReason: 'stop',
      },
    ],
    usage: usageOf(10_682, 510),
    extra: {},
  },
}

describe('answers, whole and streamed, say the same', () => {
  test.each(Object.keys(ANSWERS))('%s', (name) => {
    const expected = ANSWERS[name]
    expect(client.decodeResponse(json(`${name}.json`))).toEqual(expected as WholeAnswer)
    expect(collected(streamed(name))).toEqual(expected as WholeAnswer)
  })
})

describe('streams', () => {
  test('the first valid event is the start, and pings are none', () => {
    const decode = client.decodeStream()
    expect(decode.push({ event: 'ping', data: '{"type":"ping"}' })).toEqual([])
    const [first, second, third] = streamed('text')
    expect(first).toEqual({ type: 'start' })
    expect(second).toMatchObject({ type: 'usage', usage: { promptTokens: 2_125, lacks: 'output' } })
    expect(third).toEqual({ type: 'delta', index: 0, delta: { content: 'Hello' } })
  })

  test('a tool call begins with its id and name; its index counts calls, not blocks', () => {
    const events = streamed('tools')
    const calls = events.flatMap((event) => (event.type === 'delta' ? (event.delta.tool_calls ?? []) : []))
    expect(calls[0]).toEqual({
      index: 0,
      id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
      type: 'function',
      function: { name: 'get_weather', arguments: '' },
    })
    expect(calls.map(({ index }) => index)).toEqual([0, 0, 0, 1, 1])
  })

  test('the finish comes last, after the usage', () => {
    expect(
      streamed('text')
        .slice(-2)
        .map(({ type }) => type),
    ).toEqual(['usage', 'finish'])
  })

  test.each([
    ['of the same message, or of another before its first block, is passed over', 'msg_1', 'delta'],
    ['of another message within its blocks cuts the answer off', 'msg_2', 'error'],
  ])('a second start %s', (_says, id, last) => {
    const start = (name: string): Frame => frameOf({ type: 'message_start', message: { id: name } })
    const said = [start('msg_0'), start('msg_1'), blockStart(0, { type: 'text', text: 'Hi' })]
    const decode = client.decodeStream()
    const events = [...said, start(id)].flatMap((frame) => decode.push(frame))
    expect(String(events.at(-1)?.type)).toBe(last)
  })

  test('a thinking signature that arrives in several deltas is kept whole', () => {
    const events = eventsOf(client, [
      blockStart(0, { type: 'thinking', thinking: '', signature: 'Eq' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'Divide' }),
      blockDelta(0, { type: 'signature_delta', signature: 'QBCg' }),
      blockDelta(0, { type: 'thinking_delta', thinking: ' twice.' }),
      blockDelta(0, { type: 'signature_delta', signature: 'IYAh' }),
      blockDelta(0, { type: 'signature_delta', signature: 'IM==' }),
      blockStop(0),
    ])
    expect(reasoningDetailsIn(events)).toEqual([
      {
        type: 'reasoning.text',
        text: 'Divide twice.',
        signature: 'EqQBCgIYAhIM==',
        format: 'anthropic-claude-v1',
      },
    ])
  })

  test('thinking blocks whose deltas alternate each keep their own text and signature', () => {
    const events = eventsOf(client, [
      blockStart(0, { type: 'thinking', thinking: '' }),
      blockStart(1, { type: 'thinking', thinking: '' }),
      blockDelta(1, { type: 'thinking_delta', thinking: 'second' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'first' }),
      blockDelta(1, { type: 'signature_delta', signature: 'Bb' }),
      blockDelta(0, { type: 'signature_delta', signature: 'Aa' }),
      blockDelta(1, { type: 'signature_delta', signature: 'B=' }),
      blockDelta(0, { type: 'signature_delta', signature: 'A=' }),
      blockStop(0),
      blockStop(1),
    ])
    expect(reasoningDetailsIn(events)).toEqual([
      { type: 'reasoning.text', text: 'first', signature: 'AaA=', format: 'anthropic-claude-v1' },
      { type: 'reasoning.text', text: 'second', signature: 'BbB=', format: 'anthropic-claude-v1' },
    ])
  })

  test('a refusal comes before the usage that counts it', () => {
    expect(streamed('refusal').slice(-3)).toMatchObject([
      { type: 'delta', delta: { refusal: 'This request asks for harmful code.' } },
      { type: 'usage' },
      { type: 'finish' },
    ])
  })

  test('an error event ends the stream as its kind', () => {
    const events = streamed('error')
    expect(events.at(-1)).toEqual({
      type: 'error',
      failure: {
        kind: 'overloaded',
        sign: 'code',
        code: 'overloaded_error',
        detail: 'overloaded_error: Overloaded',
      },
    })
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
  })

  test('what later versions add is passed over', () => {
    const { choices, usage } = collected(streamed('unknown'))
    expect(choices).toEqual([
      { index: 0, message: { role: 'assistant', content: 'Hi' }, finishReason: 'length' },
    ])
    expect(usage).toMatchObject({ promptTokens: 9, completionTokens: 2 })
  })

  test('without a stop reason nothing is whole, wherever the frames end', () => {
    for (const name of Object.keys(ANSWERS)) {
      const frames = framesOfBytes([bytes(`${name}.stream.txt`)])
      for (let length = 0; length < frames.length; length++) {
        const sent = frames.slice(0, length)
        const hasReason = sent.some(({ event }) => event === 'message_delta')
        expect(eventsOf(client, sent, 1).at(-1)?.type).toBe(hasReason ? 'finish' : 'error')
      }
    }
  })

  test('within a frame nothing is whole, wherever the bytes end', () => {
    for (const name of Object.keys(ANSWERS)) {
      const body = bytes(`${name}.stream.txt`)
      const stop = new TextDecoder().decode(body).indexOf('event: message_delta')
      for (let end = 0; end < stop; end += 11) {
        const decode = client.decodeStream()
        const events = framesOfBytes([body.subarray(0, end)]).flatMap((frame) => decode.push(frame))
        expect([...events, ...decode.end()].at(-1)?.type).toBe('error')
      }
    }
  })
})

describe('stop reasons', () => {
  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'length'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
  ] as const)('%s is %s', (stopReason, finishReason) => {
    const body = { type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason: stopReason }
    expect(client.decodeResponse(body).choices[0]?.finishReason).toBe(finishReason)
  })

  test('an unknown one without content is no answer', () => {
    const body = { type: 'message', content: [], stop_reason: 'moon_phase' }
    expect(() => client.decodeResponse(body)).toThrow(UpstreamError)
  })
})

test('usage that was not said is not zero', () => {
  const body = { type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn' }
  expect(client.decodeResponse(body)).not.toHaveProperty('usage')
})

describe('error answers', () => {
  const KINDS: Readonly<Record<string, Partial<UpstreamFailure>>> = {
    'invalid value': { kind: 'bad_request', code: 'invalid_request_error', param: 'max_tokens' },
    'deprecated temperature': { kind: 'bad_request', code: 'invalid_request_error', param: 'temperature' },
    'long prompt': { kind: 'too_large', code: 'invalid_request_error', limit: 200_000, requested: 209_854 },
    'empty balance': { kind: 'billing', code: 'invalid_request_error' },
    'own spend limit': { kind: 'billing', code: 'invalid_request_error' },
    'content policy': { kind: 'content_policy', code: 'invalid_request_error' },
    'bad key': { kind: 'credential', code: 'authentication_error' },
    billing: { kind: 'billing', code: 'billing_error' },
    forbidden: { kind: 'credential', code: 'permission_error' },
    'unknown model': { kind: 'not_found', code: 'not_found_error' },
    conflict: { kind: 'server', code: 'conflict_error' },
    'large body': { kind: 'oversized', part: 'body', code: 'request_too_large' },
    'rate limit': {
      kind: 'rate_limited',
      code: 'rate_limit_error',
      retryAfterMs: 17_000,
      remainingZero: true,
    },
    'ramp limit': { kind: 'rate_limited', code: 'rate_limit_error', retryAfterMs: 5000 },
    'enforced spend limit': { kind: 'billing', code: 'enforced_spend_limit_reached' },
    'contract spend limit': { kind: 'billing', code: 'contract_spend_limit_reached' },
    internal: { kind: 'server', code: 'api_error' },
    'gateway timeout': { kind: 'server', code: 'timeout_error' },
    overloaded: { kind: 'overloaded', code: 'overloaded_error' },
    'error inside a 200': { kind: 'overloaded', code: 'overloaded_error' },
    'html page': { kind: 'server' },
  }

  test.each(errors)('$name', ({ name, status, headers, body }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const failure = client.decodeError({ status, headers: new Map(Object.entries(headers)), body: text })
    const { detail: _, sign: __, ...rest } = failure
    expect(rest).toEqual({ status, ...KINDS[name] } as typeof rest)
  })

  test('an error in place of a whole answer is thrown as its kind', () => {
    const body = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } }
    expect(() => client.decodeResponse(body)).toThrow("The provider's rate limit was reached.")
  })
})

test('a stream without a stop reason ends with stop behind a report and message_stop, and is cut without either', () => {
  const said = [
    frameOf({ type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } }),
    blockStart(0, { type: 'text', text: 'Hi' }),
    blockStop(0),
  ]
  const report = frameOf({ type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 2 } })
  const stop = frameOf({ type: 'message_stop' })
  expect(eventsOf(client, [...said, report, stop]).at(-1)).toEqual({
    type: 'finish',
    index: 0,
    reason: 'stop',
  })
  for (const cut of [
    [...said, report],
    [...said, stop],
  ])
    expect(eventsOf(client, cut).at(-1)?.type).toBe('error')
})

test.each([
  ['absent', undefined],
  ['null', null],
  ['empty', {}],
  ['text', { output_tokens: '400' }],
  ['negative', { output_tokens: -3 }],
])(
  'an output that only message_start reports is not reported: the usage of message_delta is %s',
  (_, usage) => {
    const events = eventsOf(client, [
      frameOf({ type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } }),
      blockStart(0, { type: 'text', text: 'Hi there' }),
      blockStop(0),
      frameOf({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        ...(usage !== undefined && { usage }),
      }),
      frameOf({ type: 'message_stop' }),
    ])
    // 0 beside text is a figure that cannot be true: our own count takes its place.
    expect(events.filter(({ type }) => type === 'usage').at(-1)).toMatchObject({
      usage: { promptTokens: 9, completionTokens: 0 },
    })
  },
)

test('what it costs to make the conversation shorter is beside the other counts, and added to them', () => {
  const counts = {
    input_tokens: 181,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    output_tokens: 8,
  }
  const iterations = [
    { type: 'compaction', input_tokens: 100, cache_read_input_tokens: 55_096, output_tokens: 83 },
    { type: 'message', ...counts },
  ]
  const usage = usageOf(181 + 100 + 55_096, 8 + 83, { cachedTokens: 55_096 })
  const body = { type: 'message', content: [{ type: 'text', text: 'x' }], usage: { ...counts, iterations } }
  expect(client.decodeResponse(body).usage).toEqual(usage)
  const events = eventsOf(client, [
    frameOf({ type: 'message_start', message: { usage: { input_tokens: 181, output_tokens: 1 } } }),
    blockStart(0, { type: 'text', text: 'x' }),
    blockStop(0),
    frameOf({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { ...counts, iterations } }),
    frameOf({ type: 'message_stop' }),
  ])
  expect(events.filter((event) => event.type === 'usage').at(-1)).toEqual({ type: 'usage', usage })
})

test('signatures and hidden thoughts of another provider come back as that provider wrote them', () => {
  const details = [
    { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format: 'google-gemini-v1' },
    { type: 'reasoning.encrypted', data: 'ZGF0YQ==', format: 'openai-responses-v1' },
    { type: 'reasoning.text', text: 'So.', signature: 'b3du', format: 'anthropic-claude-v1' },
  ]
  const message = { role: 'assistant', content: 'Hi', reasoning_details: details } as const
  const choices = [{ index: 0, message, finishReason: 'stop' }] as const
  const envelope = { id: 'msg_1', created: 1, model: 'm', includeUsage: true }
  const { server } = anthropicMessages
  const { content } = server.encodeResponse({ choices, extra: {} }, envelope)
  const body = { model: 'm', max_tokens: 1, messages: [{ role: 'assistant', content: content ?? null }] }
  const decoded = server.decodeRequest(body)
  expect(decoded).toMatchObject({ ok: true, request: { messages: [{ reasoning_details: details }] } })
})

test('a call of a custom tool, which the format does not have, has its input as its one argument', () => {
  const input = 'say "ß"\n\\ 😀'
  const patch = { id: 'call_1', type: 'custom', custom: { name: 'patch', input } } as unknown as ToolCall
  const calls = [patch, functionCall('call_2', 'look', '{"city":"Oslo"}')]
  const message = { role: 'assistant', content: null, tool_calls: calls } as const
  const answer = { choices: [{ index: 0, message, finishReason: 'tool_calls' }], extra: {} } as const
  const envelope = { id: 'msg_1', created: 1, model: 'm', includeUsage: true }
  const read = [functionCall('call_1', 'patch', JSON.stringify({ input })), calls[1]]
  const whole = anthropicMessages.server.encodeResponse(answer, envelope)
  expect(client.decodeResponse(whole as Json).choices[0]?.message.tool_calls).toEqual(read as never)
  for (const length of [1, 4, 100]) {
    const encoder = anthropicMessages.server.encodeStream(envelope)
    const rest = input.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []
    const pieces = [
      { index: 0, id: 'call_1', type: 'custom', custom: { name: 'patch', input: '' } },
      ...rest.map((piece) => ({ index: 0, custom: { input: piece } })),
      { ...calls[1], index: 1 },
    ]
    const events: AnswerEvent[] = [
      ...pieces.map((piece) => ({
        type: 'delta' as const,
        index: 0,
        delta: { tool_calls: [piece as never] },
      })),
      { type: 'finish', index: 0, reason: 'tool_calls' },
    ]
    const text = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()].join('')
    const heard = collected(eventsOf(client, framesOfBytes([new TextEncoder().encode(text)])))
    const [first, second] = heard.choices[0]?.message.tool_calls ?? []
    expect(first).toMatchObject({ id: 'call_1', function: { name: 'patch' } })
    expect(JSON.parse(first?.function.arguments ?? '')).toEqual({ input })
    expect(second).toEqual(calls[1] as ToolCall)
  }
})
