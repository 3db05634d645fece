import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { rejectionOf } from '../support/rejection.ts'
import {
  type Act,
  type Script,
  inTurn,
  openaiChunk,
  openaiCompletion,
  openaiUsageChunk,
  respond,
  sse,
  stream,
} from '../support/scriptedProvider.ts'
import { responseEvent, upstreamResponse, upstreamText } from '../support/scriptedResponses.ts'
import { MODEL, type World, standardModel, startWorld } from '../support/world.ts'

/** Where gateways for clients of OpenAI's Responses are known to fail. */

const HELLO = { model: MODEL, max_output_tokens: 100, input: 'Hi' }
const PROMPT = { role: 'user', content: 'Do it.' }

/** The two lanes: what the caller said passes, or is translated. */
const WIRES = ['openai-responses', 'openai-chat'] as const

/** Says hello in either format. */
const hello: Script = ({ path }) =>
  path === '/v1/responses'
    ? respond({ body: upstreamResponse([upstreamText('Hello')]) })
    : respond({ body: openaiCompletion('Hello') })

function start(wire: string, provider: Script = hello): Promise<World> {
  return startWorld({
    provider,
    config: ({ baseUrl }) => ({
      providers: { acme: { wire, base_url: baseUrl, api_key: 'k' } },
      models: [standardModel()],
    }),
  })
}

function ask(world: World, more: object = {}): Promise<Response> {
  return world.request('POST', '/v1/responses', { ...HELLO, ...more })
}

async function inputSent(world: World, ordinal = 0): Promise<Json[]> {
  return ((await world.provider.request(ordinal)).body as { input: Json[] }).input
}

function eventsIn(text: string): JsonObject[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as JsonObject)
}

describe('a stream that is translated', () => {
  const call = (index: number, id: string | undefined, pieces: string): JsonObject => ({
    tool_calls: [
      {
        index,
        ...(id !== undefined && { id, type: 'function' }),
        function: { ...(id !== undefined && { name: 'f' }), arguments: pieces },
      },
    ],
  })
  const deltas: JsonObject[] = [
    { role: 'assistant', content: '', reasoning_content: 'Hm, ' },
    { reasoning_content: 'well.' },
    { content: 'Hel' },
    { content: 'lo' },
    call(0, 'call_a', '{"x"'),
    call(0, undefined, ':1}'),
    call(1, 'call_b', '{}'),
  ]
  const answer: Act = stream([
    ...deltas.map((delta) => openaiChunk(delta)),
    openaiChunk({}, { finishReason: 'tool_calls' }),
    openaiUsageChunk(),
    sse('[DONE]'),
  ])

  test('gives every item its whole life in order, under one id, and repeats it in its last event', async () => {
    await using world = await start('openai-chat', answer)
    const events = eventsIn(await (await ask(world, { stream: true, store: true })).text())
    expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()])
    const life = (place: number): string[] =>
      events
        .filter(({ output_index: index }) => index === place)
        .map(({ type }) => (type as string).replace('response.', ''))
        .filter((type, i, all) => type !== all[i - 1])
    expect([0, 1, 2, 3].map(life)).toEqual([
      [
        'output_item.added',
        'reasoning_summary_part.added',
        'reasoning_summary_text.delta',
        'reasoning_summary_text.done',
        'reasoning_summary_part.done',
        'output_item.done',
      ],
      [
        'output_item.added',
        'content_part.added',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'output_item.done',
      ],
      ...[2, 3].map(() => [
        'output_item.added',
        'function_call_arguments.delta',
        'function_call_arguments.done',
        'output_item.done',
      ]),
    ])
    const last = events.at(-1) as { type: string; response: { output: { id: string }[] } }
    expect(last.type).toBe('response.completed')
    for (const [place, item] of last.response.output.entries()) {
      const own = events.filter(({ output_index: index }) => index === place)
      const ids = own.map(({ item_id: id, item: whole }) => id ?? (whole as { id: string }).id)
      expect(new Set(ids)).toEqual(new Set([item.id]))
      expect(own.at(-1)?.['item']).toEqual(item as unknown as JsonObject)
    }
  })
})

describe('encrypted reasoning', () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA-secret' }
  const called = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'f',
    arguments: '{}',
    status: 'completed',
  }
  const output = { type: 'function_call_output', call_id: 'call_1', output: '7' }

  test.each<[string, object]>([
    ['sent back', { store: false }],
    ['referred to', {}],
  ])('comes before the call that it led to, %s', async (how, store) => {
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }]
    await using world = await start(
      'openai-responses',
      inTurn(
        respond({ body: upstreamResponse([thought, called]) }),
        respond({ body: upstreamResponse([upstreamText('7')]) }),
      ),
    )
    const first = (await (await ask(world, { tools, ...store })).json()) as { output: { id: string }[] }
    const items =
      how === 'sent back' ? first.output : first.output.map(({ id }) => ({ type: 'item_reference', id }))
    await ask(world, { tools, ...store, input: [PROMPT, ...items, output] })
    expect(await inputSent(world, 1)).toEqual([PROMPT, thought, called, output])
  })
})

describe.each(WIRES)('an item of a request to %s', (wire) => {
  const call = { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: 'a' }
  const screenshot = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' }
  const hidden = 'gAAAA'

  test.each<[string, JsonObject]>([
    ['computer_call', { id: 'cu_1', call_id: 'c', status: 'completed', pending_safety_checks: [] }],
    ['computer_call_output', { call_id: 'c', output: screenshot }],
    ['mcp_approval_request', { id: 'm', arguments: '{}', name: 'n', server_label: 's' }],
    ['mcp_approval_response', { approval_request_id: 'm', approve: true }],
    ['mcp_call', { id: 'm', arguments: '{}', name: 'n', server_label: 's' }],
    ['mcp_list_tools', { id: 'm', server_label: 's', tools: [] }],
    ['file_search_call', { id: 'fs_1', queries: ['a'], status: 'completed' }],
    ['code_interpreter_call', { id: 'ci_1', code: '1', container_id: 'c', outputs: [], status: 'completed' }],
    ['compaction', { id: 'cmp_1', encrypted_content: hidden }],
    ['compaction_trigger', {}],
    ['program', { id: 'p', call_id: 'c', code: 'a', fingerprint: 'f' }],
    ['program_output', { id: 'p', call_id: 'c', result: 'a', status: 'completed' }],
  ])('that only the vendor can use is refused by its place and its type: %s', async (type, fields) => {
    await using world = await start(wire)
    const response = await ask(world, { input: [PROMPT, { type, ...fields }] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_request', param: 'input[1].type', message: expect.stringContaining(type) },
    })
    expect(world.provider.requests).toHaveLength(0)
  })

  test.each<[string, JsonObject]>([
    ['web_search_call', { id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } }],
    ['image_generation_call', { id: 'ig_1', status: 'completed', result: null }],
    ['tool_search_call', { id: 'ts_1', arguments: {}, status: 'completed' }],
    ['tool_search_output', { id: 'ts_2', tools: [], status: 'completed' }],
    ['additional_tools', { role: 'developer', tools: [] }],
  ])('of a tool that agents send by default is left out by its type: %s', async (type, fields) => {
    await using world = await start(wire)
    const response = await ask(world, { input: [PROMPT, { type, ...fields }, PROMPT] })
    expect(response.headers.get('x-tollgate-dropped-fields')).toBe(`input[${type}]`)
    const { input, messages } = (await world.provider.request()).body as { input?: Json; messages?: Json }
    expect(input ?? messages).toEqual([PROMPT, PROMPT])
  })

  test('that is the result of a custom tool reaches the provider with its call, which is of a function where it has no others', async () => {
    await using world = await start(wire)
    const result = { type: 'custom_tool_call_output', call_id: 'call_1', output: 'done' }
    const tools = [{ type: 'custom', name: 'patch' }]
    await ask(world, { tools, input: [PROMPT, call, result] })
    const { input, messages } = (await world.provider.request()).body as { input?: Json; messages?: Json }
    expect(input ?? messages).toEqual(
      wire === 'openai-responses'
        ? [PROMPT, call, result]
        : [
            PROMPT,
            {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'call_1', type: 'function', function: { name: 'patch', arguments: '{"input":"a"}' } },
              ],
            },
            { role: 'tool', tool_call_id: 'call_1', content: 'done' },
          ],
    )
  })
})

test.each([
  [
    'input[0].content[0].file_data',
    'PDF files',
    {
      input: [{ role: 'user', content: [{ type: 'input_file', filename: 'a.pdf', file_data: 'JVBERi0=' }] }],
    },
  ],
  ['include[1]', 'log prob', { include: ['reasoning.encrypted_content', 'message.output_text.logprobs'] }],
])('what Claude cannot take is a 400 that names %s', async (param, words, more) => {
  await using world = await start('anthropic-messages')
  const response = await ask(world, more)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param, message: expect.stringContaining(words) } })
})

describe('a failure of a provider of this format', () => {
  const error = (code: string, type: string): JsonObject => ({
    error: { message: 'upstream-gpt of org-secret', type, param: null, code },
  })
  const failed = (code: string): JsonObject =>
    upstreamResponse([], {
      status: 'failed',
      usage: null,
      error: { code, message: 'upstream-gpt of org-secret' },
    })

  test.each<[string, number, Act]>([
    [
      '429 rate_limit_exceeded',
      503,
      respond({ status: 429, body: error('rate_limit_exceeded', 'requests') }),
    ],
    [
      '429 insufficient_quota',
      502,
      respond({ status: 429, body: error('insufficient_quota', 'insufficient_quota') }),
    ],
    ['500 server_error', 502, respond({ status: 500, body: error('server_error', 'server_error') })],
    ['503', 503, respond({ status: 503, body: error('server_is_overloaded', 'server_error') })],
    ['a whole answer that failed', 502, respond({ body: failed('server_error') })],
    ['a whole answer that failed by its rate', 503, respond({ body: failed('rate_limit_exceeded') })],
  ])('is told in the gateway’s words: %s is a %d', async (_what, status, act) => {
    await using world = await start('openai-responses', act)
    const response = await ask(world)
    const text = await response.text()
    expect(response.status).toBe(status)
    expect(JSON.parse(text)).toMatchObject({
      error: { code: status === 503 ? 'service_unavailable' : 'upstream_error', param: null },
    })
    expect(response.headers.get('retry-after')).toEqual(status === 503 ? expect.any(String) : null)
    expect(text).not.toMatch(/org-secret|upstream-gpt/)
    await world.settled()
    expect((await world.ledger()).filter(({ kind }) => kind === 'charge')).toEqual([])
  })

  test('before the first content of a stream is an error with its own status', async () => {
    const event = responseEvent({ type: 'response.failed', response: failed('rate_limit_exceeded') })
    await using world = await start('openai-responses', stream([event]))
    const response = await ask(world, { stream: true })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'service_unavailable' } })
  })
})

test('compacting is a 400 that says what to do instead, with the headers of every counted request', async () => {
  await using world = await startWorld()
  const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 })
  const refused = await rejectionOf(client.responses.compact({ model: MODEL, input: 'Hi' }))
  expect(refused).toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: expect.stringContaining('summary'),
  })
  const response = await world.request('POST', '/v1/responses/compact', HELLO)
  expect(response.headers.get('x-ratelimit-remaining')).toBe('58')
})
