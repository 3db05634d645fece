import { expect, test } from 'bun:test'
import type { ChatCompletionChunk, ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { JsonObject } from '../../../src/core/json.ts'
import {
  answers,
  hang,
  openaiChunk,
  openaiCompletion,
  openaiUsageChunk,
  respond,
  sse,
  pause,
  stream,
} from '../../support/scriptedProvider.ts'
import { MODEL, standardConfig, standardModel, startWorld, type World } from '../../support/world.ts'
import { openaiClient } from './client.ts'

const MESSAGES = [{ role: 'user' as const, content: 'Say hello' }]
const REQUEST = { model: MODEL, messages: MESSAGES, max_tokens: 20 }

/** A provider without `n`: choices are made by parallel calls. */
function withoutN(provider: World['provider']): Record<string, unknown> {
  const config = standardConfig(provider)
  const { acme } = config['providers'] as { acme: object }
  return { ...config, providers: { acme: { ...acme, quirks: { supports_n: false } } } }
}

test('models.list gives the models of the workspace', async () => {
  await using world = await startWorld({
    config: () => ({ models: [standardModel(), standardModel({ id: 'acme/chat-2', aliases: [] })] }),
    workspace: { models: [MODEL] },
  })
  const models = []
  for await (const model of openaiClient(world).models.list()) models.push(model)
  expect(models).toEqual([{ id: MODEL, object: 'model', created: expect.any(Number), owned_by: 'acme' }])
})

test('models.retrieve finds a model by its id with a slash in it, and by its alias', async () => {
  await using world = await startWorld()
  const client = openaiClient(world)
  expect(await client.models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model', owned_by: 'acme' })
  expect(await client.models.retrieve('acme/chat')).toMatchObject({ id: MODEL })
})

test('a chat completion, with the request id that support asks for', async () => {
  await using world = await startWorld()
  const completion = await openaiClient(world).chat.completions.create(REQUEST)
  expect(completion.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Hello world' })
  expect(completion.choices[0]?.finish_reason).toBe('stop')
  expect(completion.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 })
  expect(completion._request_id).toBe(completion.id)
})

test('a streamed chat completion, chunk by chunk', async () => {
  await using world = await startWorld()
  const chunks: ChatCompletionChunk[] = []
  const request = { ...REQUEST, stream: true, stream_options: { include_usage: true } } as const
  for await (const chunk of await openaiClient(world).chat.completions.create(request)) chunks.push(chunk)
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello world')
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 21 } })
})

test("the client's own stream helper collects the answer", async () => {
  await using world = await startWorld()
  const stream = openaiClient(world).chat.completions.stream({ ...REQUEST })
  const pieces: string[] = []
  stream.on('content', (delta) => pieces.push(delta))
  const completion = await stream.finalChatCompletion()
  expect(completion.choices[0]?.message.content).toBe('Hello world')
  expect(pieces).toEqual(['Hello', ' world'])
})

for (const [how, config] of [
  ['by the provider', undefined],
  ['by parallel calls', withoutN],
] as const) {
  test(`three choices made ${how}: whole and streamed, numbered from 0`, async () => {
    await using world = await startWorld({ ...(config && { config }) })
    const client = openaiClient(world)
    const whole = await client.chat.completions.create({ ...REQUEST, n: 3 })
    expect(whole.choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'Hello world'],
      [1, 'Hello world'],
      [2, 'Hello world'],
    ])
    // Every parallel call has a prompt of its own.
    expect(whole.usage?.prompt_tokens).toBe(config ? 27 : 9)
    const calls = world.provider.requests.length
    expect(calls).toBe(config ? 3 : 1)

    const streamed = await client.chat.completions.stream({ ...REQUEST, n: 3 }).finalChatCompletion()
    expect(streamed.choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'Hello world'],
      [1, 'Hello world'],
      [2, 'Hello world'],
    ])
    await world.settled()
    expect((await world.ledger()).filter(({ kind }) => kind === 'charge')).toHaveLength(2)
    expect((await world.balance()).held).toBe('0.00')
  })
}

const TOOLS = [
  {
    type: 'function' as const,
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]

/** Two calls, their arguments in pieces, as OpenAI streams them. */
function callsInPieces() {
  const call = (index: number, more: object) => openaiChunk({ tool_calls: [{ index, ...more }] })
  return stream([
    openaiChunk({ role: 'assistant', content: null }),
    call(0, { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } }),
    call(0, { function: { arguments: '{"city":' } }),
    call(0, { function: { arguments: '"Oslo"}' } }),
    call(1, { id: 'call_b', type: 'function', function: { name: 'weather', arguments: '' } }),
    call(1, { function: { arguments: '{"city":"Łódź"}' } }),
    openaiChunk({}, { finishReason: 'tool_calls' }),
    openaiUsageChunk(),
    sse('[DONE]'),
  ])
}

test('tool calls streamed in pieces arrive as whole calls', async () => {
  await using world = await startWorld({ provider: callsInPieces() })
  const request = { ...REQUEST, tools: TOOLS }
  const completion = await openaiClient(world).chat.completions.stream(request).finalChatCompletion()
  const [choice] = completion.choices
  expect(choice?.finish_reason).toBe('tool_calls')
  const calls = (choice?.message.tool_calls ?? []).map(
    (call) => call.type === 'function' && [call.id, call.function.arguments],
  )
  expect(calls).toEqual([
    ['call_a', '{"city":"Oslo"}'],
    ['call_b', '{"city":"Łódź"}'],
  ])
  expect((await world.provider.request()).body).toMatchObject({ tools: TOOLS })
})

test('a round of tools: the call is answered by a tool message, which the provider gets as it is', async () => {
  await using world = await startWorld({
    provider: (_, ordinal) => (ordinal === 0 ? callsInPieces() : answers({ pieces: ['It rains.'] })),
  })
  const client = openaiClient(world)
  const first = await client.chat.completions.stream({ ...REQUEST, tools: TOOLS }).finalChatCompletion()
  const message = first.choices[0]?.message
  if (!message) throw new Error('no message')
  const results = (message.tool_calls ?? []).map((call) => ({
    role: 'tool' as const,
    tool_call_id: call.id,
    content: 'rain',
  }))
  const messages: ChatCompletionMessageParam[] = [...MESSAGES, message, ...results]
  const second = await client.chat.completions.create({ ...REQUEST, messages, tools: TOOLS })
  expect(second.choices[0]?.message.content).toBe('It rains.')
  const sent = (await world.provider.request(1)).body as unknown as { messages: JsonObject[] }
  expect(sent.messages.map((sentMessage) => sentMessage['role'])).toEqual([
    'user',
    'assistant',
    'tool',
    'tool',
  ])
  expect(sent.messages[2]).toEqual({ role: 'tool', tool_call_id: 'call_a', content: 'rain' })
})

test('a structured answer is parsed by the client', async () => {
  await using world = await startWorld({
    provider: respond({ body: openaiCompletion('{"city":"Oslo"}') }),
  })
  const format = { type: 'json_schema' as const, json_schema: { name: 'city', schema: { type: 'object' } } }
  const completion = await openaiClient(world).chat.completions.parse({ ...REQUEST, response_format: format })
  expect(completion.choices[0]?.message.content).toBe('{"city":"Oslo"}')
  expect((await world.provider.request()).body).toMatchObject({ response_format: format })
})

test(
  'aborting in mid-stream closes the connection to the provider within a second and settles the call',
  async () => {
    const provider = stream([
      openaiChunk({ role: 'assistant', content: '' }),
      openaiChunk({ content: 'Hello' }),
      ...Array.from({ length: 100 }, () => [pause(100), openaiChunk({ content: ' again' })]).flat(),
      hang(),
    ])
    await using world = await startWorld({ provider })
    const stream_ = await openaiClient(world).chat.completions.create({ ...REQUEST, stream: true })
    for await (const chunk of stream_) if (chunk.choices[0]?.delta.content === 'Hello') break
    const leftAt = performance.now()
    stream_.controller.abort()
    await world.provider.abortSeen()
    expect(performance.now() - leftAt).toBeLessThan(1000)
    await world.settled()
    const { data } = await world.operations.requests({})
    expect(data).toMatchObject([{ ending: 'client_left', usage: { source: 'estimated' } }])
    expect((await world.balance()).held).toBe('0.00')
  },
  // A machine that stalls for a second gets another try.
  { retry: 2 },
)

test('aborting before the answer has begun settles the call as well', async () => {
  await using world = await startWorld({ provider: hang() })
  const controller = new AbortController()
  const call = openaiClient(world)
    .chat.completions.create(REQUEST, { signal: controller.signal })
    .then(
      () => 'answered',
      (error: unknown) => (error as Error).constructor.name,
    )
  await world.provider.request()
  controller.abort()
  expect(await call).toBe('APIUserAbortError')
  await world.provider.abortSeen()
  await world.settled()
  expect((await world.operations.requests({})).data).toMatchObject([{ ending: 'client_left_before_answer' }])
})
