import Anthropic, { AuthenticationError, NotFoundError, RateLimitError } from '@anthropic-ai/sdk'
import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { receiptOf } from '../support/receiptOf.ts'
import { rateOf } from '../support/readAnswer.ts'
import { rejectionOf } from '../support/rejection.ts'
import {
  answers,
  close,
  hang,
  inTurn,
  openaiCompletion,
  openaiError,
  openaiUsage,
  respond,
  streams,
} from '../support/scriptedProvider.ts'
import { MODEL, type World, type WorldOptions, startWorld } from '../support/world.ts'

/** `POST /v1/messages`: a client of Anthropic at a provider of another format, unchanged but for address and key. */

const HELLO = { model: MODEL, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] }
const USAGE = openaiUsage(100, 40, { prompt_tokens_details: { cached_tokens: 60 } })

function clientOf(world: World, more: ConstructorParameters<typeof Anthropic>[0] = {}): Anthropic {
  return new Anthropic({ baseURL: world.url, apiKey: world.secret, maxRetries: 0, ...more })
}

function ask(world: World, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return world.request(
    'POST',
    '/v1/messages',
    { ...HELLO, ...more },
    { 'x-api-key': world.secret, ...headers },
  )
}

function ofFile(type: string): object {
  return { messages: [{ role: 'user', content: [{ type, source: { type: 'file', file_id: 'file_1' } }] }] }
}

function deep(levels: number): JsonObject {
  let value: JsonObject = {}
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

async function charges(world: World): Promise<string[]> {
  await world.settled()
  return (await world.ledger()).filter(({ kind }) => kind === 'charge').map(({ amount_usd }) => amount_usd)
}

describe('the official SDK', () => {
  test('gets a whole message, charged as the same chat is', async () => {
    await using world = await startWorld({ provider: answers({ pieces: ['Hello'], usage: USAGE }) })
    const { data, response } = await clientOf(world).messages.create(HELLO).withResponse()
    const { id } = data
    expect(id).toStartWith('msg_')
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 40 },
    })
    expect(response.headers.get('request-id')).toBe(id)
    expect(response.headers.get('x-request-id')).toBe(id)
    await (await world.chat({ max_tokens: 100 })).text()
    const [message, chat] = await charges(world)
    expect(message).toBe(chat)
    expect((await receiptOf(world.operations, id)).usage.cached_tokens).toBe(60)
  })

  test('gets a stream, from its helper, with the usage that is charged', async () => {
    await using world = await startWorld({ provider: answers({ pieces: ['Hel', 'lo'], usage: USAGE }) })
    const texts: string[] = []
    const stream = clientOf(world)
      .messages.stream(HELLO)
      .on('text', (text) => texts.push(text))
    const message = await stream.finalMessage()
    expect(texts).toEqual(['Hel', 'lo'])
    expect(message).toMatchObject({
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      usage: { output_tokens: 40, cache_read_input_tokens: 60 },
    })
    expect(await charges(world)).toHaveLength(1)
  })

  test('calls a tool and gets the answer to its result', async () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    }
    const calling: JsonObject = {
      ...openaiCompletion('', { finishReason: 'tool_calls' }),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [call] },
          finish_reason: 'tool_calls',
        },
      ],
    }
    await using world = await startWorld({
      provider: inTurn(respond({ body: calling }), respond({ body: openaiCompletion('Cold.') })),
    })
    const client = clientOf(world)
    const tools: Anthropic.Tool[] = [
      { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
    ]
    const first = await client.messages.create({ ...HELLO, tools })
    expect(first).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', name: 'weather', input: { city: 'Oslo' } }],
    })
    const [use] = first.content
    if (use?.type !== 'tool_use') throw new Error('it calls a tool')
    const second = await client.messages.create({
      ...HELLO,
      tools,
      messages: [
        ...HELLO.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: '-3' }] },
      ],
    })
    expect(second.content).toMatchObject([{ type: 'text', text: 'Cold.' }])
    const { messages } = (await world.provider.request(1)).body as { messages: JsonObject[] }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  test('raises its own errors, with the request that they are about', async () => {
    await using world = await startWorld({ key: { requests_per_minute: 2 } })
    const client = clientOf(world)
    const unknown = await rejectionOf(client.messages.create({ ...HELLO, model: 'acme/none' }))
    expect(unknown).toBeInstanceOf(NotFoundError)
    expect(unknown).toMatchObject({
      status: 404,
      requestID: expect.stringMatching(/^msg_/),
      error: { type: 'error', error: { type: 'not_found_error', code: 'model_not_found', param: 'model' } },
    })
    const stranger = clientOf(world, { apiKey: 'tg_wrong' })
    expect(await rejectionOf(stranger.messages.create(HELLO))).toBeInstanceOf(AuthenticationError)
    await client.messages.create(HELLO)
    const limited = await rejectionOf(client.messages.create(HELLO))
    expect(limited).toBeInstanceOf(RateLimitError)
  })
})

describe('an error', () => {
  test.each<[number, string, string, object, WorldOptions]>([
    [400, 'invalid_request', 'invalid_request_error', { max_tokens: 0 }, {}],
    [400, 'invalid_request', 'invalid_request_error', { messages: [] }, {}],
    [402, 'insufficient_balance', 'billing_error', {}, { balance: '0' }],
    [403, 'model_not_accessible', 'permission_error', {}, { key: { models: [] } }],
    [
      413,
      'request_too_large',
      'request_too_large',
      { system: 'x'.repeat(2_000) },
      { config: () => ({ server: { max_body_bytes: 1_024 } }) },
    ],
    [502, 'upstream_error', 'api_error', {}, { provider: openaiError(500) }],
    [503, 'service_unavailable', 'overloaded_error', {}, { provider: openaiError(503) }],
  ])('%d %s is of the type %s, and names its request', async (status, code, type, more, options) => {
    await using world = await startWorld(options)
    const response = await ask(world, more)
    expect(response.status).toBe(status)
    const id = response.headers.get('request-id')
    expect(id).toStartWith('msg_')
    expect(await response.json()).toMatchObject({ type: 'error', error: { type, code }, request_id: id })
    expect(rateOf(response).limit).toBe(60)
    expect((await world.balance()).held).toBe('0.00')
  })

  test('in mid-stream is an event of its own, and the call is free', async () => {
    await using world = await startWorld({ provider: streams('Hello', close()) })
    const text = await (await ask(world, { stream: true })).text()
    expect(text).toContain('event: content_block_delta')
    expect(text).toContain('event: error\ndata: {"type":"error","error":{"type":"api_error"')
    expect(text).not.toContain('message_stop')
    expect(await charges(world)).toEqual([])
  })

  test('of a thread is the one on which the SDK sends the whole conversation', async () => {
    await using world = await startWorld()
    const response = await ask(world, { thread: { type: 'create' } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: {
        param: 'thread',
        details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
      },
    })
  })
})

describe('what is not sent', () => {
  test('is named: fields that no other provider has, and tools that run at the vendor', async () => {
    await using world = await startWorld()
    const response = await ask(world, {
      top_k: 3,
      context_management: { edits: [] },
      thinking: { type: 'disabled', display: 'summarized' },
      tools: [
        { type: 'web_search_20250305', name: 'web_search' },
        { name: 'weather', input_schema: { type: 'object', properties: {} } },
      ],
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-tollgate-dropped-fields')).toBe(
      'top_k, context_management, thinking.display, tools[web_search]',
    )
    const { tools } = (await world.provider.request()).body as { tools: JsonObject[] }
    expect(tools).toHaveLength(1)
  })

  test.each([
    ['container', { container: 'container_1' }],
    ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }] }],
    ['tools[0].type', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
    ['tools[0].type', { tools: [{ type: 'computer_20250124', name: 'computer' }] }],
    ['tools[0].type', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
    ['messages[0].content[0].source', ofFile('document')],
    ['messages[0].content[0].source', ofFile('image')],
    ['messages[0]', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', deep: deep(70) }] }] }],
    ['tools', { tools: [{ name: 'a', input_schema: deep(70) }] }],
    ['output_config', { output_config: { format: deep(70) } }],
  ])('is refused where it names what is not here, or is nested too deep: %s', async (param, more) => {
    await using world = await startWorld()
    const response = await ask(world, more)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } })
    expect(world.provider.requests).toHaveLength(0)
  })

  test('is refused where the answer would be another one: a choice of a tool that is not there', async () => {
    await using world = await startWorld()
    const web = [{ type: 'web_search_20250305', name: 'web_search' }]
    const response = await ask(world, { tools: web, tool_choice: { type: 'tool', name: 'web_search' } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'tool_choice' } })
  })
})

test('a repetition with the same Idempotency-Key gets the same message, streamed or whole, at no cost', async () => {
  await using world = await startWorld()
  for (const stream of [false, true]) {
    const key = { 'idempotency-key': `once-${stream}` }
    const first = await (await ask(world, { stream }, key)).text()
    const again = await ask(world, { stream }, key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.text()).toBe(first)
  }
  expect(await charges(world)).toHaveLength(2)
})

test('a caller who leaves ends the call at its provider, and pays for what was sent', async () => {
  await using world = await startWorld({ provider: hang() })
  const left = new AbortController()
  const asking = clientOf(world).messages.create(HELLO, { signal: left.signal })
  await world.provider.request()
  left.abort()
  await rejectionOf(asking)
  await world.provider.abortSeen()
  expect(await charges(world)).toHaveLength(1)
})

test('a path that there is not is refused in the format of its client, which may have the version twice', async () => {
  await using world = await startWorld()
  const response = await world.request('POST', '/v1/v1/messages', HELLO, {
    'anthropic-version': '2023-06-01',
  })
  expect([response.status, response.headers.get('request-id')]).toEqual([
    404,
    response.headers.get('x-request-id'),
  ])
  expect(await response.json()).toMatchObject({
    type: 'error',
    error: { type: 'not_found_error', code: 'not_found', message: expect.stringContaining('base URL') },
  })
  const plain = await (await world.request('POST', '/v1/v1/messages', HELLO)).json()
  expect(plain).not.toHaveProperty('type')
})

test('an Idempotency-Key that was used at another endpoint is a conflict, though the body is the same', async () => {
  await using world = await startWorld()
  const headers = { 'idempotency-key': 'k-1' }
  expect((await ask(world, {}, headers)).status).toBe(200)
  const other = await world.request('POST', '/v1/chat/completions', HELLO, headers)
  expect(other.status).toBe(409)
  expect((await ask(world, {}, headers)).headers.get('idempotent-replayed')).toBe('true')
})
