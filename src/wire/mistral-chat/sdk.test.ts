import { afterAll, describe, expect, test } from 'bun:test'
import { Mistral } from '@mistralai/mistralai'
import { FAILED_ANSWER, rejectionOf, serveCodec } from '../../../test/support/codecServer.ts'
import { inCamelCase } from '../../../test/support/inCamelCase.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { refuse } from '../../core/error.ts'
import { mistralChat } from './mistralChat.ts'

const server = serveCodec(mistralChat)
const client = new Mistral({ apiKey: 'test', serverURL: server.url, retryConfig: { strategy: 'none' } })
afterAll(() => server[Symbol.asyncDispose]())

const response: WholeAnswer = {
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'I look. 🌧',
        reasoning_content: 'Rain?',
        tool_calls: [
          { id: 'D681PevKs', type: 'function', function: { name: 'look', arguments: '{"at":"Oslo"}' } },
          { id: 'a8Xc0QmPz', type: 'function', function: { name: 'wait', arguments: '{}' } },
        ],
      },
      finishReason: 'tool_calls',
    },
  ],
  usage: { promptTokens: 9, cachedTokens: 4, cacheWriteTokens: 0, completionTokens: 7, reasoningTokens: 2 },
  extra: {},
}

const messages = [{ role: 'user' as const, content: 'Weather?' }]

describe("Mistral's own client", () => {
  test('reads a whole answer', async () => {
    server.answer = response
    const answer = await client.chat.complete({
      model: 'mistral-small',
      messages,
      maxTokens: 5,
      randomSeed: 3,
    })
    expect(server.requests.at(-1)).toMatchObject({
      model: 'mistral-small',
      messages,
      maxTokens: 5,
      seed: 3,
      stream: false,
    })
    const [choice] = answer.choices
    expect(choice?.finishReason).toBe('tool_calls')
    expect(choice?.message?.content).toEqual([
      { type: 'thinking', thinking: [{ type: 'text', text: 'Rain?' }] },
      { type: 'text', text: 'I look. 🌧' },
    ])
    expect(choice?.message?.toolCalls?.map((call) => [call.id, call.function])).toEqual([
      ['D681PevKs', { name: 'look', arguments: '{"at":"Oslo"}' }],
      ['a8Xc0QmPz', { name: 'wait', arguments: '{}' }],
    ])
    expect(answer.usage).toMatchObject({ promptTokens: 9, completionTokens: 7, totalTokens: 16 })
  })

  test('reads a stream', async () => {
    server.answer = response
    const stream = await client.chat.stream({ model: 'mistral-small', messages })
    let text = ''
    const calls: unknown[] = []
    let last
    for await (const { data } of stream) {
      const [choice] = data.choices
      if (typeof choice?.delta.content === 'string') text += choice.delta.content
      calls.push(
        ...(choice?.delta.toolCalls ?? []).map((call) => [call.index, call.id, call.function.arguments]),
      )
      last = data
    }
    expect(server.requests.at(-1)?.stream).toBe(true)
    expect(text).toBe('I look. 🌧')
    expect(calls).toEqual([
      [0, 'D681PevKs', '{"at":"Oslo"}'],
      [1, 'a8Xc0QmPz', '{}'],
    ])
    expect(last?.choices[0]?.finishReason).toBe('tool_calls')
    expect(last?.usage).toMatchObject({ promptTokens: 9, completionTokens: 7 })
  })

  test('reads an error, and never a whole answer out of a failed stream', async () => {
    server.answer = refuse('invalid_api_key', 'No.')
    expect(await rejectionOf(client.chat.complete({ model: 'm', messages }))).toMatchObject({
      statusCode: 401,
    })
    server.answer = FAILED_ANSWER
    const finishes: unknown[] = []
    const read = async (): Promise<void> => {
      for await (const { data } of await client.chat.stream({ model: 'm', messages })) {
        finishes.push(data.choices[0]?.finishReason)
      }
    }
    expect(await rejectionOf(read())).toBeDefined()
    expect(finishes.every((reason) => reason === null)).toBe(true)
  })

  test('knows every field that we send', async () => {
    server.answer = response
    const { body } = mistralChat.client.encodeRequest(everything, {
      upstreamModel: 'mistral-large',
      maxOutputTokens: 100,
      quirks: {},
      unsupportedFields: [],
      facts: {},
    })
    const typed = inCamelCase(body, new Set(['parameters', 'arguments'])) as Parameters<
      typeof client.chat.complete
    >[0]
    const schema = typed.responseFormat?.jsonSchema as
      | { schemaDefinition?: unknown; schema?: unknown }
      | undefined
    if (schema) schema.schemaDefinition = schema.schema
    await client.chat.complete(typed)
    expect(server.bodies.at(-1)).toMatchObject(body)
  })
})

const everything: ChatRequest = {
  model: 'm',
  n: 2,
  stream: false,
  includeUsage: false,
  maxTokens: 10,
  temperature: 0.5,
  topP: 0.5,
  frequencyPenalty: 0.5,
  presencePenalty: 0.5,
  stop: ['.'],
  seed: 1,
  tools: [
    {
      type: 'function',
      function: {
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object', properties: {} },
        strict: true,
      },
    },
  ],
  toolChoice: { type: 'function', function: { name: 'look' } },
  parallelToolCalls: false,
  responseFormat: {
    type: 'json_schema',
    json_schema: { name: 'a', schema: { type: 'object' }, strict: true },
  },
  reasoningEffort: 'high',
  promptCacheKey: 'k',
  extra: { service_tier: 'auto', prediction: { type: 'content', content: 'foretold' } },
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look.',
      reasoning_content: 'Rain?',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
    { role: 'user', content: 'And?' },
  ],
}
