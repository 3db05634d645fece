import Anthropic, { PermissionDeniedError, RateLimitError } from '@anthropic-ai/sdk'
import { describe, expect, test } from 'bun:test'
import { TOKEN_COUNT_TIMEOUT_MS } from '../../src/pipeline/chat/tokenCount.ts'
import { STRIKES_TO_OPEN } from '../../src/upstream/routing/streak.ts'
import { LARGE_BODY_BYTES } from '../../src/core/bodyWeight.ts'
import { rateOf } from '../support/readAnswer.ts'
import { rejectionOf } from '../support/rejection.ts'
import { type Act, type Script, close, hang, respond } from '../support/scriptedProvider.ts'
import {
  MODEL,
  type World,
  type WorldOptions,
  standardConfig,
  standardModel,
  startWorld,
} from '../support/world.ts'

/** `POST /v1/messages/count_tokens`: by the provider where it can count, else by the gateway; free. */

const NATIVE = 'acme/native'
const PATH = '/v1/messages/count_tokens'
const HELLO = { model: NATIVE, messages: [{ role: 'user' as const, content: 'Hello, how are you today?' }] }
const COUNTED = respond({ body: { input_tokens: 4711 } })

/** One model of a provider that counts, and one of a provider that does not. */
function startCounting(script: Script, options: WorldOptions = {}): Promise<World> {
  return startWorld({
    provider: script,
    config: (provider) => ({
      providers: {
        ...(standardConfig(provider)['providers'] as object),
        native: { wire: 'anthropic-messages', base_url: provider.baseUrl, api_key: 'native-secret' },
      },
      models: [
        standardModel(),
        standardModel({
          id: NATIVE,
          aliases: ['claude'],
          targets: [{ provider: 'native', model: 'upstream-native-1' }],
        }),
      ],
    }),
    ...options,
  })
}

function clientOf(world: World): Anthropic {
  return new Anthropic({ baseURL: world.url, apiKey: world.secret, maxRetries: 0 })
}

function ask(world: World, more: object = {}): Promise<Response> {
  return world.request('POST', PATH, { ...HELLO, ...more })
}

async function expectFree(world: World): Promise<void> {
  expect((await world.ledger()).filter(({ kind }) => kind !== 'topup')).toEqual([])
  expect((await world.balance()).held).toBe('0.00')
}

describe('the official SDK', () => {
  test('gets the number of a provider that counts, asked with its model and credential', async () => {
    await using world = await startCounting(COUNTED)
    const tool = { name: 'weather', input_schema: { type: 'object' as const } }
    const { data, response } = await clientOf(world)
      .messages.countTokens({ ...HELLO, model: 'claude', system: 'Be brief.', tools: [tool] })
      .withResponse()
    expect(data).toEqual({ input_tokens: 4711 })
    expect(response.headers.get('x-tollgate-estimated')).toBeNull()
    expect(response.headers.get('request-id')).toMatch(/^req_/)
    expect(response.headers.get('x-request-id')).toBe(response.headers.get('request-id'))
    expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
    const { path, headers, body } = await world.provider.request()
    expect(path).toBe(PATH)
    expect(headers['x-api-key']).toBe('native-secret')
    expect(body).toMatchObject({
      model: 'upstream-native-1',
      system: 'Be brief.',
      tools: [{ name: 'weather' }],
    })
    expect(Object.keys(body as object).toSorted()).toEqual(['messages', 'model', 'system', 'tools'])
    await expectFree(world)
  })

  test('gets an estimate, marked as one, where the provider does not count, and nothing is sent', async () => {
    await using world = await startCounting(COUNTED)
    const { data, response } = await clientOf(world)
      .messages.countTokens({ ...HELLO, model: MODEL })
      .withResponse()
    expect(data.input_tokens).toBeWithin(7, 15)
    expect(response.headers.get('x-tollgate-estimated')).toBe('true')
    expect(world.provider.requests).toHaveLength(0)
    await expectFree(world)
  })

  test('raises its own errors: a model that the key may not use, a limit', async () => {
    await using world = await startCounting(COUNTED, { key: { models: [MODEL], requests_per_minute: 2 } })
    const { messages } = clientOf(world)
    const foreign = await rejectionOf(messages.countTokens(HELLO))
    expect(foreign).toBeInstanceOf(PermissionDeniedError)
    expect(foreign).toMatchObject({ error: { error: { code: 'model_not_accessible', param: 'model' } } })
    await messages.countTokens({ ...HELLO, model: MODEL })
    expect(await rejectionOf(messages.countTokens({ ...HELLO, model: MODEL }))).toBeInstanceOf(RateLimitError)
    expect(world.provider.requests).toHaveLength(0)
  })
})

test('a custom tool is counted as the function that stands for it, where the provider has none', async () => {
  await using world = await startCounting(COUNTED)
  const tools = [{ type: 'custom', name: 'patch' }]
  const response = await world.request('POST', '/v1/responses/input_tokens', {
    model: NATIVE,
    input: 'Hi',
    tools,
  })
  expect(await response.json()).toMatchObject({ input_tokens: 4711 })
  const { body } = await world.provider.request()
  expect(body).toMatchObject({
    tools: [{ name: 'patch', input_schema: { properties: { input: { type: 'string' } } } }],
  })
})

describe('a provider that fails to count', () => {
  test.each<[string, Act]>([
    [
      'has no such endpoint',
      respond({ status: 404, body: { type: 'error', error: { type: 'not_found_error', message: 'no' } } }),
    ],
    [
      'refuses the credential',
      respond({
        status: 401,
        body: { type: 'error', error: { type: 'authentication_error', message: 'no' } },
      }),
    ],
    ['is at its rate limit', respond({ status: 429, headers: { 'retry-after': '60' }, body: '{}' })],
    ['is overloaded', respond({ status: 529, body: '{}' })],
    ['is broken', respond({ status: 500, body: '{}' })],
    [
      'refuses the request',
      respond({
        status: 400,
        body: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } },
      }),
    ],
    ['gives no number', respond({ body: { input_tokens: 'many' } })],
    ['gives no JSON', respond({ body: 'many' })],
    ['hangs up', close()],
  ])('is asked once, and the estimate is given: it %s', async (_, act) => {
    await using world = await startCounting(act)
    const response = await ask(world)
    expect([response.status, response.headers.get('x-tollgate-estimated')]).toEqual([200, 'true'])
    expect(((await response.json()) as { input_tokens: number }).input_tokens).toBeWithin(7, 15)
    expect(world.provider.requests).toHaveLength(1)
    await expectFree(world)
  })

  test('is asked again by the next request, and no target or credential is set aside', async () => {
    await using world = await startCounting(respond({ status: 401, body: '{}' }))
    for (let i = 0; i < 6; i++) expect((await ask(world)).headers.get('x-tollgate-estimated')).toBe('true')
    world.provider.play(respond({ status: 500, body: '{}' }))
    for (let i = 0; i < 6; i++) expect((await ask(world)).headers.get('x-tollgate-estimated')).toBe('true')
    expect(world.provider.requests).toHaveLength(12)
    world.provider.play(COUNTED)
    expect((await ask(world)).headers.get('x-tollgate-estimated')).toBeNull()
    await world.request('POST', '/v1/messages', { ...HELLO, max_tokens: 5 })
    expect((await world.provider.request(13)).path).toBe('/v1/messages')
  })

  test('is left after three seconds', async () => {
    await using world = await startCounting(hang())
    const begun = performance.now()
    const response = await ask(world)
    expect(response.headers.get('x-tollgate-estimated')).toBe('true')
    expect(performance.now() - begun).toBeGreaterThan(TOKEN_COUNT_TIMEOUT_MS - 100)
    await world.provider.abortSeen()
  })

  test('is left when the caller leaves', async () => {
    await using world = await startCounting(hang())
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${world.secret}`, 'content-type': 'application/json' }
    const asked = fetch(world.url + PATH, {
      method: 'POST',
      headers,
      body: JSON.stringify(HELLO),
      signal: leaving.signal,
    })
    await world.provider.request()
    const left = performance.now()
    leaving.abort()
    expect(await rejectionOf(asked)).toMatchObject({ name: 'AbortError' })
    await world.provider.abortSeen()
    expect(performance.now() - left).toBeLessThan(TOKEN_COUNT_TIMEOUT_MS / 2)
  })

  test.each([
    ['its credential is refused', 401],
    ['its circuit is open', 500],
  ])('is not asked while messages are not sent there: %s', async (_, status) => {
    await using world = await startCounting(respond({ status, body: '{}' }))
    for (let i = 0; i < STRIKES_TO_OPEN; i++)
      await world.request('POST', '/v1/messages', { ...HELLO, max_tokens: 5 })
    const sent = world.provider.requests.length
    expect((await ask(world)).headers.get('x-tollgate-estimated')).toBe('true')
    expect(world.provider.requests).toHaveLength(sent)
  })
})

describe('a count', () => {
  test('needs no balance', async () => {
    await using world = await startCounting(COUNTED, { balance: '0' })
    expect(await (await ask(world)).json()).toEqual({ input_tokens: 4711 })
    expect((await ask(world, { model: MODEL })).status).toBe(200)
    await expectFree(world)
  })

  test('takes a limit of the output, and names the fields that it leaves out', async () => {
    await using world = await startCounting(COUNTED)
    const response = await ask(world, {
      max_tokens: 100,
      temperature: 0.5,
      speed: 'fast',
      context_management: { edits: [] },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-tollgate-dropped-fields')).toBe('speed')
    const { body } = await world.provider.request()
    expect(Object.keys(body as object).toSorted()).toEqual(['context_management', 'messages', 'model'])
  })

  test('is of prompts that are too long for the model, too, however large the body', async () => {
    await using world = await startCounting(COUNTED)
    const content = 'every word of it is one '.repeat(Math.ceil(LARGE_BODY_BYTES / 20))
    const messages = [{ role: 'user', content }]
    const response = await ask(world, { model: MODEL, messages })
    expect(((await response.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(
      content.length / 5,
    )
    expect(await (await ask(world, { messages })).json()).toEqual({ input_tokens: 4711 })
  })

  test.each<[number, string, string | null, unknown]>([
    [400, 'invalid_request', null, '{"model": '],
    [400, 'invalid_request', 'messages', { model: NATIVE }],
    [400, 'invalid_request', 'messages', { model: NATIVE, messages: [] }],
    [400, 'invalid_request', 'max_tokens', { ...HELLO, max_tokens: 0 }],
    [400, 'invalid_request', 'model', { messages: HELLO.messages }],
    [
      400,
      'invalid_request',
      'messages[0].content[0].source',
      {
        ...HELLO,
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }] },
        ],
      },
    ],
    [404, 'model_not_found', 'model', { ...HELLO, model: 'acme/none' }],
  ])(
    'of what is wrong is %d %s about %p, counted, and nothing is sent',
    async (status, code, param, body) => {
      await using world = await startCounting(COUNTED)
      const response = await world.request('POST', PATH, body)
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({
        type: 'error',
        error: { code, param },
        request_id: response.headers.get('request-id'),
      })
      expect(rateOf(response).remaining).toBe(59)
      expect(world.provider.requests).toHaveLength(0)
    },
  )
})
