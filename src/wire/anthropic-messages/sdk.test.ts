import Anthropic, { AnthropicError, APIError } from '@anthropic-ai/sdk'
import { expect, test } from 'bun:test'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { refuse } from '../../core/error.ts'
import {
  type CodecAnswer,
  CUT_ANSWER,
  FAILED_ANSWER,
  rejectionOf,
  serveCodec,
} from '../../../test/support/codecServer.ts'
import { anthropicMessages } from './anthropicMessages.ts'

const USAGE = {
  promptTokens: 30,
  cachedTokens: 10,
  cacheWriteTokens: 5,
  completionTokens: 12,
  reasoningTokens: 4,
}

function answerOf(choice: Omit<WholeAnswer['choices'][number], 'index'>): WholeAnswer {
  return { choices: [{ index: 0, ...choice }], usage: USAGE, extra: {} }
}

const TEXT = answerOf({ message: { role: 'assistant', content: 'Hello, Zoë 👋' }, finishReason: 'stop' })
const CALLS = answerOf({
  message: {
    role: 'assistant',
    content: 'Let me see.',
    reasoning_content: 'Two cities.',
    reasoning_details: [
      {
        type: 'reasoning.text',
        text: 'Two cities.',
        signature: 'c2lnbmF0dXJl',
        format: 'anthropic-claude-v1',
      },
      { type: 'reasoning.encrypted', data: 'ZW5jcnlwdGVk', format: 'anthropic-claude-v1' },
    ],
    tool_calls: [
      { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
      { id: 'toolu_2', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ],
  },
  finishReason: 'tool_calls',
})

const PARAMS = {
  model: 'claude-opus-4-6',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hi' }],
} satisfies Anthropic.MessageCreateParamsNonStreaming

function serve(answer: CodecAnswer) {
  const server = serveCodec(anthropicMessages, answer)
  return { server, client: new Anthropic({ baseURL: server.url, apiKey: 'secret', maxRetries: 0 }) }
}

const CALL_BLOCKS: unknown = [
  { type: 'thinking', thinking: 'Two cities.', signature: 'c2lnbmF0dXJl' },
  { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' },
  { type: 'text', text: 'Let me see.' },
  { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Paris' }, caller: { type: 'direct' } },
  { type: 'tool_use', id: 'toolu_2', name: 'weather', input: {}, caller: { type: 'direct' } },
]

const COUNTS: unknown = expect.objectContaining({
  input_tokens: 15,
  cache_read_input_tokens: 10,
  cache_creation_input_tokens: 5,
  output_tokens: 12,
  output_tokens_details: { thinking_tokens: 4 },
})

test('the official client reads a whole answer', async () => {
  const { server, client } = serve(TEXT)
  await using _ = server
  const message = await client.messages.create(PARAMS)
  expect(message.content as unknown).toEqual([{ type: 'text', text: 'Hello, Zoë 👋' }])
  expect(message.stop_reason).toBe('end_turn')
  expect(message.usage as unknown).toEqual(COUNTS)
  expect(message.model).toBe('acme/chat-1')
})

test('the official client reads a streamed answer', async () => {
  const { server, client } = serve(TEXT)
  await using _ = server
  const message = await client.messages.stream(PARAMS).finalMessage()
  expect(message.content as unknown).toEqual([{ type: 'text', text: 'Hello, Zoë 👋' }])
  expect(message.stop_reason).toBe('end_turn')
  expect(message.usage as unknown).toEqual(COUNTS)
})

test('the official client reads thinking, text and tool calls, whole and streamed', async () => {
  const { server, client } = serve(CALLS)
  await using _ = server
  const whole = await client.messages.create(PARAMS)
  const streamed = await client.messages.stream(PARAMS).finalMessage()
  expect(whole.content as unknown).toEqual(CALL_BLOCKS)
  expect(streamed.content as unknown).toEqual(CALL_BLOCKS)
  expect(whole.stop_reason).toBe('tool_use')
  expect(streamed.stop_reason).toBe('tool_use')
})

test('the official client sees a refusal as one', async () => {
  const refused = answerOf({
    message: { role: 'assistant', content: null, refusal: 'Not this.' },
    finishReason: 'content_filter',
  })
  const { server, client } = serve(refused)
  await using _ = server
  for (const message of [
    await client.messages.create(PARAMS),
    await client.messages.stream(PARAMS).finalMessage(),
  ]) {
    expect(message.stop_reason).toBe('refusal')
    expect(message.stop_details).toEqual({ type: 'refusal', category: null, explanation: 'Not this.' })
  }
})

test('the official client raises our refusals with their status and type', async () => {
  const { server, client } = serve(refuse('insufficient_balance', 'The balance is too low.'))
  await using _ = server
  const error = await rejectionOf(client.messages.create(PARAMS))
  expect(error).toBeInstanceOf(APIError)
  expect(error).toMatchObject({ status: 402, type: 'billing_error' })
})

test('the official client raises a failure in the middle of a stream', async () => {
  const { server, client } = serve(FAILED_ANSWER)
  await using _ = server
  const error = await rejectionOf(client.messages.stream(PARAMS).finalMessage())
  expect(error).toBeInstanceOf(APIError)
  expect(error).toMatchObject({ type: 'api_error' })
})

test('the official client takes a stream that was cut for an error', async () => {
  const { server, client } = serve(CUT_ANSWER)
  await using _ = server
  const error = await rejectionOf(client.messages.stream(PARAMS).finalMessage())
  expect(error).toBeInstanceOf(AnthropicError)
})

test('what the official client sends is understood in full', async () => {
  const { server, client } = serve(TEXT)
  await using _ = server
  await client.messages.create({
    ...PARAMS,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Paris' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'No.', is_error: true },
          { type: 'text', text: 'And?' },
        ],
      },
    ],
    tools: [{ name: 'weather', description: 'The weather.', input_schema: { type: 'object' }, strict: true }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    thinking: { type: 'adaptive' },
    output_config: { effort: 'high' },
    stop_sequences: ['END'],
    metadata: { user_id: 'user-1' },
  })
  expect(server.requests).toEqual([
    {
      model: 'claude-opus-4-6',
      messages: [
        {
          role: 'system',
          content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Hm.',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format: 'anthropic-claude-v1' },
          ],
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'No.', is_error: true },
        { role: 'user', content: 'And?' },
      ],
      n: 1,
      stream: false,
      includeUsage: false,
      maxTokens: 100,
      stop: ['END'],
      user: 'user-1',
      reasoningEffort: 'high',
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'The weather.',
            parameters: { type: 'object' },
            strict: true,
          },
        },
      ],
      toolChoice: 'required',
      parallelToolCalls: false,
      extra: {},
    },
  ])
})
