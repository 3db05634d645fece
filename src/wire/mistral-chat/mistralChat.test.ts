import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  anyText,
  plainChoices,
  plainMessages,
  requestOf,
  responseOf,
  someFields,
  toolMessages,
  tools,
} from '../../../test/support/chatArbitraries.ts'
import { describeCodecLaws } from '../../../test/support/codecLaws.ts'
import type { ChatRequest, Message } from '../../core/chat/request.ts'
import type { Choice } from '../../core/chat/response.ts'
import type { JsonObject } from '../../core/json.ts'
import { type EncodeTarget, UnsupportedField } from '../wire.ts'
import { mistralChat } from './mistralChat.ts'
import { toToolCallId } from './toolCallId.ts'

/** Conversations whose ids are Mistral's own and that end with a user or a tool. */
function native(messages: readonly Message[]): readonly Message[] {
  const own = messages.map((message) => ({
    ...message,
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: toToolCallId(message.tool_call_id) }),
    ...(message.tool_calls === undefined
      ? {}
      : { tool_calls: message.tool_calls.map((call) => ({ ...call, id: toToolCallId(call.id) })) }),
  }))
  return own.at(-1)?.role === 'assistant' ? [...own, { role: 'user', content: 'And?' }] : own
}

const thoughtful = fc.tuple(anyText, anyText).map(([thought, text]): readonly Message[] => [
  {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: 'https://a.b/c.png' } },
    ],
  },
  { role: 'assistant', content: text, reasoning_content: thought },
  {
    role: 'assistant',
    content: text,
    reasoning_content: thought + text,
    reasoning_details: [
      { type: 'reasoning.text', text: thought, signature: 'c2ln' },
      { type: 'reasoning.text', text, signature: 'bmF0' },
    ],
  },
  { role: 'user', content: text },
])

const fields = fc
  .tuple(
    someFields('maxTokens', 'frequencyPenalty', 'presencePenalty', 'stop', 'seed', 'parallelToolCalls'),
    fc.record(
      {
        n: fc.integer({ min: 1, max: 128 }),
        temperature: fc.integer({ min: 1, max: 10 }).map((value) => value / 10),
        topP: fc.integer({ min: 1, max: 10 }).map((value) => value / 10),
        tools,
        responseFormat: fc.constantFrom(
          { type: 'json_object' },
          { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' }, strict: true } },
        ),
        reasoningEffort: fc.constantFrom('none', 'low', 'high'),
        promptCacheKey: anyText,
        extra: fc.constantFrom({}, { prediction: { type: 'content', content: 'foretold' } }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.constantFrom('none' as const, 'auto' as const, 'required' as const, {
      type: 'function' as const,
      function: { name: 'look' },
    }),
  )
  .map(([common, own, toolChoice]) => ({ ...common, ...own, ...(own.tools ? { toolChoice } : {}) }))

const reasoned = fc
  .tuple(fc.array(anyText, { minLength: 1, maxLength: 3 }), anyText, fc.boolean())
  .map(([thoughts, content, signed]): Omit<Choice, 'index'> => ({
    message: {
      role: 'assistant',
      content,
      reasoning_content: thoughts.join(''),
      ...(signed
        ? {
            reasoning_details: thoughts.map((text, i) => ({
              type: 'reasoning.text',
              text,
              signature: `s${i}`,
            })),
          }
        : {}),
    },
    finishReason: 'stop',
  }))

describeCodecLaws(mistralChat, {
  request: requestOf(fc.oneof(plainMessages, toolMessages, thoughtful).map(native), fields),
  response: responseOf(fc.oneof(plainChoices, reasoned), 3),
})

const target: EncodeTarget = {
  upstreamModel: 'mistral-large-latest',
  maxOutputTokens: 4096,
  quirks: { sendDefaultTemperature: true, maximumTemperature: 1 },
  unsupportedFields: [],
}

function request(more: Partial<ChatRequest>): ChatRequest {
  const base = { model: 'm', n: 1, stream: false, includeUsage: false, extra: {} }
  return { ...base, messages: [{ role: 'user', content: 'Hi' }], ...more }
}

function encode(more: Partial<ChatRequest>) {
  return mistralChat.client.encodeRequest(request(more), target)
}

describe('what is sent to Mistral', () => {
  test('holds only fields that Mistral knows, and names those left out', () => {
    const { body, dropped } = encode({
      user: 'u',
      seed: 7,
      promptCacheKey: 'k',
      temperature: 1.7,
      includeUsage: true,
      stream: true,
      extra: { store: true, metadata: { a: 'b' }, logit_bias: { '1': 5 }, service_tier: 'default' },
      messages: [{ role: 'user', content: 'Hi', name: 'ada', unknown: 1 }],
    })
    expect(body).toEqual({
      model: 'mistral-large-latest',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      temperature: 1,
      random_seed: 7,
      prompt_cache_key: 'k',
      service_tier: 'standard_only',
    })
    expect(dropped).toEqual(['user', 'messages.name', 'store', 'metadata', 'logit_bias'])
  })

  test('an absent temperature is 1, and greedy sampling goes without top_p', () => {
    expect(encode({}).body['temperature']).toBe(1)
    const greedy = encode({ temperature: 0, topP: 0.5 })
    expect(greedy.body).not.toHaveProperty('top_p')
    expect(greedy.dropped).toEqual(['top_p'])
  })

  test("another provider's tool call ids become nine characters, call and answer alike", () => {
    const { body } = encode({
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_0123456789', type: 'function', function: { name: 'look', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_0123456789', content: 'rain' },
      ],
    })
    const [, assistant, tool] = body['messages'] as { tool_calls: { id: string }[]; tool_call_id: string }[]
    expect(assistant?.tool_calls[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(tool?.tool_call_id).toBe(assistant?.tool_calls[0]?.id ?? '')
  })

  test('distinct ids stay distinct, and native ones stay as they are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 50 }), (ids) => {
        expect(new Set(ids.map(toToolCallId)).size).toBe(ids.length)
      }),
    )
    expect(toToolCallId('D681PevKs')).toBe('D681PevKs')
  })

  test('an assistant stands between a tool and the next user; a begun answer is marked as a prefix', () => {
    const { body } = encode({
      messages: [
        { role: 'tool', tool_call_id: 'D681PevKs', content: 'rain' },
        { role: 'user', content: 'And?' },
        { role: 'assistant', content: 'Well,' },
      ],
    })
    expect(body['messages']).toEqual([
      { role: 'tool', tool_call_id: 'D681PevKs', content: 'rain' },
      { role: 'assistant', content: 'OK.' },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content: 'Well,', prefix: true },
    ])
  })

  const refused: [string, Partial<ChatRequest>][] = [
    ['logprobs', { logprobs: true }],
    ['tools[0].type', { tools: [{ type: 'custom', custom: {} }] }],
    [
      'tool_choice',
      { tools: [{ type: 'function', function: { name: 'a' } }], toolChoice: { type: 'allowed_tools' } },
    ],
    ['response_format.type', { responseFormat: { type: 'grammar' } }],
    ['modalities', { extra: { modalities: ['text', 'audio'] } }],
    [
      'messages[0].content[0].type',
      {
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] },
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

  test('tool calls of several kinds of answers are told apart even when the provider does not count them', () => {
    const decode = mistralChat.client.decodeStream()
    const chunk = (id: string) =>
      JSON.stringify({
        id: 'x',
        model: 'm',
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ id, index: 0, function: { name: 'look', arguments: '{}' } }] },
            finish_reason: null,
          },
        ],
      })
    const events = ['aaaaaaaaa', 'bbbbbbbbb'].flatMap((id) =>
      decode.push({ event: undefined, data: chunk(id) }),
    )
    const indices = events.flatMap((event) => (event.type === 'delta' ? (event.delta.tool_calls ?? []) : []))
    expect(indices.map((call) => call.index)).toEqual([0, 1])
  })
})

describe('what is read from callers', () => {
  const refusals: [string, JsonObject][] = [
    ['messages', { model: 'm' }],
    ['messages', { model: 'm', messages: [] }],
    ['model', { messages: [{ role: 'user', content: 'a' }] }],
    [
      'messages[1].role',
      {
        model: 'm',
        messages: [
          { role: 'user', content: 'a' },
          { role: 'robot', content: 'b' },
        ],
      },
    ],
    ['messages[0].content', { model: 'm', messages: [{ role: 'user' }] }],
    ['temperature', { model: 'm', messages: [{ role: 'user', content: 'a' }], temperature: 3 }],
    ['n', { model: 'm', messages: [{ role: 'user', content: 'a' }], n: 1.5 }],
    [
      'tools[0].function.name',
      { model: 'm', messages: [{ role: 'user', content: 'a' }], tools: [{ function: {} }] },
    ],
    ['tool_choice', { model: 'm', messages: [{ role: 'user', content: 'a' }], tool_choice: 'sometimes' }],
  ]
  test.each(refusals)('%s is named when it is the first at fault', (param, body) => {
    const decoded = mistralChat.server.decodeRequest(body)
    expect(decoded.ok ? undefined : decoded.refusal).toMatchObject({ code: 'invalid_request', param })
  })

  test('nesting beyond the stack is refused or carried, never thrown', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as JsonObject
    const call = { id: 'D681PevKs', function: { name: 'look', arguments: deep } }
    const body = { model: 'm', messages: [{ role: 'assistant', tool_calls: [call] }] }
    expect(mistralChat.server.decodeRequest(body)).toHaveProperty('ok')
  })
})
