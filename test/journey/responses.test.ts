import { describe, expect, test } from 'bun:test'
import OpenAI, { AuthenticationError, NotFoundError, RateLimitError } from 'openai'
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

/** `POST /v1/responses`: a client of OpenAI's Responses at a provider of another format, unchanged but for address and key. */

const HELLO = { model: MODEL, max_output_tokens: 100, input: 'Hi' }
const USAGE = openaiUsage(100, 40, { prompt_tokens_details: { cached_tokens: 60 } })
const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
}

function clientOf(world: World, more: ConstructorParameters<typeof OpenAI>[0] = {}): OpenAI {
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0, ...more })
}

function ask(world: World, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return world.request('POST', '/v1/responses', { ...HELLO, ...more }, headers)
}

function calling(...calls: JsonObject[]): JsonObject {
  const message = { role: 'assistant', content: null, tool_calls: calls }
  return {
    ...openaiCompletion('', { finishReason: 'tool_calls' }),
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  }
}

async function charges(world: World): Promise<string[]> {
  await world.settled()
  return (await world.ledger()).filter(({ kind }) => kind === 'charge').map(({ amount_usd }) => amount_usd)
}

describe('the official SDK', () => {
  test('gets a whole response, charged as the same chat is', async () => {
    await using world = await startWorld({ provider: answers({ pieces: ['Hello'], usage: USAGE }) })
    const { data, response } = await clientOf(world).responses.create(HELLO).withResponse()
    const { id } = data
    expect(id).toStartWith('resp_')
    expect(data.output_text).toBe('Hello')
    expect(data).toMatchObject({
      object: 'response',
      status: 'completed',
      model: MODEL,
      max_output_tokens: 100,
      usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 60 }, output_tokens: 40 },
    })
    expect(response.headers.get('x-request-id')).toBe(id)
    await (await world.chat({ max_tokens: 100 })).text()
    const [answer, chat] = await charges(world)
    expect(answer).toBe(chat)
    expect((await receiptOf(world.operations, id)).usage.cached_tokens).toBe(60)
  })

  test('gets a stream, from its helper, with the usage that is charged', async () => {
    await using world = await startWorld({ provider: answers({ pieces: ['Hel', 'lo'], usage: USAGE }) })
    const texts: string[] = []
    const stream = clientOf(world)
      .responses.stream(HELLO)
      .on('response.output_text.delta', ({ delta }) => texts.push(delta))
    const response = await stream.finalResponse()
    expect(texts).toEqual(['Hel', 'lo'])
    expect(response.output_text).toBe('Hello')
    expect(response.usage).toMatchObject({
      output_tokens: 40,
      input_tokens_details: { cached_tokens: 60 },
    })
    expect(await charges(world)).toHaveLength(1)
  })

  test('calls tools side by side and gets the answer to their results, in any order', async () => {
    const call = (id: string, city: string): JsonObject => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: JSON.stringify({ city }) },
    })
    await using world = await startWorld({
      provider: inTurn(
        respond({ body: calling(call('call_1', 'Oslo'), call('call_2', 'Rome')) }),
        respond({ body: openaiCompletion('Cold and warm.') }),
      ),
    })
    const client = clientOf(world)
    const first = await client.responses.create({ ...HELLO, tools: [WEATHER], store: false })
    expect(first.output).toMatchObject([
      { type: 'function_call', call_id: 'call_1', arguments: '{"city":"Oslo"}' },
      { type: 'function_call', call_id: 'call_2', arguments: '{"city":"Rome"}' },
    ])
    const second = await client.responses.create({
      ...HELLO,
      tools: [WEATHER],
      store: false,
      input: [
        { role: 'user', content: 'Hi' },
        ...(first.output as OpenAI.Responses.ResponseFunctionToolCall[]),
        { type: 'function_call_output', call_id: 'call_2', output: '25' },
        { type: 'function_call_output', call_id: 'call_1', output: '-3' },
      ],
    })
    expect(second.output_text).toBe('Cold and warm.')
    const { messages } = (await world.provider.request(1)).body as { messages: JsonObject[] }
    expect(messages.map(({ role, tool_call_id: id }) => [role, id])).toEqual([
      ['user', undefined],
      ['assistant', undefined],
      ['tool', 'call_2'],
      ['tool', 'call_1'],
    ])
    expect(messages[1]?.['tool_calls']).toHaveLength(2)
  })

  test('parses what a schema asks for', async () => {
    await using world = await startWorld({ provider: respond({ body: openaiCompletion('{"city":"Oslo"}') }) })
    const format = {
      type: 'json_schema',
      name: 'place',
      strict: true,
      schema: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
    } as const
    const parsed = await clientOf(world).responses.parse({ ...HELLO, text: { format } })
    expect(parsed.output_parsed as unknown).toEqual({ city: 'Oslo' })
    const { response_format: sent } = (await world.provider.request()).body as JsonObject
    expect(sent).toMatchObject({ type: 'json_schema', json_schema: { name: 'place', strict: true } })
  })

  test('raises its own errors, with the request that they are about', async () => {
    await using world = await startWorld({ key: { requests_per_minute: 2 } })
    const client = clientOf(world)
    const unknown = await rejectionOf(client.responses.create({ ...HELLO, model: 'acme/none' }))
    expect(unknown).toBeInstanceOf(NotFoundError)
    expect(unknown).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
      requestID: expect.stringMatching(/^resp_/),
    })
    const stranger = clientOf(world, { apiKey: 'tg_wrong' })
    expect(await rejectionOf(stranger.responses.create(HELLO))).toBeInstanceOf(AuthenticationError)
    await client.responses.create(HELLO)
    expect(await rejectionOf(client.responses.create(HELLO))).toBeInstanceOf(RateLimitError)
  })
})

describe('an error', () => {
  test.each<[number, string, object, WorldOptions]>([
    [400, 'invalid_request', { max_output_tokens: 0 }, {}],
    [400, 'invalid_request', { input: [] }, {}],
    [402, 'insufficient_balance', {}, { balance: '0' }],
    [403, 'model_not_accessible', {}, { key: { models: [] } }],
    [
      413,
      'request_too_large',
      { instructions: 'x'.repeat(2_000) },
      { config: () => ({ server: { max_body_bytes: 1_024 } }) },
    ],
    [502, 'upstream_error', {}, { provider: openaiError(500) }],
    [503, 'service_unavailable', {}, { provider: openaiError(503) }],
  ])('%d %s has the shape of all, and names its request', async (status, code, more, options) => {
    await using world = await startWorld(options)
    const response = await ask(world, more)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-request-id')).toStartWith('resp_')
    expect(await response.json()).toMatchObject({ error: { code, message: expect.any(String) } })
    expect(rateOf(response).limit).toBe(60)
    expect((await world.balance()).held).toBe('0.00')
  })

  test('in mid-stream is an error and response.failed, in words on which agents go on, and the call is free', async () => {
    await using world = await startWorld({ provider: streams('Hello', close()) })
    const text = await (await ask(world, { stream: true })).text()
    expect(text).toContain('event: response.output_text.delta')
    const ending = /\n\nevent: error\ndata: (.*)\n\nevent: response\.failed\ndata: (.*)\n\n$/.exec(text)
    const [, error = '', failed = ''] = ending ?? []
    expect(JSON.parse(error)).toMatchObject({
      error: { type: 'server_error', code: 'server_error', message: expect.stringContaining('server error') },
    })
    expect(JSON.parse(failed)).toMatchObject({
      response: {
        status: 'failed',
        error: { code: 'server_error', message: expect.stringContaining('server error') },
      },
    })
    expect(text).not.toContain('response.completed')
    expect(await charges(world)).toEqual([])
  })
})

describe('what is not sent', () => {
  test('is named: fields that no other provider has, and tools that run at the vendor', async () => {
    await using world = await startWorld()
    const response = await ask(world, {
      truncation: 'auto',
      reasoning: { summary: 'auto' },
      include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
      client_metadata: { session_id: 'x' },
      tools: [{ type: 'web_search' }, { type: 'image_generation' }, { type: 'tool_search' }, WEATHER],
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-tollgate-dropped-fields')?.split(', ').toSorted()).toEqual([
      'client_metadata',
      'include[web_search_call.action.sources]',
      'reasoning.summary',
      'tools[image_generation]',
      'tools[tool_search]',
      'tools[web_search]',
      'truncation',
    ])
    const { tools } = (await world.provider.request()).body as { tools: JsonObject[] }
    expect(tools).toHaveLength(1)
  })

  test.each([
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['input[1].type', { input: [{ role: 'user', content: 'Hi' }, { type: 'compaction_trigger' }] }],
    ['tools[0].type', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
    ['tools[0].type', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    ['tools[0].type', { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://example.com' }] }],
    ['tools[0].type', { tools: [{ type: 'computer_use_preview' }] }],
    ['tool_choice', { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }],
    [
      'input[0].content[0].file_id',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }] },
    ],
  ])('is refused where it names what is not here: %s', async (param, more) => {
    await using world = await startWorld()
    const response = await ask(world, more)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } })
    expect(response.status).toBe(400)
    expect(world.provider.requests).toHaveLength(0)
  })
})

test('a repetition with the same Idempotency-Key gets the same response, streamed or whole, at no cost', async () => {
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
  const asking = clientOf(world).responses.create(HELLO, { signal: left.signal })
  await world.provider.request()
  left.abort()
  await rejectionOf(asking)
  await world.provider.abortSeen()
  expect(await charges(world)).toHaveLength(1)
})

test('an upgrade to WebSocket is a 426, the status on which clients send requests instead', async () => {
  await using world = await startWorld()
  const upgrade = { connection: 'upgrade', upgrade: 'websocket' }
  expect((await world.request('GET', '/v1/responses', undefined, upgrade)).status).toBe(426)
})

describe('a count of tokens', () => {
  const count = (world: World, more: object = {}): Promise<Response> =>
    world.request('POST', '/v1/responses/input_tokens', { ...HELLO, ...more })

  test('is an estimate where the provider has none, and costs nothing', async () => {
    await using world = await startWorld({ balance: '0' })
    const response = await count(world)
    expect(response.headers.get('x-tollgate-estimated')).toBe('true')
    expect(await response.json()).toEqual({
      object: 'response.input_tokens',
      input_tokens: expect.any(Number),
    })
    expect(world.provider.requests).toHaveLength(0)
    expect(await charges(world)).toEqual([])
  })

  test('is that of a provider that speaks this format', async () => {
    await using world = await startWorld({
      provider: respond({ body: { object: 'response.input_tokens', input_tokens: 7 } }),
      config: ({ baseUrl }) => ({
        providers: { acme: { wire: 'openai-responses', base_url: baseUrl, api_key: 'k' } },
      }),
    })
    const response = await count(world, { instructions: 'Be brief.', temperature: 0, tools: [WEATHER] })
    expect(await response.json()).toEqual({ object: 'response.input_tokens', input_tokens: 7 })
    const { path, body } = await world.provider.request()
    expect(path).toBe('/v1/responses/input_tokens')
    expect(Object.keys(body as object)).toEqual(['model', 'input', 'tools'])
  })
})
