import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { type Json, type JsonObject, isJsonObject } from '../../src/core/json.ts'
import { KEPT_RESPONSES_MAX } from '../../src/core/ports/keptResponses.ts'
import { REFERENCES_MAX } from '../../src/pipeline/responses/recall.ts'
import { rejectionOf } from '../support/rejection.ts'
import { answers, inTurn, openaiCompletion, openaiUsage, respond } from '../support/scriptedProvider.ts'
import { MODEL, type World, type WorldOptions, startWorld } from '../support/world.ts'

/** Responses that are kept, so that later requests can refer to them. */

const HELLO = { model: MODEL, max_output_tokens: 100, input: 'Hi' }

function clientOf(world: World, apiKey = world.secret): OpenAI {
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey, maxRetries: 0 })
}

function ask(world: World, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return world.request('POST', '/v1/responses', { ...HELLO, ...more }, headers)
}

async function messagesSent(world: World, ordinal: number): Promise<JsonObject[]> {
  return ((await world.provider.request(ordinal)).body as { messages: JsonObject[] }).messages
}

/** The key of another workspace of the same gateway. */
async function stranger(world: World): Promise<string> {
  const { id } = await world.operations.createWorkspace({ name: 'other', type: 'personal' })
  await world.operations.credit(id, { amount_usd: '10' })
  return (await world.operations.createKey(id, { name: 'other' })).key
}

async function errorOf(response: Response): Promise<JsonObject> {
  return ((await response.json()) as { error: JsonObject }).error
}

const SAID = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
] as const

/** A provider of this format that answers each request with the next output. */
function answering(
  first: readonly JsonObject[],
  ...others: readonly (readonly JsonObject[])[]
): WorldOptions {
  const acts = [first, ...others].map((output) => respond({ body: bodyOf(output) }))
  return {
    provider: inTurn(...(acts as [(typeof acts)[number]])),
    config: ({ baseUrl }) => ({
      providers: { acme: { wire: 'openai-responses', base_url: baseUrl, api_key: 'k' } },
    }),
  }
}

const THOUGHT = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA-secret' }
const TEXT = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
}

async function inputSent(world: World, ordinal: number): Promise<Json[]> {
  return ((await world.provider.request(ordinal)).body as { input: Json[] }).input
}

test('an answer whose input has too many items to be kept says so', async () => {
  await using world = await startWorld({ provider: answers({ pieces: ['Hello'] }) })
  const items = (count: number): JsonObject[] =>
    Array.from({ length: count }, (_, i) => ({ type: 'message', id: `m_${i}`, role: 'user', content: 'a' }))
  for (const [count, store, status] of [
    [KEPT_RESPONSES_MAX.perAnswer.items - 1, true, 200],
    [KEPT_RESPONSES_MAX.perAnswer.items + 1, false, 404],
  ] as const) {
    const answer = (await (await ask(world, { input: items(count) })).json()) as { id: string }
    expect(answer).toMatchObject({ store })
    expect((await world.request('GET', `/v1/responses/${answer.id}`)).status).toBe(status)
  }
})

describe('previous_response_id', () => {
  test.each<[name: string, odd: JsonObject]>([
    ['item_reference', { type: 'item_reference', id: 'x' }],
    ['mcp_call', { type: 'mcp_call', id: 'mcp_1', name: 'f', arguments: '{}' }],
  ])(
    'goes on without an item of the answer that cannot be sent again, and names it: %s',
    async (name, odd) => {
      await using world = await startWorld(answering([TEXT, odd], [TEXT]))
      const { id } = (await (await ask(world)).json()) as { id: string }
      const next = await ask(world, { input: 'And?', previous_response_id: id })
      expect([next.status, next.headers.get('x-tollgate-dropped-fields')]).toEqual([
        200,
        `previous_response_id[${name}]`,
      ])
      expect(await inputSent(world, 1)).toEqual([
        { role: 'user', content: 'Hi' },
        TEXT,
        { role: 'user', content: 'And?' },
      ])
    },
  )

  test('goes on without what an answer cites of the account of its provider', async () => {
    const annotations = [{ type: 'file_citation', file_id: 'file-1', index: 0 }]
    const cited = { ...TEXT, content: [{ type: 'output_text', text: 'Hello', annotations }] }
    await using world = await startWorld(answering([cited], [TEXT]))
    const { id } = (await (await ask(world)).json()) as { id: string }
    expect((await ask(world, { input: 'And?', previous_response_id: id })).status).toBe(200)
    const sent = { ...TEXT, content: [{ type: 'output_text', text: 'Hello' }] }
    expect((await inputSent(world, 1))[1]).toEqual(sent)
  })

  test.each([false, true])('goes on from a whole conversation, streamed: %p', async (stream) => {
    await using world = await startWorld({ provider: answers({ pieces: ['Hello'] }) })
    const client = clientOf(world)
    const next = async (input: string, previous?: string): Promise<string> => {
      const body = { ...HELLO, input, ...(previous && { previous_response_id: previous }) }
      if (!stream) return (await client.responses.create(body)).id
      return (await client.responses.stream(body).finalResponse()).id
    }
    const first = await next('Hi')
    const second = await next('And?', first)
    await next('And then?', second)
    expect(await messagesSent(world, 2)).toEqual([
      ...SAID,
      { role: 'user', content: 'And?' },
      SAID[1],
      { role: 'user', content: 'And then?' },
    ])
    const again = await client.responses.retrieve(second)
    expect(again.previous_response_id).toBe(first)
  })

  test('leads two ways from one answer, and instructions are only of their own request', async () => {
    await using world = await startWorld({ provider: answers({ pieces: ['Hello'] }) })
    const { id } = await clientOf(world).responses.create({ ...HELLO, instructions: 'Be kind.' })
    for (const [ordinal, input] of [
      [1, 'Left?'],
      [2, 'Right?'],
    ] as const) {
      await ask(world, { input, previous_response_id: id })
      expect(await messagesSent(world, ordinal)).toEqual([...SAID, { role: 'user', content: input }])
    }
  })

  test('goes on from calls of tools with their results alone', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const calling = {
      ...openaiCompletion('', { finishReason: 'tool_calls' }),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [call] },
          finish_reason: 'tool_calls',
        },
      ],
    } as unknown as JsonObject
    await using world = await startWorld({
      provider: inTurn(respond({ body: calling }), respond({ body: openaiCompletion('Done.') })),
    })
    const tools = [{ type: 'function', name: 'f', parameters: {}, strict: false }] as const
    const first = await clientOf(world).responses.create({ ...HELLO, tools: [...tools] })
    const second = await clientOf(world).responses.create({
      ...HELLO,
      tools: [...tools],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: 'call_1', output: '7' }],
    })
    expect(second.output_text).toBe('Done.')
    expect((await messagesSent(world, 1)).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  test.each<[string, object, WorldOptions]>([
    ['that never was', {}, {}],
    ['where nothing is kept', {}, { config: () => ({ responses: { keep: 0 } }) }],
    ['of a workspace that keeps nothing', {}, { workspace: { keep_responses: false } }],
  ])('%s is a 400 in the words of OpenAI, before the balance is asked', async (_which, more, options) => {
    await using world = await startWorld({ balance: '0', ...options })
    const response = await ask(world, { previous_response_id: 'resp_none', ...more })
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({
      code: 'previous_response_not_found',
      type: 'invalid_request_error',
      param: 'previous_response_id',
      message: expect.stringContaining("Previous response with id 'resp_none' not found."),
    })
  })

  test('of another workspace, of an answer with store: false, and of one that was deleted is not there', async () => {
    await using world = await startWorld()
    const client = clientOf(world)
    const other = clientOf(world, await stranger(world))
    const kept = await client.responses.create(HELLO)
    const unkept = await client.responses.create({ ...HELLO, store: false })
    const gone = await client.responses.create(HELLO)
    expect(await client.responses.delete(gone.id)).toMatchObject({ id: gone.id, deleted: true })
    for (const [who, id] of [
      [other, kept.id],
      [client, unkept.id],
      [client, gone.id],
    ] as const)
      expect(await rejectionOf(who.responses.create({ ...HELLO, previous_response_id: id }))).toMatchObject({
        status: 400,
        code: 'previous_response_not_found',
      })
    expect([kept, unkept]).toMatchObject([{ store: true }, { store: false }])
  })

  test('expires a day after its conversation was used last', async () => {
    await using world = await startWorld({ at: '2026-11-20T12:00:00Z' })
    const { id } = await clientOf(world).responses.create(HELLO)
    world.clock.set('2026-11-21T11:59:00Z')
    expect((await ask(world, { previous_response_id: id })).status).toBe(200)
    world.clock.set('2026-11-22T11:58:00Z')
    expect((await ask(world, { previous_response_id: id })).status).toBe(200)
    world.clock.set('2026-11-23T11:59:00Z')
    expect((await ask(world, { previous_response_id: id })).status).toBe(400)
  })

  test('is held and counted as input: a balance that pays for a question alone does not pay for what it goes on from', async () => {
    await using world = await startWorld({ provider: answers({ pieces: ['Hello'] }), balance: '1' })
    const { id } = await clientOf(world).responses.create({ ...HELLO, input: 'word '.repeat(20_000) })
    await world.settled()
    const { balance } = await world.balance()
    const all = (Number(balance) - 0.005).toFixed(9)
    await world.operations.credit(world.workspaceId, { amount_usd: `-${all}` })
    expect((await ask(world)).status).toBe(200)
    expect((await ask(world, { previous_response_id: id })).status).toBe(402)
  })

  test('that is larger than the room of a key for bodies is a 413', async () => {
    await using world = await startWorld({
      config: () => ({
        server: {
          max_body_bytes: '40KiB',
          bodies_in_flight: { process: '160KiB', workspace: '80KiB', key: '80KiB' },
        },
      }),
    })
    let id: string | undefined
    for (let turn = 0; turn < 10; turn++) {
      const response = await ask(world, {
        input: 'word '.repeat(6_000),
        ...(id && { previous_response_id: id }),
      })
      if (response.status === 413) {
        expect(await errorOf(response)).toMatchObject({ param: 'previous_response_id' })
        return
      }
      expect(response.status).toBe(200)
      ;({ id } = (await response.json()) as { id: string })
    }
    throw new Error('it is never too large')
  })
})

describe('items by their ids', () => {
  test('come back whole: references, and reasoning without its content', async () => {
    await using world = await startWorld(answering([THOUGHT, TEXT], [TEXT], [TEXT]))
    const { output } = await clientOf(world).responses.create(HELLO)
    expect(output.map(({ id }) => id)).toEqual(['rs_1', 'msg_1'])
    const asked = { role: 'user', content: 'And?' }
    await ask(world, {
      input: [{ type: 'item_reference', id: 'rs_1' }, { type: 'item_reference', id: 'msg_1' }, asked],
    })
    expect(await inputSent(world, 1)).toEqual([THOUGHT, TEXT, asked])
    await ask(world, { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }, TEXT, asked] })
    expect(await inputSent(world, 2)).toEqual([THOUGHT, TEXT, asked])
  })

  test('that are not there are a 404 in the words of OpenAI, and reasoning is left out by name', async () => {
    await using world = await startWorld()
    const response = await ask(world, { input: [{ type: 'item_reference', id: 'rs_none' }] })
    expect(response.status).toBe(404)
    expect(await errorOf(response)).toMatchObject({
      code: 'not_found',
      param: 'input[0]',
      message: "Item with id 'rs_none' not found.",
    })
    const bare = await ask(world, {
      input: [
        { type: 'reasoning', id: 'rs_none', summary: [] },
        { role: 'user', content: 'Hi' },
      ],
    })
    expect([bare.status, bare.headers.get('x-tollgate-dropped-fields')]).toEqual([200, 'input[reasoning]'])
  })

  test('of another workspace are not there', async () => {
    await using world = await startWorld(answering([THOUGHT, TEXT]))
    await clientOf(world).responses.create(HELLO)
    const other = clientOf(world, await stranger(world))
    const input = [{ type: 'item_reference', id: 'rs_1' } as const]
    expect(await rejectionOf(other.responses.create({ ...HELLO, input }))).toMatchObject({ status: 404 })
  })
})

describe('encrypted reasoning of a kept answer', () => {
  test('is asked of the target that made it, and left out by name elsewhere', async () => {
    await using world = await startWorld({
      provider: inTurn(
        respond({ body: bodyOf([THOUGHT, TEXT]) }),
        respond({ body: bodyOf([TEXT]) }),
        respond({ status: 500, body: {} }),
        respond({ status: 500, body: {} }),
        respond({ body: bodyOf([TEXT]) }),
      ),
      config: ({ baseUrl }) => {
        const provider = { wire: 'openai-responses', base_url: baseUrl }
        return {
          providers: { one: { ...provider, api_key: 'k1' }, two: { ...provider, api_key: 'k2' } },
          models: [
            {
              id: MODEL,
              context_length: 128_000,
              max_output_tokens: 8192,
              our_price: { input: 0.5, output: 1.5 },
              hidden_reasoning: 'always',
              strategy: 'priority',
              targets: [
                { provider: 'two', model: 'upstream', priority: 1 },
                { provider: 'one', model: 'upstream', priority: 0 },
              ],
            },
          ],
        }
      },
    })
    const client = clientOf(world)
    const first = await client.responses.create(HELLO)
    const second = await client.responses.create({ ...HELLO, previous_response_id: first.id })
    expect(JSON.stringify(await inputSent(world, 1))).toContain(THOUGHT.encrypted_content)
    const third = await ask(world, { previous_response_id: second.id })
    expect(third.status).toBe(200)
    expect(third.headers.get('x-tollgate-dropped-fields')).toContain('input[reasoning]')
    expect(JSON.stringify(await inputSent(world, 2))).toContain(THOUGHT.encrypted_content)
    expect(JSON.stringify(await inputSent(world, 4))).not.toContain(THOUGHT.encrypted_content)
  })
})

function bodyOf(output: readonly JsonObject[]): JsonObject {
  return {
    id: 'resp_upstream',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'upstream',
    error: null,
    incomplete_details: null,
    output,
    usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
  }
}

describe('a kept response', () => {
  test('is shown as its caller got it, with its own input items, and deleted', async () => {
    await using world = await startWorld({
      provider: answers({ pieces: ['Hello'], usage: openaiUsage(5, 2) }),
    })
    const client = clientOf(world)
    const first = await client.responses.create(HELLO)
    const second = await client.responses.create({
      ...HELLO,
      previous_response_id: first.id,
      input: [
        { role: 'user', content: 'One' },
        { role: 'user', content: [{ type: 'input_text', text: 'Two' }] },
      ],
    })
    const { output_text: _text, _request_id: _id, ...answered } = second as typeof second & JsonObject
    expect(await (await world.request('GET', `/v1/responses/${second.id}`)).json()).toEqual(answered as never)
    const list = async (query: string): Promise<JsonObject> =>
      (await (
        await world.request('GET', `/v1/responses/${second.id}/input_items${query}`)
      ).json()) as JsonObject
    const all = (await list('?order=asc')) as { data: { id: string; content: unknown }[] }
    expect(all.data.map(({ content }) => content)).toEqual([
      [{ type: 'input_text', text: 'One' }],
      [{ type: 'input_text', text: 'Two' }],
    ])
    const [one, two] = all.data
    expect(await list('?limit=1')).toMatchObject({ data: [two], has_more: true, last_id: two?.id })
    expect(await list(`?limit=1&after=${two?.id}`)).toMatchObject({ data: [one], has_more: false })
    expect(await list('?limit=1000')).toMatchObject({ data: [two, one] })
    for (const query of ['after=x', 'limit=0', 'limit=-1', 'limit=abc', 'limit=1.5', 'limit=']) {
      const refused = await world.request('GET', `/v1/responses/${second.id}/input_items?${query}`)
      expect([refused.status, (await errorOf(refused))['param']]).toEqual([400, query.split('=')[0] ?? ''])
    }

    const deleted = await world.request('DELETE', `/v1/responses/${second.id}`)
    expect(await deleted.json()).toEqual({ id: second.id, object: 'response.deleted', deleted: true })
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/input_items'],
      ['DELETE', ''],
    ] as const) {
      const response = await world.request(method, `/v1/responses/${second.id}${path}`)
      expect([method, path, response.status]).toEqual([method, path, 404])
      expect(await errorOf(response)).toMatchObject({ code: 'not_found', param: 'response_id' })
    }
    expect(
      await rejectionOf(clientOf(world, await stranger(world)).responses.retrieve(first.id)),
    ).toMatchObject({
      status: 404,
    })
  })

  test('that builds on a deleted one is shown, and nothing can go on from it', async () => {
    await using world = await startWorld({ provider: answers({ pieces: ['Hello'] }) })
    const client = clientOf(world)
    const first = await client.responses.create(HELLO)
    const second = await client.responses.create({ ...HELLO, previous_response_id: first.id })
    await client.responses.delete(first.id)
    expect(await client.responses.retrieve(second.id)).toMatchObject({ id: second.id })
    const third = await ask(world, { previous_response_id: second.id })
    expect(await errorOf(third)).toMatchObject({ code: 'previous_response_not_found' })
  })

  test.each(['stream=true', 'starting_after=3', 'include_obfuscation=true'])(
    'is not streamed again: %s is a 400 that names it',
    async (query) => {
      await using world = await startWorld({ provider: answers({ pieces: ['Hello'] }) })
      const { id } = await clientOf(world).responses.create(HELLO)
      const response = await world.request('GET', `/v1/responses/${id}?${query}`)
      expect(response.status).toBe(400)
      const [param] = query.split('=')
      expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param })
      const whole = `/v1/responses/${id}?stream=false&include=message.output_text.logprobs`
      expect((await world.request('GET', whole)).status).toBe(200)
    },
  )

  test('is neither that of a failed call nor of a stream that broke off', async () => {
    await using world = await startWorld({ provider: respond({ status: 500, body: {} }) })
    const response = await ask(world)
    const id = response.headers.get('x-request-id')
    expect((await world.request('GET', `/v1/responses/${id}`)).status).toBe(404)
  })
})

test('a count of tokens counts the conversation that a request goes on from', async () => {
  await using world = await startWorld({ provider: answers({ pieces: ['Hello'] }) })
  const count = async (more: object): Promise<number> => {
    const response = await world.request('POST', '/v1/responses/input_tokens', { ...HELLO, ...more })
    const body = (await response.json()) as Json
    return isJsonObject(body) ? Number(body['input_tokens']) : 0
  }
  const { id } = await clientOf(world).responses.create({ ...HELLO, input: 'word '.repeat(200) })
  expect(await count({ previous_response_id: id })).toBeGreaterThan((await count({})) + 150)
})

test('an id that no database takes names nothing', async () => {
  await using world = await startWorld()
  for (const id of ['a\u0000b', '\ud800', 'x'.repeat(10_000), '../..', '%00']) {
    const body = { previous_response_id: id }
    expect([id, (await ask(world, body)).status]).toEqual([id, 400])
    const items = { input: [{ type: 'item_reference', id }] }
    expect([id, (await ask(world, items)).status]).toEqual([id, 404])
  }
  expect((await world.request('GET', '/v1/responses/a%00b')).status).toBe(404)
})

test('a request refers to a bounded number of items', async () => {
  await using world = await startWorld()
  const input = Array.from({ length: REFERENCES_MAX + 1 }, (_, i) => ({
    type: 'item_reference',
    id: `msg_${i}`,
  }))
  const response = await ask(world, { input })
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'input' })
})
