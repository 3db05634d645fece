import { describe, expect, test } from 'bun:test'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { functionCall, usageOf } from '../../../test/support/chatSamples.ts'
import {
  collected,
  eventsOf,
  failureIn,
  failureOf,
  fixturesIn,
  testErrorFixtures,
} from '../../../test/support/wireFixtures.ts'
import type { JsonObject } from '../../core/json.ts'
import { awsEventStreamFrames } from '../aws-event-stream.ts'
import type { Frame } from '../../core/answer/frame.ts'
import { bedrockConverse } from './bedrockConverse.ts'

const { client } = bedrockConverse
const { text, json, errors } = fixturesIn(import.meta.dir)

const utf8 = (value: string): Uint8Array => new TextEncoder().encode(value)
const official = new EventStreamCodec((bytes) => new TextDecoder().decode(bytes as Uint8Array), utf8)

/** The events of a fixture, framed by AWS's own encoder and split by ours. */
function framesIn(name: string): Frame[] {
  const split = awsEventStreamFrames()
  return text(name)
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [event = '', payload] = Object.entries(JSON.parse(line) as JsonObject)[0] ?? []
      const type = event.endsWith('Exception') ? 'exception' : 'event'
      const headers = {
        [`:${type}-type`]: { type: 'string' as const, value: event },
        ':content-type': { type: 'string' as const, value: 'application/json' },
        ':message-type': { type: 'string' as const, value: type },
      }
      return split.push(official.encode({ headers, body: utf8(JSON.stringify(payload)) }))
    })
}

const reasoned = {
  reasoning_content: 'Let me count.',
  reasoning_details: [
    {
      type: 'reasoning.text',
      text: 'Let me count.',
      signature: 'Ep0CCkgICxABGAIqQA==',
      format: 'anthropic-claude-v1',
    },
    { type: 'reasoning.encrypted', data: 'c2VjcmV0', format: 'anthropic-claude-v1' },
  ],
}

describe('whole answers of Bedrock', () => {
  test('text in several blocks', () => {
    expect(client.decodeResponse(json('text.json'))).toEqual({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Here are three songs. 🎵' },
          finishReason: 'stop',
        },
      ],
      usage: usageOf(30, 628),
      extra: {},
    })
  })

  test('text and parallel tool calls', () => {
    expect(client.decodeResponse(json('tools.json')).choices).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Both at once.',
          tool_calls: [
            functionCall('tooluse_hbTgdi0CSLq_hM4P8csZJA', 'get_weather', '{"city":"Oslo"}'),
            functionCall('tooluse_7Q4evXsYiM6i6BGlipoZQW', 'get_time', '{}'),
          ],
        },
        finishReason: 'tool_calls',
      },
    ])
  })

  test('signed and encrypted reasoning', () => {
    expect(client.decodeResponse(json('reasoning.json')).choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'There are 3.',
      ...reasoned,
    })
  })

  test('cached tokens are part of the prompt; the service tier is told', () => {
    expect(client.decodeResponse(json('cache.json'))).toMatchObject({
      choices: [{ finishReason: 'length' }],
      usage: usageOf(2061, 4, { cachedTokens: 1024, cacheWriteTokens: 1024 }),
      extra: { service_tier: 'flex' },
    })
  })

  test('citations of web pages', () => {
    expect(client.decodeResponse(json('citations.json')).choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'Well: Oslo is cold.',
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://example.com/oslo', title: 'Oslo', start_index: 6, end_index: 19 },
        },
      ],
    })
  })

  const reasons = [
    ['stop-sequence', 'stop'],
    ['content-filtered', 'content_filter'],
    ['guardrail-intervened', 'content_filter'],
    ['model-context-window-exceeded', 'length'],
  ] as const
  test.each(reasons)('%s is told as %s', (name, reason) => {
    expect(client.decodeResponse(json(`${name}.json`)).choices[0]?.finishReason).toBe(reason)
  })

  test.each([
    ['malformed-tool-use.json', 'malformed_output'],
    ['unknown-operation.json', 'invalid_answer'],
  ] as const)('%s is no answer', (name, kind) => {
    expect(failureOf(() => client.decodeResponse(json(name)))?.kind).toBe(kind)
  })
})

describe('streams of Bedrock', () => {
  test('text; usage comes before the finish, although Bedrock sends it after', () => {
    expect(eventsOf(client, framesIn('text.jsonl'))).toEqual([
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'Here ' } },
      { type: 'delta', index: 0, delta: { content: 'are 🎵' } },
      { type: 'usage', usage: usageOf(30, 8) },
      { type: 'finish', index: 0, reason: 'stop' },
    ])
  })

  test('parallel tool calls, one without arguments, none of the provider itself', () => {
    expect(collected(eventsOf(client, framesIn('tools.jsonl')))).toEqual({
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Both.',
            tool_calls: [
              functionCall('tooluse_a', 'get_weather', '{"city": "Oslo"}'),
              functionCall('tooluse_b', 'get_time', '{}'),
            ],
          },
          finishReason: 'tool_calls',
        },
      ],
      usage: usageOf(412, 91),
      extra: {},
    })
  })

  test('signed and encrypted reasoning, each block whole', () => {
    expect(collected(eventsOf(client, framesIn('reasoning.jsonl')))).toEqual({
      choices: [
        { index: 0, message: { role: 'assistant', content: '3', ...reasoned }, finishReason: 'stop' },
      ],
      usage: usageOf(60, 94, { cachedTokens: 9 }),
      extra: {},
    })
  })

  test('an answer is whole with its metadata first, or without', () => {
    expect(collected(eventsOf(client, framesIn('metadata-first.jsonl')))).toMatchObject({
      choices: [{ finishReason: 'length' }],
      usage: usageOf(1, 2),
    })
    const without = collected(eventsOf(client, framesIn('without-metadata.jsonl')))
    expect(without.choices[0]?.finishReason).toBe('content_filter')
    expect(without.usage).toBeUndefined()
  })

  const failures = [
    ['cut', 'invalid_answer'],
    ['malformed', 'malformed_output'],
    ['throttlingException', 'rate_limited'],
    ['modelStreamErrorException', 'server'],
    ['internalServerException', 'server'],
    ['serviceUnavailableException', 'overloaded'],
    ['validationException', 'bad_request'],
  ] as const
  test.each(failures)('%s ends in a failure of kind %s, and nothing follows', (name, kind) => {
    const events = eventsOf(client, framesIn(`${name}.jsonl`))
    expect(failureIn(events)?.kind).toBe(kind)
    expect(JSON.stringify(events)).not.toContain('never')
  })
})

test('blocks that nobody closed are closed by the end of the message', () => {
  const frames: Frame[] = [
    {
      event: 'contentBlockDelta',
      data: '{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Hm"}}}',
    },
    {
      event: 'contentBlockDelta',
      data: '{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"s"}}}',
    },
    {
      event: 'contentBlockStart',
      data: '{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"a","name":"look"}}}',
    },
    { event: 'messageStop', data: '{"stopReason":"tool_use"}' },
  ]
  expect(collected(eventsOf(client, frames)).choices[0]?.message).toEqual({
    role: 'assistant',
    content: null,
    reasoning_content: 'Hm',
    reasoning_details: [
      { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1' },
    ],
    tool_calls: [functionCall('a', 'look', '{}')],
  })
})

test('a stream that begins with a failure has no start', () => {
  for (const frame of [
    { event: 'throttlingException', data: '{"message":"slow down"}' },
    { event: 'messageStop', data: '{"stopReason":"malformed_model_output"}' },
  ]) {
    expect(eventsOf(client, [frame]).map((event) => event.type)).toEqual(['error'])
  }
})

describe('errors of Bedrock', () => testErrorFixtures(client, errors()))

describe('images that a model makes', () => {
  const made = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' }, index: 0 }]

  test('are part of a whole answer', () => {
    const content = [{ text: 'Here.' }, { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }]
    const { choices } = client.decodeResponse({
      output: { message: { role: 'assistant', content } },
      stopReason: 'end_turn',
    })
    expect(choices[0]?.message).toEqual({ role: 'assistant', content: 'Here.', images: made as never })
  })

  function streamed(...pieces: readonly object[]) {
    const deltas = pieces.map((image) => ({
      event: 'contentBlockDelta',
      data: JSON.stringify({ contentBlockIndex: 0, delta: { image } }),
    }))
    return collected([
      ...eventsOf(client, [
        { event: 'messageStart', data: '{"role":"assistant"}' },
        {
          event: 'contentBlockStart',
          data: '{"contentBlockIndex":0,"start":{"image":{"format":"png"}}}',
        },
        ...deltas,
        { event: 'contentBlockStop', data: '{"contentBlockIndex":0}' },
        { event: 'messageStop', data: '{"stopReason":"end_turn"}' },
      ]),
    ])
  }

  test.each([
    ['each with padding of its own', ['iVA=', 'TkcN', 'ChoK']],
    ['cut anywhere', ['iVBOR', 'w0KG', 'go=']],
  ])('are joined from the pieces of a stream, %s', (_how, pieces) => {
    const { choices } = streamed(...pieces.map((bytes) => ({ source: { bytes } })))
    expect(choices[0]?.message).toEqual({ role: 'assistant', content: '', images: made as never })
  })

  test('fail the answer where they fail', () => {
    expect(() => streamed({ error: { message: 'too dark' } })).toThrow()
  })
})
