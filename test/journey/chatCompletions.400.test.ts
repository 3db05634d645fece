import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { errorOf, rateOf } from '../support/readAnswer.ts'
import { type ScriptedProvider, openaiError, inTurn, streams } from '../support/scriptedProvider.ts'
import { MESSAGES, MODEL, type World, standardConfig, standardModel, startWorld } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ workspace: { requests_per_minute: 1_000_000 } })
})
afterAll(() => world.stop())

function withMessage(message: object): Record<string, unknown> {
  return { messages: [{ role: 'user', content: 'Hi' }, message] }
}

/** The body as given, without what `chat` would fill in. */
function post(body: unknown): Promise<Response> {
  return world.request('POST', '/v1/chat/completions', body)
}

describe('within its range', () => {
  const accepted: [string, unknown[]][] = [
    ['temperature', [0, 0.7, 2, 2.0, null]],
    ['top_p', [0, 0.000_001, 0.5, 1, null]],
    ['frequency_penalty', [-2, 0, 1.5, 2, null]],
    ['presence_penalty', [-2, 0, 1.5, 2, null]],
    ['n', [1, 2, null]],
    ['max_tokens', [1, 8192, 1_000_000, null]],
    ['max_completion_tokens', [1, 8192, null]],
    ['stop', ['END', '', [], ['a'], ['a', 'b', 'c', 'd'], 'x'.repeat(1_000), null]],
    ['stream', [true, false, null]],
    ['user', ['somebody', '', 'ünïcode \u0000 \ud83d\ude00', null]],
    ['seed', [0, -1, 42, null]],
    ['logprobs', [true, false, null]],
    ['top_logprobs', [0, null]],
    ['tools', [[], null]],
    ['parallel_tool_calls', [true, false, null]],
    ['response_format', [{ type: 'text' }, { type: 'json_object' }, null]],
    ['metadata', [{}, null]],
  ]
  const rows = accepted.flatMap(([field, values]) => values.map((value) => [field, value] as const))

  test.each(rows)('%s %j is taken', async (field, value) => {
    const response = await world.chat({ [field]: value })
    expect(response.status).toBe(200)
    await response.text()
  })
})

describe('without a price', () => {
  test.each<[param: string, body: Record<string, unknown>]>([
    ['service_tier', { service_tier: 'priority' }],
    ['web_search_options', { web_search_options: {} }],
    ['tools[0].type', { tools: [{ type: 'web_search' }] }],
    [
      'messages[0].content[0].cache_control.ttl',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }],
          },
        ],
      },
    ],
  ])('%s is refused before anything is sent', async (param, body) => {
    const sent = world.provider.requests.length
    const response = await world.chat(body)
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param })
    expect(world.provider.requests).toHaveLength(sent)
    expect((await world.balance()).held).toBe('0.00')
  })
})

describe('outside its range or of another type', () => {
  const refused: [string, unknown[]][] = [
    ['model', ['', 1, true, [], {}, ['acme/chat-1']]],
    ['messages', ['Hi', 1, {}, [], true]],
    ['temperature', [-0.000_001, 2.000_001, -1, 3, '1', true, [], {}, [1]]],
    ['top_p', [-0.1, 1.000_001, 2, '0.5', false, [], {}]],
    ['frequency_penalty', [-2.000_001, 2.000_001, '0', true, [], {}]],
    ['presence_penalty', [-2.000_001, 2.000_001, '0', true, [], {}]],
    ['n', [0, -1, 129, 1.5, '1', true, [], {}]],
    ['max_tokens', [0, -1, 1.5, '100', true, [], {}, 1e30]],
    ['max_completion_tokens', [0, -1, 1.5, '100', true, [], {}]],
    ['stop', [Array(17).fill('a'), 1, true, {}]],
    ['stream', ['true', 1, 0, 'yes', [], {}]],
    ['user', [1, true, [], {}]],
    ['seed', [1.5, '1', true, [], {}]],
    ['logprobs', ['true', 1, [], {}]],
    ['top_logprobs', [-1, 21, 1.5, '1']],
    ['tools', ['f', {}, 1]],
    ['tool_choice', ['always', 1, []]],
    ['parallel_tool_calls', ['true', 1]],
    ['response_format', ['json', 1, []]],
    ['stream_options', ['usage', 1, []]],
    ['metadata', ['x', 1, []]],
    ['logit_bias', ['x', 1, []]],
  ]
  const rows = refused.flatMap(([field, values]) => values.map((value) => [field, value] as const))

  test.each(rows)('%s %j is a 400 that names it', async (field, value) => {
    const before = await world.ledger()
    const response = await world.chat({ ...(field === 'stream_options' && { stream: true }), [field]: value })
    expect(response.status).toBe(400)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 'invalid_request', type: 'invalid_request_error', param: field })
    expect(error.message).toContain(field)
    expect(response.headers.get('retry-after')).toBeNull()
    expect(await world.ledger()).toEqual(before)
  })

  test.each([
    ['messages[1]', 'Hi'],
    ['messages[1]', null],
    ['messages[1]', ['user', 'Hi']],
    ['messages[1].role', { content: 'Hi' }],
    ['messages[1].role', { role: null, content: 'Hi' }],
    ['messages[1].role', { role: 'owner', content: 'Hi' }],
    ['messages[1].role', { role: 'User', content: 'Hi' }],
    ['messages[1].role', { role: 1, content: 'Hi' }],
    ['messages[1].content', { role: 'user' }],
    ['messages[1].content', { role: 'user', content: null }],
    ['messages[1].content', { role: 'system' }],
    ['messages[1].content', { role: 'assistant' }],
    ['messages[1].content', { role: 'user', content: 1 }],
    ['messages[1].content', { role: 'user', content: {} }],
    ['messages[1].content', { role: 'user', content: [] }],
    ['messages[1].content[0]', { role: 'user', content: ['Hi'] }],
    ['messages[1].content[0].type', { role: 'user', content: [{ text: 'Hi' }] }],
    ['messages[1].content[0].text', { role: 'user', content: [{ type: 'text' }] }],
    ['messages[1].content[0].image_url', { role: 'user', content: [{ type: 'image_url' }] }],
    [
      'messages[1].content[0].image_url.url',
      { role: 'user', content: [{ type: 'image_url', image_url: {} }] },
    ],
    ['messages[1].name', { role: 'user', content: 'Hi', name: 1 }],
    ['messages[1].tool_call_id', { role: 'tool', content: 'Hi' }],
    ['messages[1].tool_calls', { role: 'assistant', content: 'Hi', tool_calls: {} }],
    ['messages[1].tool_calls[0]', { role: 'assistant', content: 'Hi', tool_calls: ['f'] }],
    ['messages[1].tool_calls[0].id', { role: 'assistant', tool_calls: [{ type: 'function' }] }],
  ])('%s of %j is a 400 that names it', async (param, message) => {
    const response = await world.chat(withMessage(message as object))
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param })
  })

  test.each([
    ['stop[1]', { stop: ['a', 1] }],
    ['tools[0]', { tools: ['f'] }],
    ['tools[0].type', { tools: [{ function: { name: 'f' } }] }],
    ['tools[0].function', { tools: [{ type: 'function' }] }],
    ['tools[0].function.name', { tools: [{ type: 'function', function: {} }] }],
    [
      'tools[0].function.parameters',
      { tools: [{ type: 'function', function: { name: 'f', parameters: 1 } }] },
    ],
    ['tool_choice.function', { tool_choice: { type: 'function' } }],
    ['response_format.type', { response_format: { type: 1 } }],
    ['top_logprobs', { top_logprobs: 20 }],
    ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
    ['stream_options.include_usage', { stream: true, stream_options: { include_usage: 'yes' } }],
  ])('%s of %j is a 400 that names it', async (param, body) => {
    const response = await world.chat(body)
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param })
  })
})

describe('missing', () => {
  test.each([
    ['model', { messages: MESSAGES }],
    ['model', { model: null, messages: MESSAGES }],
    ['messages', { model: MODEL }],
    ['messages', { model: MODEL, messages: null }],
    ['model', {}],
  ])('%s in %j is a 400 that names it', async (param, body) => {
    const response = await post(body)
    expect(response.status).toBe(400)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 'invalid_request', type: 'invalid_request_error', param })
    expect(error.message).toContain(param)
  })

  test('the first offending field is the one named', async () => {
    const response = await world.chat({ temperature: 3, n: 0 })
    expect(await errorOf(response)).toMatchObject({ param: 'temperature' })
    const other = await post({ n: 0, temperature: 3, model: MODEL })
    expect(await errorOf(other)).toMatchObject({ param: 'messages' })
  })
})

test('nothing of a refused request reaches the provider', () => {
  for (const request of world.provider.requests)
    expect(request.body).toMatchObject({ model: 'upstream-chat-1' })
})

test('a refused request counts once and its id is that of a completion', async () => {
  await using own = await startWorld()
  const response = await own.chat({ temperature: 3 })
  expect(response.status).toBe(400)
  expect(response.headers.get('x-request-id')).toStartWith('chatcmpl-')
  expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
  const next = await own.chat({ n: 0 })
  expect(rateOf(next)).toMatchObject({ limit: 60, remaining: 58 })
  expect((await own.ledger()).map(({ kind }) => kind)).toEqual(['topup'])
  expect(own.provider.requests).toHaveLength(0)
})

describe('a request that the provider refuses', () => {
  test('is a 400 in our words, asked for once and free', async () => {
    await using own = await startWorld({
      provider: openaiError(400, { message: 'org-secret says: bad temperature', param: 'temperature' }),
    })
    for (const stream of [false, true]) {
      const response = await own.chat({ temperature: 1.5, stream })
      expect(response.status).toBe(400)
      const error = await errorOf(response)
      expect(error).toMatchObject({
        code: 'invalid_request',
        type: 'invalid_request_error',
        param: 'temperature',
      })
      expect(error.message).not.toContain('org-secret')
    }
    expect(own.provider.requests).toHaveLength(2)
    expect(await own.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })

  test('for its length is a 400 that names the messages', async () => {
    await using own = await startWorld({
      provider: openaiError(400, { message: 'too long', code: 'context_length_exceeded', param: 'messages' }),
    })
    const response = await own.chat()
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'messages' })
  })

  test('is not tried at another target', async () => {
    await using own = await startWorld({
      provider: inTurn(openaiError(400), streams('never')),
      config: (provider: ScriptedProvider) => ({
        ...standardConfig(provider),
        models: [
          standardModel({
            targets: [
              { provider: 'acme', model: 'one' },
              { provider: 'acme', model: 'two' },
            ],
          }),
        ],
      }),
    })
    expect((await own.chat()).status).toBe(400)
    expect(own.provider.requests).toHaveLength(1)
  })
})

test('a field whose loss would change the answer is refused by a model that cannot take it', async () => {
  await using own = await startWorld({
    config: () => ({ models: [standardModel({ unsupported_fields: ['stop', 'temperature'] })] }),
  })
  const refused = await own.chat({ stop: 'END' })
  expect(refused.status).toBe(400)
  expect(await errorOf(refused)).toMatchObject({ code: 'invalid_request', param: 'stop' })
  expect(own.provider.requests).toHaveLength(0)

  const taken = await own.chat({ temperature: 0.5 })
  expect(taken.status).toBe(200)
  expect(taken.headers.get('x-tollgate-dropped-fields')).toBe('temperature')
  expect((await own.provider.request()).body).not.toHaveProperty('temperature')
  expect(await own.balance()).toMatchObject({ held: '0.00' })
})

test('top-level fields that nobody knows are not sent, and named in the answer', async () => {
  await using own = await startWorld()
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field_${i}`, i]))
  for (const stream of [false, true]) {
    const odd = { top_k: 40, 'x\r\nset-cookie: a=b': 1, ünknown: 2, absent: null, ...many, stream }
    const answer = await own.chat(odd)
    expect(answer.status).toBe(200)
    const named = Array.from({ length: 15 }, (_, i) => `field_${i}`)
    expect(answer.headers.get('x-tollgate-dropped-fields')).toBe(['top_k', ...named, '...'].join(', '))
    await answer.text()
  }
  for (const { body } of own.provider.requests) {
    expect(body).not.toHaveProperty('top_k')
    expect(body).not.toHaveProperty('field_0')
  }
})

test('more than four stop sequences are taken where the target takes them, and else refused by name', async () => {
  const stop = ['a', 'b', 'c', 'd', 'e']
  await using own = await startWorld({
    config: ({ baseUrl }) => {
      const plain = { wire: 'openai-chat', base_url: baseUrl, api_key: 'k' }
      const targets = [{ provider: 'wide', model: 'upstream-chat-2' }]
      return {
        providers: { acme: plain, wide: { ...plain, quirks: { maximum_stops: 5 } } },
        models: [standardModel(), standardModel({ id: 'acme/wide', aliases: [], targets })],
      }
    },
  })
  const refused = await own.chat({ stop })
  expect(refused.status).toBe(400)
  expect(await errorOf(refused)).toMatchObject({ code: 'invalid_request', param: 'stop' })
  expect(own.provider.requests).toHaveLength(0)
  expect((await own.chat({ stop, model: 'acme/wide' })).status).toBe(200)
  expect((await own.chat({ stop, models: ['acme/wide'] })).status).toBe(200)
  for (const { body } of own.provider.requests) expect(body).toMatchObject({ model: 'upstream-chat-2', stop })
  expect(own.provider.requests).toHaveLength(2)
  expect(await own.balance()).toMatchObject({ held: '0.00' })
})
