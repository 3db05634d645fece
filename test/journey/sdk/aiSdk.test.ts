import { expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, jsonSchema, streamText, tool, type ToolSet } from 'ai'
import {
  openaiChunk,
  openaiError,
  openaiUsageChunk,
  sse,
  stream,
  streams,
} from '../../support/scriptedProvider.ts'
import { MODEL, startWorld, type World } from '../../support/world.ts'
import { failureOf } from './client.ts'

/** The model as the Vercel AI SDK sees it. */
function modelOf(world: World) {
  const provider = createOpenAICompatible({
    name: 'tollgate',
    baseURL: `${world.url}/v1`,
    apiKey: world.secret,
    includeUsage: true,
  })
  return provider.chatModel(MODEL)
}

const PROMPT = { prompt: 'Say hello', maxOutputTokens: 20, maxRetries: 0 }

const TOOLS: ToolSet = {
  weather: tool({
    description: 'Tells the weather.',
    inputSchema: jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    }),
  }),
}

const CALLS = stream([
  openaiChunk({ role: 'assistant', content: null }),
  openaiChunk({
    tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } }],
  }),
  openaiChunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
  openaiChunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
  openaiChunk({}, { finishReason: 'tool_calls' }),
  openaiUsageChunk(),
  sse('[DONE]'),
])

/** Its own providers for the other formats: they refuse an answer that has what their schemas do not. */
const OTHERS = {
  Messages: (world: World) => createAnthropic({ baseURL: `${world.url}/v1`, apiKey: world.secret })(MODEL),
  Responses: (world: World) =>
    createOpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret }).responses(MODEL),
}

test.each(Object.entries(OTHERS))(
  'text, reason and usage come through %s too, whole and streamed, and tool calls',
  async (_, modelIn) => {
    await using world = await startWorld()
    const model = modelIn(world)
    const whole = await generateText({ model, ...PROMPT })
    const streamed = streamText({ model, ...PROMPT })
    expect([whole.text, await streamed.text]).toEqual(['Hello world', 'Hello world'])
    expect([whole.finishReason, await streamed.finishReason]).toEqual(['stop', 'stop'])
    const usage = { inputTokens: 9, outputTokens: 12 }
    expect([whole.usage, await streamed.usage]).toMatchObject([usage, usage])

    await using calling = await startWorld({ provider: CALLS })
    const called = streamText({ model: modelIn(calling), tools: TOOLS, ...PROMPT })
    expect(await called.toolCalls).toMatchObject([{ toolName: 'weather', input: { city: 'Oslo' } }])
  },
)

test('generateText gives text, reason and usage', async () => {
  await using world = await startWorld()
  const result = await generateText({ model: modelOf(world), ...PROMPT })
  expect(result.text).toBe('Hello world')
  expect(result.finishReason).toBe('stop')
  expect(result.usage).toMatchObject({ inputTokens: 9, outputTokens: 12, totalTokens: 21 })
  expect(result.response.id).toStartWith('chatcmpl-')
  expect(result.response.modelId).toBe(MODEL)
  expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '0.0000225' })
})

test('streamText gives the pieces, then reason and usage', async () => {
  await using world = await startWorld()
  const result = streamText({ model: modelOf(world), ...PROMPT })
  const pieces: string[] = []
  for await (const piece of result.textStream) pieces.push(piece)
  expect(pieces.join('')).toBe('Hello world')
  expect(await result.finishReason).toBe('stop')
  expect(await result.usage).toMatchObject({ inputTokens: 9, outputTokens: 12, totalTokens: 21 })
  await world.settled()
  expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '0.0000225' })
})

test('tool calls come parsed, whole and streamed', async () => {
  await using world = await startWorld({ provider: CALLS })
  const call = { toolName: 'weather', toolCallId: 'call_a', input: { city: 'Oslo' } }
  const streamed = streamText({ model: modelOf(world), tools: TOOLS, ...PROMPT })
  expect(await streamed.toolCalls).toMatchObject([call])
  expect(await streamed.finishReason).toBe('tool-calls')
  const { maxOutputTokens: _, ...unlimited } = PROMPT
  const whole = await generateText({ model: modelOf(world), tools: TOOLS, ...unlimited })
  expect(whole.toolCalls).toMatchObject([call])
})

test('an error is an APICallError that knows whether a retry makes sense', async () => {
  for (const [options, status, retryable] of [
    [{ balance: '0' }, 402, false],
    [{ provider: openaiError(500) }, 502, true],
    [{ provider: openaiError(400) }, 400, false],
  ] as const) {
    await using world = await startWorld(options)
    const error = await failureOf(generateText({ model: modelOf(world), ...PROMPT }))
    if (!APICallError.isInstance(error)) throw new Error(`no APICallError: ${String(error)}`)
    expect(error.statusCode).toBe(status)
    expect(error.isRetryable).toBe(retryable)
    expect(JSON.parse(error.responseBody ?? '')).toMatchObject({ error: { message: error.message } })
  }
})

test('an error in mid-stream is a part of the stream and not a finish', async () => {
  const provider = stream([
    openaiChunk({ role: 'assistant', content: '' }),
    openaiChunk({ content: 'Hello' }),
    { error: { message: 'scripted' } },
  ])
  await using world = await startWorld({ provider })
  const result = streamText({ model: modelOf(world), ...PROMPT, onError: () => undefined })
  const types: string[] = []
  for await (const part of result.fullStream) types.push(part.type)
  expect(types).toContain('error')
  expect(
    await result.finishReason.then(
      (reason: string) => reason,
      () => 'rejected',
    ),
  ).not.toBe('stop')
  await world.settled()
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

test('default retries of the SDK charge the answer once', async () => {
  await using world = await startWorld({
    provider: (_, ordinal) => (ordinal < 2 ? openaiError(500) : streams('Hello')),
  })
  const { maxRetries: _, ...retried } = PROMPT
  const result = await generateText({ model: modelOf(world), ...retried })
  expect(result.text).toBe('Hello')
  await world.settled()
  expect((await world.ledger()).filter(({ kind }) => kind === 'charge')).toHaveLength(1)
})
