import {
  ApiError,
  FinishReason,
  FunctionCallingConfigMode,
  GoogleGenAI,
  ThinkingLevel,
  Type,
} from '@google/genai'
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
import { googleGenerate } from './googleGenerate.ts'
import { readRequestPath } from '../../../test/support/wireServers/google-generate/path.ts'

const USAGE = {
  promptTokens: 30,
  cachedTokens: 10,
  cacheWriteTokens: 0,
  completionTokens: 12,
  reasoningTokens: 4,
}

const TEXT: WholeAnswer = {
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello, Zoë 👋', reasoning_content: 'A greeting.' },
      finishReason: 'stop',
    },
  ],
  usage: USAGE,
  extra: {},
}

const CALLS: WholeAnswer = {
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        reasoning_details: [
          { type: 'reasoning.encrypted', id: 'a', data: 'c2lnbmF0dXJl', format: 'google-gemini-v1' },
        ],
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          { id: 'b', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        ],
      },
      finishReason: 'tool_calls',
    },
  ],
  usage: USAGE,
  extra: {},
}

const PARAMS = { model: 'gemini-3.1-flash', contents: 'Hi' }

function serve(answer: CodecAnswer) {
  const server = serveCodec(googleGenerate, answer, readRequestPath)
  return { server, client: new GoogleGenAI({ apiKey: 'secret', httpOptions: { baseUrl: server.url } }) }
}

async function gather<T>(stream: Promise<AsyncIterable<T>>): Promise<T[]> {
  const items: T[] = []
  for await (const item of await stream) items.push(item)
  return items
}

const COUNTS: unknown = expect.objectContaining({
  promptTokenCount: 30,
  cachedContentTokenCount: 10,
  candidatesTokenCount: 8,
  thoughtsTokenCount: 4,
  totalTokenCount: 42,
})

test('the official client reads a whole answer, thoughts apart', async () => {
  const { server, client } = serve(TEXT)
  await using _ = server
  const answer = await client.models.generateContent(PARAMS)
  expect(answer.text).toBe('Hello, Zoë 👋')
  expect(answer.candidates?.[0]?.content?.parts?.[0]).toEqual({ text: 'A greeting.', thought: true })
  expect(answer.candidates?.[0]?.finishReason).toBe(FinishReason.STOP)
  expect(answer.usageMetadata as unknown).toEqual(COUNTS)
})

test('the official client reads a streamed answer', async () => {
  const { server, client } = serve(TEXT)
  await using _ = server
  const answers = await gather(client.models.generateContentStream(PARAMS))
  expect(answers.map((answer) => answer.text ?? '').join('')).toBe('Hello, Zoë 👋')
  expect(answers.at(-1)?.candidates?.[0]?.finishReason).toBe(FinishReason.STOP)
  expect(answers.at(-1)?.usageMetadata as unknown).toEqual(COUNTS)
})

test('the official client reads parallel tool calls with their signature, whole and streamed', async () => {
  const { server, client } = serve(CALLS)
  await using _ = server
  const whole = await client.models.generateContent(PARAMS)
  const last = (await gather(client.models.generateContentStream(PARAMS))).at(-1)
  for (const answer of [whole, last]) {
    expect(answer?.functionCalls).toEqual([
      { id: 'a', name: 'weather', args: { city: 'Paris' } },
      { id: 'b', name: 'weather', args: { city: 'Rome' } },
    ])
    expect(answer?.candidates?.[0]?.content?.parts?.[0]?.thoughtSignature).toBe('c2lnbmF0dXJl')
    expect(answer?.candidates?.[0]?.finishReason).toBe(FinishReason.STOP)
  }
})

test('the official client raises our refusals with their status', async () => {
  const { server, client } = serve(refuse('insufficient_balance', 'The balance is too low.'))
  await using _ = server
  const error = await rejectionOf(client.models.generateContent(PARAMS))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 402 })
  expect(String(error)).toContain('RESOURCE_EXHAUSTED')
})

test('the official client raises a failure in the middle of a stream', async () => {
  const { server, client } = serve(FAILED_ANSWER)
  await using _ = server
  const error = await rejectionOf(gather(client.models.generateContentStream(PARAMS)))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 503 })
  expect(String(error)).not.toContain('secret')
})

test('a stream that was cut has no finish reason for the official client', async () => {
  const { server, client } = serve(CUT_ANSWER)
  await using _ = server
  const answers = await gather(client.models.generateContentStream(PARAMS))
  expect(answers.every((answer) => answer.candidates?.[0]?.finishReason === undefined)).toBe(true)
})

test('what the official client sends is understood in full', async () => {
  const { server, client } = serve(TEXT)
  await using _ = server
  await client.models.generateContent({
    model: 'gemini-3.1-flash',
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
      },
      {
        role: 'model',
        parts: [{ functionCall: { name: 'weather', args: { city: 'Paris' } }, thoughtSignature: 'c2ln' }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { output: 'Sun.' } } }] },
    ],
    config: {
      systemInstruction: 'Be brief.',
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      candidateCount: 2,
      stopSequences: ['END'],
      seed: 7,
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              description: 'The weather.',
              parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
            },
          ],
        },
      ],
      toolConfig: {
        functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['weather'] },
      },
      thinkingConfig: { thinkingLevel: ThinkingLevel.HIGH },
    },
  })
  expect(server.requests).toEqual([
    {
      model: 'gemini-3.1-flash',
      messages: [
        { role: 'system', content: 'Be brief.' },
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
          reasoning_details: [
            { type: 'reasoning.encrypted', id: 'call_0', data: 'c2ln', format: 'google-gemini-v1' },
          ],
          tool_calls: [
            { id: 'call_0', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_0', content: 'Sun.' },
      ],
      n: 2,
      stream: false,
      includeUsage: false,
      maxTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      stop: ['END'],
      seed: 7,
      responseFormat: { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } },
      reasoningEffort: 'high',
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'The weather.',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
          },
        },
      ],
      toolChoice: { type: 'function', function: { name: 'weather' } },
      extra: {},
    },
  ])
})
