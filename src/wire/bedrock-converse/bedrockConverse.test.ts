import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  anyText,
  plainChoices,
  plainMessages,
  requestOf,
  responseOf,
  someFields,
  toolCalls,
  toolMessages,
  tools,
} from '../../../test/support/chatArbitraries.ts'
import { cutBytes, describeCodecLaws } from '../../../test/support/codecLaws.ts'
import { failureOf } from '../../../test/support/wireFixtures.ts'
import type { ChatRequest, Message } from '../../core/chat/request.ts'
import type { ChatResponse, Choice } from '../../core/chat/response.ts'
import { awsEventStreamFrames } from '../aws-event-stream.ts'
import { responseToEvents } from '../collect.ts'
import type { Frame } from '../frame.ts'
import type { JsonObject } from '../../core/json.ts'
import { type EncodeTarget, UnsupportedField, type WireFormat } from '../wire.ts'
import { bedrockConverse } from './bedrockConverse.ts'
import { readRequestPath } from './path.ts'

/** The laws are told about text: each byte stands as the character of its number. */
const inText: WireFormat = {
  ...bedrockConverse,
  client: {
    ...bedrockConverse.client,
    encodeRequest(request, target) {
      const encoded = bedrockConverse.client.encodeRequest(request, target)
      return { ...encoded, body: { ...encoded.body, ...readRequestPath(encoded.path) } }
    },
  },
  server: {
    ...bedrockConverse.server,
    encodeStream(envelope) {
      const encode = bedrockConverse.server.encodeStream(envelope)
      const toText = (chunks: Uint8Array[]) => chunks.map((chunk) => Buffer.from(chunk).toString('latin1'))
      return { push: (event) => toText(encode.push(event)), end: () => toText(encode.end()) }
    },
  },
}

function framesOf(chunks: readonly Uint8Array[]): Frame[] {
  const split = awsEventStreamFrames()
  return [...chunks.flatMap((chunk) => split.push(chunk)), ...split.end()]
}

const thoughtful = fc.tuple(anyText, anyText, toolCalls).map(([thought, text, calls]): readonly Message[] => [
  { role: 'system', content: text },
  {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      { type: 'file', file: { filename: 'report.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ],
  },
  {
    role: 'assistant',
    content: text,
    tool_calls: calls,
    reasoning_content: thought,
    reasoning_details: [
      { type: 'reasoning.text', text: thought, signature: 'c2ln' },
      { type: 'reasoning.encrypted', data: 'c2VjcmV0' },
    ],
  },
  ...calls.map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: text })),
  { role: 'user', content: text },
])

const fields = fc
  .tuple(
    someFields('maxTokens', 'stop'),
    fc.record(
      {
        temperature: fc.integer({ min: 0, max: 10 }).map((value) => value / 10),
        topP: fc.integer({ min: 1, max: 9 }).map((value) => value / 10),
        reasoningEffort: fc.constantFrom('low', 'high'),
        responseFormat: fc.constant({
          type: 'json_schema',
          json_schema: { name: 'answer', description: 'An answer.', schema: { type: 'object' } },
        }),
        extra: fc.constantFrom({}, { service_tier: 'flex' }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    tools,
    fc.constantFrom(
      'auto' as const,
      'required' as const,
      { type: 'function' as const, function: { name: 'look' } },
      undefined,
    ),
  )
  .map(([common, own, tools, toolChoice]) => ({
    ...common,
    ...own,
    tools,
    ...(toolChoice && { toolChoice }),
  }))

const reasoned = fc
  .tuple(fc.array(anyText, { minLength: 1, maxLength: 3 }), anyText)
  .chain(([thoughts, content]) => {
    const reasoning = thoughts.join('')
    return fc.constantFrom<Omit<Choice, 'index'>>(
      { message: { role: 'assistant', content, reasoning_content: reasoning }, finishReason: 'stop' },
      {
        message: {
          role: 'assistant',
          content,
          reasoning_content: reasoning,
          reasoning_details: [
            ...thoughts.map((text, i) => ({ type: 'reasoning.text', text, signature: `s${i}` })),
            { type: 'reasoning.encrypted', data: 'c2VjcmV0' },
          ],
        },
        finishReason: 'length',
      },
      {
        message: {
          role: 'assistant',
          content,
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://a.b/c', title: 'C', start_index: 0, end_index: content.length },
            },
          ],
        },
        finishReason: 'stop',
      },
    )
  })

/** Converse does not tell reasoning tokens apart. */
function plainUsage(given: ChatResponse): ChatResponse {
  return {
    ...given,
    ...(given.usage && {
      usage: {
        ...given.usage,
        reasoningTokens: 0,
        cacheWriteTokens: 1,
        promptTokens: given.usage.promptTokens + 1,
      },
    }),
  }
}

const response = responseOf(
  fc.oneof(plainChoices, reasoned),
  1,
  fc.constantFrom({}, { service_tier: 'priority' }),
).map(plainUsage)

const MODEL_LIMIT = 1_000_000

describeCodecLaws(inText, {
  request: requestOf(fc.oneof(plainMessages, toolMessages, thoughtful), fields),
  response,
  framesOf: (text) => framesOf([Buffer.from(text, 'latin1')]),
  // A caller without a limit gets the model's own, which a reader cannot tell from an asked one.
  comparable: ({ maxTokens, ...rest }) => ({ ...rest, maxTokens: maxTokens ?? MODEL_LIMIT }),
  target: {
    upstreamModel: 'upstream-model',
    maxOutputTokens: MODEL_LIMIT,
    quirks: {},
    unsupportedFields: [],
  },
})

const envelope = { id: 'chatcmpl-1', created: 1, model: 'm', includeUsage: true }

test('however the bytes of a stream are cut, also inside a message, the events are the same', () => {
  fc.assert(
    fc.property(response, fc.array(fc.nat(), { maxLength: 12 }), (given, cuts) => {
      const encode = bedrockConverse.server.encodeStream(envelope)
      const chunks = [...responseToEvents(given).flatMap((event) => encode.push(event)), ...encode.end()]
      const bytes = Buffer.concat(chunks)
      expect(eventsOf(framesOf(cutBytes(bytes, cuts)))).toEqual(eventsOf(framesOf(chunks)))
    }),
  )
})

const target: EncodeTarget = {
  upstreamModel: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  maxOutputTokens: 4096,
  quirks: {},
  unsupportedFields: [],
}

function encode(more: Partial<ChatRequest>) {
  const base = { model: 'm', n: 1, stream: false, includeUsage: false, extra: {} }
  return bedrockConverse.client.encodeRequest(
    { ...base, messages: [{ role: 'user', content: 'Hi' }], ...more },
    target,
  )
}

const calls = [
  { id: 'tooluse_1', type: 'function' as const, function: { name: 'look', arguments: '{"at":1}' } },
]

describe('what is sent to Bedrock', () => {
  test('the model stands encoded in the path', () => {
    expect(encode({}).path).toBe('/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse')
    expect(encode({ stream: true }).path).toEndWith('/converse-stream')
    const arn = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.meta.llama3'
    const { path } = bedrockConverse.client.encodeRequest(
      {
        model: 'm',
        n: 1,
        stream: true,
        includeUsage: true,
        extra: {},
        messages: [{ role: 'user', content: 'Hi' }],
      },
      { ...target, upstreamModel: arn },
    )
    expect(readRequestPath(path)).toEqual({ modelId: arn, stream: true })
  })

  test('turns alternate and begin with a user; empty texts are left out', () => {
    const { body } = encode({
      messages: [
        { role: 'assistant', content: 'Hello' },
        { role: 'assistant', content: 'there' },
        { role: 'user', content: '' },
        { role: 'developer', content: 'Be brief.' },
        { role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', tool_call_id: 'tooluse_1', content: 'rain' },
        { role: 'user', content: 'And?' },
      ],
    })
    expect(body['system']).toEqual([{ text: 'Be brief.' }])
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: '.' }] },
      {
        role: 'assistant',
        content: [
          { text: 'Hello' },
          { text: 'there' },
          { toolUse: { toolUseId: 'tooluse_1', name: 'look', input: { at: 1 } } },
        ],
      },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'tooluse_1', content: [{ text: 'rain' }] } }, { text: 'And?' }],
      },
    ])
  })

  test('tools of the history are declared when the request offers none, or forbids them', () => {
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'tooluse_1', content: 'rain' },
    ]
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }]
    const declared = {
      tools: [
        {
          toolSpec: {
            name: 'look',
            description: 'No longer available: do not call it.',
            inputSchema: { json: { type: 'object', properties: {} } },
          },
        },
      ],
    }
    expect(encode({ messages }).body['toolConfig']).toEqual(declared)
    expect(encode({ messages, tools, toolChoice: 'none' }).body['toolConfig']).toEqual(declared)
    expect(encode({ tools, toolChoice: 'none' }).body).not.toHaveProperty('toolConfig')
  })

  test('harmless fields are dropped and named, ranges kept', () => {
    const { body, dropped } = encode({
      seed: 1,
      user: 'u',
      frequencyPenalty: 1,
      presencePenalty: 1,
      n: 2,
      temperature: 2,
      maxTokens: 1_000_000,
      topP: 1,
      extra: { logit_bias: { '1': 1 } },
      messages: [
        { role: 'user', content: 'Hi', name: 'ada' },
        { role: 'assistant', content: 'Hello', reasoning_content: 'unsigned' },
      ],
    })
    expect(body['inferenceConfig']).toEqual({ maxTokens: 4096, temperature: 1 })
    expect(dropped).toEqual([
      'frequency_penalty',
      'presence_penalty',
      'seed',
      'user',
      'messages.name',
      'messages.reasoning_content',
      'logit_bias',
    ])
  })

  test('a field that the model refuses is not sent', () => {
    const request: ChatRequest = {
      model: 'm',
      n: 1,
      stream: false,
      includeUsage: false,
      extra: {},
      temperature: 0.5,
      messages: [{ role: 'user', content: 'Hi' }],
    }
    const { body, dropped } = bedrockConverse.client.encodeRequest(request, {
      ...target,
      unsupportedFields: ['temperature'],
    })
    expect(body['inferenceConfig']).toEqual({ maxTokens: 4096 })
    expect(dropped).toEqual(['temperature'])
  })

  const image = (url: string): Partial<ChatRequest> => ({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  })
  const refused: [string, Partial<ChatRequest>][] = [
    ['logprobs', { logprobs: true }],
    ['messages[0].content[0].image_url.url', image('https://example.com/a.png')],
    ['messages[0].content[0].image_url.url', image('data:image/tiff;base64,AAAA')],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
    [
      'messages[0].content[0].file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    ],
    ['tools[0].type', { tools: [{ type: 'custom' }] }],
    [
      'tool_choice',
      { tools: [{ type: 'function', function: { name: 'a' } }], toolChoice: { type: 'allowed_tools' } },
    ],
    ['response_format', { responseFormat: { type: 'grammar' } }],
    [
      'messages[0].tool_calls[0].function.arguments',
      {
        messages: [
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'a', arguments: '[' } }],
          },
        ],
      },
    ],
  ]
  test.each(refused)('%s is refused, because the answer would be another one', (param, more) => {
    expect(() => encode(more)).toThrow(UnsupportedField)
    try {
      encode(more)
    } catch (error) {
      expect((error as UnsupportedField).param).toBe(param)
    }
  })
})

function eventsOf(frames: readonly Frame[]) {
  const decode = bedrockConverse.client.decodeStream()
  return [...frames.flatMap((frame) => decode.push(frame)), ...decode.end()]
}

describe('what is read from callers', () => {
  const refusals: [string, JsonObject][] = [
    ['messages', { modelId: 'm' }],
    ['modelId', { messages: [{ role: 'user', content: [{ text: 'a' }] }] }],
    ['messages[0].role', { modelId: 'm', messages: [{ role: 'tool', content: [] }] }],
    ['messages[0].content[0]', { modelId: 'm', messages: [{ role: 'user', content: [{ video: {} }] }] }],
    [
      'inferenceConfig.temperature',
      { modelId: 'm', messages: [{ role: 'user', content: [] }], inferenceConfig: { temperature: 1.5 } },
    ],
    [
      'toolConfig.tools[0].toolSpec',
      { modelId: 'm', messages: [{ role: 'user', content: [] }], toolConfig: { tools: [{}] } },
    ],
  ]
  test.each(refusals)('%s is named when it is the first at fault', (param, body) => {
    const decoded = bedrockConverse.server.decodeRequest(body)
    expect(decoded.ok ? undefined : decoded.refusal).toMatchObject({ code: 'invalid_request', param })
  })

  test('nesting beyond the stack is refused or carried, never thrown', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as JsonObject
    const toolUse = { toolUseId: 'a', name: 'look', input: deep }
    const body = { modelId: 'm', messages: [{ role: 'assistant', content: [{ toolUse }] }] }
    expect(bedrockConverse.server.decodeRequest(body)).toHaveProperty('ok')
    const answer = { output: { message: { content: [{ toolUse }] } }, stopReason: 'tool_use' }
    expect(failureOf(() => bedrockConverse.client.decodeResponse(answer))?.kind ?? 'read').toBeString()
  })
})
