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
import { describeCodecLaws } from '../../../test/support/codecLaws.ts'
import type { ChatRequest, Message } from '../../core/chat/request.ts'
import type { Choice } from '../../core/chat/response.ts'
import type { JsonObject } from '../../core/json.ts'
import { type EncodeTarget, UnsupportedField } from '../wire.ts'
import { cohereChat } from './cohereChat.ts'

const thoughtful = fc.tuple(anyText, anyText, toolCalls).map(([thought, text, calls]): readonly Message[] => [
  { role: 'system', content: text },
  {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ],
  },
  { role: 'assistant', content: text, reasoning_content: thought },
  { role: 'user', content: text },
  { role: 'assistant', content: text, reasoning_content: thought, tool_calls: calls },
  ...calls.map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: text })),
])

const fields = fc
  .tuple(
    someFields('maxTokens', 'stop', 'seed'),
    fc.record(
      {
        topP: fc.integer({ min: 1, max: 9 }).map((value) => value / 10),
        reasoningEffort: fc.constantFrom('none', 'medium'),
        logprobs: fc.boolean(),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.integer({ min: 0, max: 10 }).map((value) => ({ temperature: value / 10 })),
    fc.constantFrom({}, { frequencyPenalty: 0.5 }, { presencePenalty: 1 }),
    fc.oneof(
      tools.map((tools) => ({ tools })),
      tools.map((tools) => ({
        tools: tools.map((tool) => ({
          ...tool,
          ...(tool.function && { function: { ...tool.function, strict: true } }),
        })),
        toolChoice: 'required' as const,
      })),
      fc.constantFrom(
        { responseFormat: { type: 'json_object' } },
        {
          responseFormat: {
            type: 'json_schema',
            json_schema: { name: 'response', schema: { type: 'object' } },
          },
        },
      ),
    ),
  )
  .map(([common, own, temperature, penalty, shape]) => ({
    ...common,
    ...own,
    ...temperature,
    ...penalty,
    ...shape,
  }))

const spoken = fc.tuple(anyText, anyText, toolCalls).chain(([thought, content, calls]) =>
  fc.constantFrom<Omit<Choice, 'index'>>(
    { message: { role: 'assistant', content, reasoning_content: thought }, finishReason: 'stop' },
    { message: { role: 'assistant', content, tool_calls: calls }, finishReason: 'tool_calls' },
    {
      message: {
        role: 'assistant',
        content,
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.b', title: 'A', start_index: 0, end_index: 1 },
          },
        ],
      },
      finishReason: 'length',
    },
  ),
)

/** Cohere has no word for filtered content, and does not tell reasoning tokens apart. */
const response = responseOf(
  fc.oneof(
    plainChoices.filter((choice) => choice.finishReason !== 'content_filter'),
    spoken,
  ),
).map((given) => ({ ...given, ...(given.usage && { usage: { ...given.usage, reasoningTokens: 0 } }) }))

describeCodecLaws(cohereChat, {
  request: requestOf(fc.oneof(plainMessages, toolMessages, thoughtful), fields),
  response,
})

const target: EncodeTarget = {
  upstreamModel: 'command-a',
  maxOutputTokens: 4096,
  quirks: {},
  unsupportedFields: [],
}

function encode(more: Partial<ChatRequest>) {
  const base = { model: 'm', n: 1, stream: false, includeUsage: false, extra: {} }
  return cohereChat.client.encodeRequest(
    { ...base, messages: [{ role: 'user', content: 'Hi' }], ...more },
    target,
  )
}

describe('what is sent to Cohere', () => {
  test('ranges are kept: temperature to 1, p to 0.99, penalties to 1 and only one of them', () => {
    const { body, dropped } = encode({ temperature: 2, topP: 1, frequencyPenalty: 1.5, presencePenalty: 0.5 })
    expect(body).toMatchObject({ temperature: 1, p: 0.99, frequency_penalty: 1 })
    expect(body).not.toHaveProperty('presence_penalty')
    expect(dropped).toEqual(['presence_penalty'])
  })

  test('an absent temperature is 1, not the 0.3 of Cohere', () => {
    expect(encode({}).body['temperature']).toBe(1)
  })

  test('one choice is asked for, whatever n is', () => {
    expect(encode({ n: 3 }).body).not.toHaveProperty('n')
  })

  test('the plan before tool calls goes back as tool_plan', () => {
    const calls = [{ id: 'look_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }]
    const { body } = encode({ messages: [{ role: 'assistant', content: 'I will look.', tool_calls: calls }] })
    expect(body['messages']).toEqual([{ role: 'assistant', tool_plan: 'I will look.', tool_calls: calls }])
  })

  test('harmless fields are dropped and named', () => {
    const { dropped } = encode({
      user: 'u',
      parallelToolCalls: false,
      seed: -1,
      extra: { logit_bias: {}, store: null },
    })
    expect(dropped).toEqual(['seed', 'user', 'parallel_tool_calls', 'logit_bias'])
  })

  const tool = { type: 'function' as const, function: { name: 'look' } }
  const refused: [string, Partial<ChatRequest>][] = [
    ['tool_choice', { tools: [tool], toolChoice: { type: 'function', function: { name: 'look' } } }],
    ['tools[0].type', { tools: [{ type: 'custom' }] }],
    ['top_logprobs', { logprobs: true, topLogprobs: 3 }],
    ['response_format', { tools: [tool], responseFormat: { type: 'json_object' } }],
    ['web_search_options', { extra: { web_search_options: {} } }],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
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

describe('what is read from callers', () => {
  const refusals: [string, JsonObject][] = [
    ['messages', { model: 'm' }],
    ['model', { messages: [{ role: 'user', content: 'a' }] }],
    ['messages[0].role', { model: 'm', messages: [{ content: 'a' }] }],
    ['messages[0].tool_call_id', { model: 'm', messages: [{ role: 'tool', content: 'a' }] }],
    ['p', { model: 'm', messages: [{ role: 'user', content: 'a' }], p: 1 }],
    [
      'stop_sequences',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'a' }],
        stop_sequences: ['1', '2', '3', '4', '5', '6'],
      },
    ],
    ['tool_choice', { model: 'm', messages: [{ role: 'user', content: 'a' }], tool_choice: 'AUTO' }],
  ]
  test.each(refusals)('%s is named when it is the first at fault', (param, body) => {
    const decoded = cohereChat.server.decodeRequest(body)
    expect(decoded.ok ? undefined : decoded.refusal).toMatchObject({ code: 'invalid_request', param })
  })

  test('nesting beyond the stack is refused or carried, never thrown', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as JsonObject
    const document = { type: 'document', document: { data: deep } }
    const body = { model: 'm', messages: [{ role: 'tool', tool_call_id: 'a', content: [document] }] }
    expect(cohereChat.server.decodeRequest(body)).toHaveProperty('ok')
  })
})
