import { afterAll, describe, expect, test } from 'bun:test'
import { type Cohere, CohereClientV2 } from 'cohere-ai'
import { FAILED_ANSWER, rejectionOf, serveCodec } from '../../../test/support/codecServer.ts'
import { inCamelCase } from '../../../test/support/inCamelCase.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { refuse } from '../../core/error.ts'
import { cohereChat } from './cohereChat.ts'

const server = serveCodec(cohereChat)
const client = new CohereClientV2({ token: 'test', environment: server.url })
const options = { maxRetries: 0 }
afterAll(() => server[Symbol.asyncDispose]())

const response: WholeAnswer = {
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'I will look. 🌧',
        tool_calls: [
          { id: 'look_1', type: 'function', function: { name: 'look', arguments: '{"at":"Oslo"}' } },
          { id: 'wait_1', type: 'function', function: { name: 'wait', arguments: '{}' } },
        ],
      },
      finishReason: 'tool_calls',
    },
  ],
  usage: { promptTokens: 9, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 7, reasoningTokens: 0 },
  extra: {},
}

const spoken: WholeAnswer = {
  ...response,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'It rains.',
        reasoning_content: 'Rain?',
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.b', title: 'A', start_index: 3, end_index: 8 },
          },
        ],
      },
      finishReason: 'length',
      logprobs: {
        content: [{ token: 'It rains.', logprob: -0.5, bytes: null, top_logprobs: [] }],
        refusal: null,
      },
    },
  ],
}

const messages = [{ role: 'user' as const, content: 'Weather?' }]

describe("Cohere's own client", () => {
  test('reads a whole answer with tool calls', async () => {
    server.answer = response
    const answer = await client.chat({ model: 'command-a', messages, p: 0.5, stopSequences: ['.'] }, options)
    expect(server.requests.at(-1)).toMatchObject({
      model: 'command-a',
      messages,
      topP: 0.5,
      stop: ['.'],
      stream: false,
    })
    expect(answer.finishReason).toBe('TOOL_CALL')
    expect(answer.message.toolPlan).toBe('I will look. 🌧')
    expect(answer.message.toolCalls?.map((call) => [call.id, call.function?.arguments])).toEqual([
      ['look_1', '{"at":"Oslo"}'],
      ['wait_1', '{}'],
    ])
    expect(answer.usage?.billedUnits).toEqual({ inputTokens: 9, outputTokens: 7 })
  })

  test('reads a whole answer with thoughts, citations and log probabilities', async () => {
    server.answer = spoken
    const answer = await client.chat({ model: 'command-a', messages, logprobs: true }, options)
    expect(answer.finishReason).toBe('MAX_TOKENS')
    expect(answer.message.content).toEqual([
      { type: 'thinking', thinking: 'Rain?' },
      { type: 'text', text: 'It rains.' },
    ])
    expect(answer.message.citations?.[0]).toMatchObject({ start: 3, end: 8, text: 'rains' })
    expect(answer.logprobs).toEqual([{ text: 'It rains.', tokenIds: [], logprobs: [-0.5] }])
  })

  test('reads a stream', async () => {
    server.answer = response
    const types: string[] = []
    let plan = ''
    const given: string[] = []
    for await (const event of await client.chatStream({ model: 'command-a', messages }, options)) {
      types.push(event.type)
      if (event.type === 'tool-plan-delta') plan += event.delta?.message?.toolPlan ?? ''
      if (event.type === 'content-delta') plan += event.delta?.message?.content?.text ?? ''
      if (event.type === 'tool-call-delta')
        given.push(event.delta?.message?.toolCalls?.function?.arguments ?? '')
      if (event.type === 'message-end') {
        expect(event.delta?.finishReason).toBe('TOOL_CALL')
        expect(event.delta?.usage?.billedUnits).toEqual({ inputTokens: 9, outputTokens: 7 })
      }
    }
    expect(plan).toBe('I will look. 🌧')
    expect(given).toEqual(['{"at":"Oslo"}', '{}'])
    expect(types.at(0)).toBe('message-start')
    expect(types.at(-1)).toBe('message-end')
  })

  test('reads citations and log probabilities in a stream', async () => {
    server.answer = spoken
    const seen: unknown[] = []
    for await (const event of await client.chatStream({ model: 'command-a', messages }, options)) {
      if (event.type === 'citation-start') seen.push(event.delta?.message?.citations?.text)
      if (event.type === 'content-delta' && event.logprobs) seen.push(event.logprobs.logprobs)
    }
    expect(seen).toEqual(['rains', [-0.5]])
  })

  test('reads an error, and never a whole answer out of a failed stream', async () => {
    server.answer = refuse('model_not_found', 'No.', { param: 'model' })
    expect(await rejectionOf(client.chat({ model: 'm', messages }, options))).toMatchObject({
      statusCode: 404,
    })
    server.answer = FAILED_ANSWER
    const ends: unknown[] = []
    for await (const event of await client.chatStream({ model: 'm', messages }, options)) {
      if (event.type === 'message-end') ends.push(event.delta?.finishReason)
    }
    expect(ends).toEqual(['ERROR'])
  })

  test('knows every field that we send', async () => {
    server.answer = response
    for (const request of everything) {
      const { body } = cohereChat.client.encodeRequest(request, {
        upstreamModel: 'command-a',
        maxOutputTokens: 100,
        quirks: {},
        unsupportedFields: [],
        facts: {},
      })
      const typed = inCamelCase(body, new Set(['parameters', 'json_schema'])) as Parameters<
        typeof client.chat
      >[0]
      await client.chat(typed, options)
      expect(server.bodies.at(-1)).toMatchObject(body)
      // The client lets unknown names through, so its types are asked too.
      expect(Object.keys(typed).filter((name) => !(name in REQUEST_FIELDS))).toEqual([])
      for (const message of typed.messages) {
        expect(Object.keys(message).filter((name) => !(name in MESSAGE_FIELDS[message.role]))).toEqual([])
      }
    }
  })
})

/** Complete, because a missing or a foreign name is a type error. */
const REQUEST_FIELDS: Record<keyof Cohere.V2ChatRequest | 'stream', true> = {
  model: true,
  messages: true,
  stream: true,
  tools: true,
  strictTools: true,
  documents: true,
  citationOptions: true,
  responseFormat: true,
  safetyMode: true,
  maxTokens: true,
  stopSequences: true,
  temperature: true,
  seed: true,
  frequencyPenalty: true,
  presencePenalty: true,
  k: true,
  p: true,
  logprobs: true,
  toolChoice: true,
  thinking: true,
  priority: true,
}

const MESSAGE_FIELDS: {
  readonly [Role in Cohere.ChatMessageV2['role']]: Record<
    keyof Extract<Cohere.ChatMessageV2, { role: Role }>,
    true
  >
} = {
  system: { role: true, content: true },
  user: { role: true, content: true },
  assistant: { role: true, content: true, toolCalls: true, toolPlan: true, citations: true },
  tool: { role: true, content: true, toolCallId: true },
}

const base: ChatRequest = {
  model: 'm',
  n: 1,
  stream: false,
  includeUsage: false,
  maxTokens: 10,
  temperature: 0.5,
  topP: 0.5,
  frequencyPenalty: 0.5,
  stop: ['.'],
  seed: 1,
  logprobs: true,
  reasoningEffort: 'none',
  extra: {},
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
      tool_calls: [{ id: 'look_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'look_1', content: 'rain' },
  ],
}

const everything: ChatRequest[] = [
  {
    ...base,
    tools: [
      {
        type: 'function',
        function: { name: 'look', description: 'Looks.', parameters: { type: 'object' }, strict: true },
      },
    ],
    toolChoice: 'required',
  },
  {
    ...base,
    responseFormat: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
  },
]
