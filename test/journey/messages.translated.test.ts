import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { answers, openaiCompletion, openaiUsage, respond, streams } from '../support/scriptedProvider.ts'
import { MODEL, type World, standardModel, startWorld } from '../support/world.ts'

/** `POST /v1/messages` at a provider of chat completions: what a request becomes, and what comes back of the answer. */

const USER = { role: 'user', content: 'Weather?' }
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
const TOOL = { name: 'weather', input_schema: { type: 'object', properties: {} } }

function ask(world: World, more: object = {}, path = '/v1/messages'): Promise<Response> {
  return world.request('POST', path, { model: MODEL, max_tokens: 50, messages: [USER], ...more })
}

/** What the provider is sent for a request. */
async function sent(more: object): Promise<JsonObject & { messages: JsonObject[] }> {
  await using world = await startWorld()
  const response = await ask(world, more)
  expect(response.status).toBe(200)
  return (await world.provider.request()).body as JsonObject & { messages: JsonObject[] }
}

function eventsOf(text: string): JsonObject[] {
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : [])) as JsonObject[]
}

describe('a request', () => {
  test('keeps instructions in mid-conversation in their place', async () => {
    const note = { role: 'system', content: 'Two minutes are left.' }
    const answer = { role: 'assistant', content: 'Cold.' }
    const { messages } = await sent({ system: 'Be brief.', messages: [USER, answer, USER, note] })
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'system'])
    expect(messages.at(-1)).toMatchObject(note)
  })

  test('has the results of tools right behind their calls, in whatever order they came, with their images', async () => {
    const use = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: {} })
    const result = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content })
    const { messages } = await sent({
      tools: [TOOL],
      messages: [
        USER,
        { role: 'assistant', content: [use('a'), use('b')] },
        {
          role: 'user',
          content: [{ type: 'text', text: 'So?' }, result('b', [IMAGE]), result('a', '-3')],
        },
      ],
    })
    expect(messages.slice(2)).toEqual([
      {
        role: 'tool',
        tool_call_id: 'b',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '-3' },
      { role: 'user', content: 'So?' },
    ])
  })

  test('has an empty result as an empty text', async () => {
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }] }
    for (const result of [{}, { content: [] }, { content: '' }]) {
      const { messages } = await sent({
        tools: [TOOL],
        messages: [
          USER,
          use,
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', ...result }] },
        ],
      })
      expect(messages.at(-1)).toMatchObject({ role: 'tool', content: '' })
    }
  })

  test('has a found tool as its name, for all tools are sent from the beginning', async () => {
    const content = [{ type: 'tool_reference', tool_name: 'weather' }]
    const { messages } = await sent({
      tools: [TOOL],
      messages: [
        USER,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'find', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
      ],
    })
    expect(messages.at(-1)).toMatchObject({ content: [{ type: 'text', text: 'weather' }] })
  })

  test('has documents and search results that are text as text, under their titles', async () => {
    const { messages } = await sent({
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              title: 'Poem',
              source: { type: 'text', media_type: 'text/plain', data: 'Roses' },
            },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Violets' }] } },
            {
              type: 'search_result',
              source: 'https://a.example',
              title: 'A',
              content: [{ type: 'text', text: 'Found' }],
            },
          ],
        },
      ],
    })
    expect(messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Poem\n\nRoses' },
        { type: 'text', text: 'Violets' },
        { type: 'text', text: 'A\nhttps://a.example\n\nFound' },
      ],
    })
  })

  test.each<[string, object, unknown]>([
    ['disabled', { thinking: { type: 'disabled' } }, 'none'],
    ['adaptive', { thinking: { type: 'adaptive' } }, undefined],
    [
      'adaptive with an effort',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      'high',
    ],
    ['enabled with a small budget', { thinking: { type: 'enabled', budget_tokens: 1024 } }, 'low'],
    ['enabled with a large budget', { thinking: { type: 'enabled', budget_tokens: 9000 } }, 'high'],
  ])('says how much to think: %s', async (_what, more, effort) => {
    expect((await sent(more)).reasoning_effort).toBe(effort as undefined)
  })

  test('says that only one tool may be called at the same time', async () => {
    const choice = { type: 'any', disable_parallel_tool_use: true }
    expect(await sent({ tools: [TOOL], tool_choice: choice })).toMatchObject({
      tool_choice: 'required',
      parallel_tool_calls: false,
    })
  })

  test('is answered with the names of all that it said in vain', async () => {
    await using world = await startWorld()
    const source = { type: 'url', url: 'https://example.com/a.pdf' }
    const response = await ask(world, {
      context_management: { edits: [] },
      tools: [
        { ...TOOL, defer_loading: true, eager_input_streaming: true },
        { ...TOOL, name: 'b', defer_loading: true },
      ],
      messages: [
        { role: 'user', content: [{ type: 'document', source, citations: { enabled: true }, context: 'a' }] },
      ],
    })
    expect(response.headers.get('x-tollgate-dropped-fields')).toBe(
      'context_management, tools.defer_loading, tools.eager_input_streaming, messages.content.citations, messages.content.context',
    )
  })
})

describe('an answer', () => {
  test('in a stream has the events of the format alone, and at its end the usage that its provider said there', async () => {
    const usage = openaiUsage(100, 40, { prompt_tokens_details: { cached_tokens: 60 } })
    await using world = await startWorld({ provider: answers({ pieces: ['Hello'], usage }) })
    const text = await (await ask(world, { stream: true })).text()
    expect(text).not.toContain('[DONE]')
    const events = eventsOf(text)
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    // Of the prompt nothing is known yet.
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 0, cache_read_input_tokens: 0 } } })
    expect(events[4]).toMatchObject({
      usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 40 },
    })
  })

  test('cites the addresses that its provider annotates', async () => {
    const citation = { url: 'https://example.com/a', title: 'A', start_index: 0, end_index: 5 }
    const body = openaiCompletion('Hello world')
    const [choice] = body.choices as { message: JsonObject }[]
    const message = { ...choice?.message, annotations: [{ type: 'url_citation', url_citation: citation }] }
    await using world = await startWorld({
      provider: respond({ body: { ...body, choices: [{ ...choice, message }] } }),
    })
    expect(await (await ask(world)).json()).toMatchObject({
      content: [{ citations: [{ url: 'https://example.com/a', title: 'A', cited_text: 'Hello' }] }],
    })
  })
})

test('a path with a query is the same path', async () => {
  await using world = await startWorld()
  expect((await ask(world, {}, '/v1/messages?beta=true')).status).toBe(200)
})

test('the key comes in either header, and two different keys are a 401', async () => {
  await using world = await startWorld()
  const { secret } = world
  const status = async (headers: Record<string, string>) => {
    const body = { model: MODEL, max_tokens: 50, messages: [USER] }
    return (await world.request('POST', '/v1/messages', body, { authorization: '', ...headers })).status
  }
  expect(await status({ authorization: `Bearer ${secret}` })).toBe(200)
  expect(await status({ 'x-api-key': secret })).toBe(200)
  expect(await status({ authorization: `Bearer ${secret}`, 'x-api-key': 'sk-ant-x' })).toBe(200)
  expect(await status({ authorization: `Bearer ${secret}`, 'x-api-key': 'tg_other' })).toBe(401)
  expect(await status({})).toBe(401)
})

test.each([
  [401, 'authentication_error', { 'x-api-key': 'tg_wrong', authorization: '' }],
  [429, 'rate_limit_error', {}],
])('a %d has the shape of the format, with the id of its request', async (status, type, headers) => {
  await using world = await startWorld({ key: { requests_per_minute: 1 } })
  await (await ask(world)).text()
  const body = { model: MODEL, max_tokens: 50, messages: [USER] }
  const response = await world.request('POST', '/v1/messages', body, headers)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({
    type: 'error',
    error: { type },
    request_id: response.headers.get('request-id'),
  })
})

test('ten calls at the same time that ask for far more than a small balance can pay are all answered', async () => {
  await using world = await startWorld({
    balance: '0.10',
    provider: streams('Hello'),
    config: () => ({ models: [standardModel({ max_output_tokens: 64_000 })] }),
  })
  const calls = Array.from({ length: 10 }, () => ask(world, { max_tokens: 32_000, stream: true }))
  for (const response of await Promise.all(calls)) {
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('message_stop')
  }
  await world.settled()
  expect((await world.balance()).held).toBe('0.00')
})
