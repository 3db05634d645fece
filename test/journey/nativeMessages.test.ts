import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { receiptOf } from '../support/receiptOf.ts'
import {
  MESSAGE_STOP,
  anthropicEvent,
  anthropicMessage,
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  textStream,
} from '../support/scriptedAnthropic.ts'
import {
  type Act,
  type Script,
  close,
  createGate,
  inTurn,
  openaiChunk,
  openaiUsage,
  openaiUsageChunk,
  respond,
  stream,
  startScriptedProvider,
} from '../support/scriptedProvider.ts'
import { MODEL, type World, type WorldOptions, standardModel, startWorld } from '../support/world.ts'

/** The native lane of `POST /v1/messages`: what a caller of Anthropic's format and a provider of it say reaches the other. */

const HELLO = { model: MODEL, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] }
/** What no field of the gateway's models, in a spelling that no parser keeps. */
const ODD = '"vendor" : {"deep":[1.0, 12345678901234567890, "\\u00e9"]}'

function provider(baseUrl: string, more: object = {}): object {
  return { wire: 'anthropic-messages', base_url: baseUrl, api_key: 'provider-secret', ...more }
}

function startNative(script: Script, options: WorldOptions = {}, more: object = {}): Promise<World> {
  return startWorld({
    provider: script,
    config: ({ baseUrl }) => ({
      providers: { acme: provider(baseUrl, more) },
      models: [standardModel({ max_output_tokens: 64_000 })],
    }),
    ...options,
  })
}

interface Asked {
  readonly status: number
  readonly id: string
  readonly text: string
  readonly dropped: string | null
}

async function ask(world: World, more: object = {}, headers: Record<string, string> = {}): Promise<Asked> {
  const response = await world.request('POST', '/v1/messages', { ...HELLO, ...more }, headers)
  return {
    status: response.status,
    id: response.headers.get('request-id') ?? '',
    text: await response.text(),
    dropped: response.headers.get('x-tollgate-dropped-fields'),
  }
}

async function sent(
  world: World,
  ordinal = 0,
): Promise<{ body: JsonObject; headers: Record<string, string> }> {
  const { body, headers } = await world.provider.request(ordinal)
  return { body: body as JsonObject, headers }
}

/** With the caller's id and model in place of the provider's. */
function asOurs(text: string, id: string): string {
  return text.replace('"msg_upstream"', `"${id}"`).replace('"upstream-claude"', `"${MODEL}"`)
}

async function charge(world: World): Promise<string | undefined> {
  await world.settled()
  return (await world.ledger()).findLast(({ kind }) => kind === 'charge')?.amount_usd
}

describe('a whole answer', () => {
  const message = JSON.stringify(anthropicMessage([{ type: 'text', text: 'Hello' }]))
  const odd = message.replace('"type":"message"', `"type" : "message", ${ODD}`)

  test('comes as its provider wrote it, but for id and model, and is charged as the same chat is', async () => {
    await using world = await startNative(
      respond({ body: odd, headers: { 'content-type': 'application/json' } }),
    )
    const { status, id, text } = await ask(world)
    expect(status).toBe(200)
    expect(text).toBe(asOurs(odd, id))
    const native = await charge(world)
    await (await world.chat({ max_tokens: 100 })).text()
    expect(await charge(world)).toBe(native)
    expect((await receiptOf(world.operations, id)).usage.cached_tokens).toBe(60)
  })

  test('without a usage is written by the gateway', async () => {
    const { usage: _usage, ...body } = anthropicMessage([{ type: 'text', text: 'Hello' }])
    await using world = await startNative(respond({ body }))
    const { text } = await ask(world)
    const { usage } = JSON.parse(text) as { usage: { output_tokens: number } }
    expect(usage.output_tokens).toBeGreaterThan(0)
  })

  test('that the gateway asks for as a stream is the message that the stream tells', async () => {
    const citation = { type: 'char_location', cited_text: 'x', document_index: 0, document_title: null }
    const frames = [
      messageStart({ context_management: { applied_edits: [] } }),
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'm.' }),
      blockDelta(0, { type: 'signature_delta', signature: 'c2ln' }),
      blockStop(0),
      blockStart(1, { type: 'text', text: '', citations: [] }),
      blockDelta(1, { type: 'citations_delta', citation }),
      blockDelta(1, { type: 'text_delta', text: 'Hel' }),
      blockDelta(1, { type: 'text_delta', text: 'lo' }),
      blockStop(1),
      blockStart(2, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
      blockDelta(2, { type: 'input_json_delta', partial_json: '{"n": 12345678901' }),
      blockDelta(2, { type: 'input_json_delta', partial_json: '234567890}' }),
      blockStop(2),
      anthropicEvent({
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { output_tokens: 40 },
        context_management: { applied_edits: [{ type: 'clear_thinking_20251015', cleared_input_tokens: 3 }] },
      }),
      MESSAGE_STOP,
    ]
    await using world = await startNative(stream(frames))
    const { id, text } = await ask(world, { max_tokens: 32_000 })
    expect((await sent(world)).body).toMatchObject({ stream: true, max_tokens: 32_000 })
    expect(text).toContain('"input":{"n":12345678901234567890}')
    expect(JSON.parse(text)).toMatchObject({
      id,
      model: MODEL,
      content: [
        { type: 'thinking', thinking: 'Hmm.', signature: 'c2ln' },
        { type: 'text', text: 'Hello', citations: [citation] },
        { type: 'tool_use', id: 'toolu_1', name: 'f' },
      ],
      stop_reason: 'tool_use',
      context_management: { applied_edits: [{ cleared_input_tokens: 3 }] },
      usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 40 },
    })
  })
})

describe('a stream', () => {
  const frames = [
    messageStart(),
    anthropicEvent({ type: 'ping' }),
    blockStart(0, { type: 'text', text: '' }),
    `event: content_block_delta\ndata: {"type": "content_block_delta","index":0, ${ODD},"delta":{"type":"text_delta","text":"Hell\\u00f6"}}\n\n`,
    blockStop(0),
    blockStart(1, { type: 'vendor_block', said: 'something new' }),
    blockDelta(1, { type: 'vendor_delta', more: 'of it' }),
    blockStop(1),
    messageDelta('end_turn', { output_tokens: 40, output_tokens_details: { thinking_tokens: 0 } }),
    MESSAGE_STOP,
  ]

  test('comes frame by frame as its provider wrote it, but for id and model', async () => {
    await using world = await startNative(stream(frames))
    const { status, id, text } = await ask(world, { stream: true })
    expect(status).toBe(200)
    expect(text).toBe(asOurs(frames.join(''), id))
    expect(await charge(world)).toBe('0.000095')
  })

  test('keeps one ping between two events, and none that says more', async () => {
    const ping = anthropicEvent({ type: 'ping' })
    const saying = anthropicEvent({ type: 'ping', said: 'word '.repeat(100) })
    const [start = '', ...rest] = textStream('Hello')
    await using world = await startNative(
      stream([start, ...Array.from({ length: 50 }, () => ping), saying, ...rest]),
    )
    const { id, text } = await ask(world, { stream: true })
    expect(text).toBe(asOurs([start, ping, ...rest].join(''), id))
  })

  const words = 'word '.repeat(4_000)
  const beside: Record<string, readonly string[]> = {
    'an event of an unknown kind': [
      anthropicEvent({ type: 'vendor_event', said: words }),
      ...textStream('x').slice(1, -2),
      messageDelta('end_turn', { output_tokens: 0 }),
      MESSAGE_STOP,
    ],
    'a field of the end': [
      ...textStream('x').slice(1, -2),
      anthropicEvent({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null, said: words },
        usage: { output_tokens: 0 },
      }),
      MESSAGE_STOP,
    ],
    'a field of the last event': [
      ...textStream('x').slice(1, -2),
      messageDelta('end_turn', { output_tokens: 0 }),
      anthropicEvent({ type: 'message_stop', said: words }),
    ],
  }
  test.each(Object.keys(beside))(
    'is charged for what it says in %s, where its provider counts nothing',
    async (where) => {
      await using world = await startNative(stream([messageStart(), ...(beside[where] ?? [])]))
      await ask(world, { stream: true, max_tokens: 8_000 })
      // 4,000 words at 1.50 USD per million.
      expect(Number(await charge(world))).toBeGreaterThan(0.005)
    },
  )

  test('that begins with text in its first event is written by the gateway, which knows no such text', async () => {
    const frames = [
      messageStart({ content: [{ type: 'text', text: words }] }),
      ...textStream('Hello').slice(1),
    ]
    await using world = await startNative(stream(frames))
    const { text } = await ask(world, { stream: true })
    expect(text).toContain('"text":"Hello"')
    expect(text).not.toContain('word word')
  })

  test('is read by the official client', async () => {
    await using world = await startNative(stream(textStream('Hel', 'lo')))
    const client = new Anthropic({ baseURL: world.url, apiKey: world.secret, maxRetries: 0 })
    const message = await client.messages.stream(HELLO).finalMessage()
    expect(message).toMatchObject({
      content: [{ type: 'text', text: 'Hello' }],
      usage: { output_tokens: 40 },
    })
  })

  test('that the balance cuts ends as a message does, with what was sent', async () => {
    const pieces = Array.from({ length: 3_000 }, () => 'word word word word ')
    await using world = await startNative(stream(textStream(...pieces), { coalesce: true }), {
      balance: '0.01',
    })
    const { text } = await ask(world, { stream: true, max_tokens: 64_000 })
    const events = text.split('\n\n').filter(Boolean)
    const types = events.map((event) => /^event: (\w+)/.exec(event)?.[1])
    expect(types.slice(0, 2)).toEqual(['message_start', 'content_block_start'])
    expect(types.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop'])
    expect(events.at(-2)).toContain('"stop_reason":"max_tokens"')
    const { balance } = await world.balance()
    expect(Number(balance)).toBeGreaterThanOrEqual(0)
  })

  test('that breaks off ends with an error, and costs nothing', async () => {
    await using world = await startNative(stream([...textStream('Hel').slice(0, 3), close()]))
    const { text } = await ask(world, { stream: true })
    expect(text).toContain('"text":"Hel"')
    const end = text.split('\n\n').at(-2)
    expect(end).toStartWith('event: error\n')
    // Agents go on by one of these words or the other.
    expect(end).toContain('server error: connection reset')
    expect(text).not.toContain('message_stop')
    expect(await charge(world)).toBeUndefined()
  })

  test('that reports no usage at its beginning is written by the gateway, so that its caller can read it', async () => {
    const silent = messageStart({ usage: null })
    await using world = await startNative(stream([silent, ...textStream('Hello').slice(1)]))
    const { text } = await ask(world, { stream: true })
    expect(text.split('\n\n')[0]).toContain('"output_tokens":0')
    expect(text).toContain('"text":"Hello"')
    const client = new Anthropic({ baseURL: world.url, apiKey: world.secret, maxRetries: 0 })
    const message = await client.messages.stream(HELLO).finalMessage()
    expect(message.usage.output_tokens).toBe(40)
  })

  test('whose end reports no usage gets the one that is charged', async () => {
    const end = anthropicEvent({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
    })
    await using world = await startNative(stream([...textStream('Hello').slice(0, -2), end, MESSAGE_STOP]))
    const { text } = await ask(world, { stream: true })
    expect(text).toMatch(/"type":"message_delta".*"output_tokens":[1-9]/)
    expect(text.match(/event: message_stop/g)).toHaveLength(1)
  })

  test('whose provider does not say that it is over gets its end from the gateway', async () => {
    await using world = await startNative(stream(textStream('Hello').slice(0, -1)))
    const { text } = await ask(world, { stream: true })
    expect(text.split('\n\n').at(-2)).toStartWith('event: message_stop\n')
    expect(text).toContain('"stop_reason":"end_turn"')
  })
})

describe('what stays inside', () => {
  const input = { price: 5, provider: 'p', cost: { usd: 1 }, nested: { market: 'x' } }
  const call = { type: 'tool_use', id: 'toolu_1', name: 'buy', input }
  const privately = { cost: 0.01, provider: { name: 'secret-provider' }, harmless: { n: 1 } }
  const usage = { input_tokens: 10, output_tokens: 4, cost: 0.02, market_cost: 0.03 }

  test('is taken out of a whole answer, and nothing of what the model wrote', async () => {
    const body = anthropicMessage([{ ...call, price: 1 }], { stop_reason: 'tool_use', usage, ...privately })
    await using world = await startNative(respond({ body }))
    const { text } = await ask(world)
    const answer = JSON.parse(text) as JsonObject
    expect(answer).toMatchObject({ content: [call], harmless: { n: 1 }, usage: { input_tokens: 10 } })
    expect(text).not.toMatch(/secret-provider|0\.0[123]|"price":1/)
  })

  test('is taken out of a stream, and nothing of what the model wrote', async () => {
    const frames = [
      messageStart(privately),
      blockStart(0, { ...call, input: {}, price: 1 }),
      blockDelta(0, { type: 'input_json_delta', partial_json: JSON.stringify(input) }),
      blockStop(0),
      messageDelta('tool_use', usage),
      MESSAGE_STOP,
    ]
    await using world = await startNative(stream(frames))
    const { text } = await ask(world, { stream: true })
    expect(text).toContain(JSON.stringify(JSON.stringify(input)).slice(1, -1))
    expect(text).toContain('"harmless":{"n":1}')
    expect(text).not.toMatch(/secret-provider|0\.0[123]|"price":1/)
  })
})

describe('a request', () => {
  const BLOCK = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }
  const NATIVE = {
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '5m' } }],
    messages: [{ role: 'user', content: [{ ...BLOCK, vendor: { n: [1] } }] }],
    tools: [
      { name: 'f', input_schema: { type: 'object', $schema: 'x' }, eager_input_streaming: true },
      { type: 'bash_20250124', name: 'bash' },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'adaptive', display: 'omitted' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'high', task_budget: { tokens: 1 } },
    top_k: 5,
    stop_sequences: ['END'],
  }

  test('reaches its provider as it was written, but for the model, in the order of its fields', async () => {
    await using world = await startNative(stream(textStream('Hello')))
    const { status, dropped } = await ask(
      world,
      { ...NATIVE, stream: true },
      {
        'anthropic-version': '2026-10-21',
        'anthropic-beta': 'context-management-2025-06-27,effort-2025-11-24',
      },
    )
    expect([status, dropped]).toEqual([200, null])
    const { body, headers } = await sent(world)
    expect(JSON.stringify(body)).toBe(
      JSON.stringify({ ...HELLO, ...NATIVE, stream: true, model: 'upstream-chat-1' }),
    )
    expect(headers).toMatchObject({
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'context-management-2025-06-27,effort-2025-11-24',
      'x-api-key': 'provider-secret',
    })
  })

  test('leaves behind, by name, what may cost more or names what is not the caller’s', async () => {
    await using world = await startNative(respond({ body: anthropicMessage([{ type: 'text', text: 'x' }]) }))
    const { dropped } = await ask(
      world,
      {
        speed: 'fast',
        inference_geo: 'us',
        service_tier: 'auto',
        fallbacks: [{ model: 'dear' }],
        invented: 1,
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
        context_management: { edits: [{ type: 'compact_20260112' }] },
      },
      { 'anthropic-beta': 'fast-mode-2026-02-01, effort-2025-11-24,files-api-2025-04-14' },
    )
    const { body, headers } = await sent(world)
    expect(Object.keys(body).sort()).toEqual(['context_management', 'max_tokens', 'messages', 'model'])
    expect(body['context_management']).toEqual({ edits: [] })
    expect(headers['anthropic-beta']).toBe('effort-2025-11-24')
    expect(dropped?.split(', ')).toEqual([
      'speed',
      'inference_geo',
      'service_tier',
      'fallbacks',
      'invented',
      'context_management.edits',
      'anthropic-beta[fast-mode-2026-02-01]',
      'anthropic-beta[files-api-2025-04-14]',
      'tools[web_search]',
    ])
  })

  test('passes every feature that coding agents name by default', async () => {
    const features = [
      'claude-code-20250219',
      'interleaved-thinking-2025-05-14',
      'context-management-2025-06-27',
      'per-turn-control-2026-07-01',
      'mid-conversation-tool-changes-2026-07-01',
      'thinking-token-count-2026-05-13',
      'advanced-tool-use-2025-11-20',
      'effort-2025-11-24',
      'thinking-binding-controls-2026-08-01',
      'structured-outputs-2025-11-13',
      'prompt-caching-2024-07-31',
    ].join(',')
    await using world = await startNative(respond({ body: anthropicMessage([]) }))
    const { dropped } = await ask(world, {}, { 'anthropic-beta': features })
    expect([dropped, (await sent(world)).headers['anthropic-beta']]).toEqual([null, features])
  })

  test('passes what the operator allows', async () => {
    const allow = { allow_fields: ['invented', 'context-1m-2025-08-07'] }
    await using world = await startNative(respond({ body: anthropicMessage([]) }), {}, allow)
    const { dropped } = await ask(
      world,
      { invented: { n: 1 } },
      { 'anthropic-beta': 'context-1m-2025-08-07' },
    )
    const { body, headers } = await sent(world)
    expect([dropped, body['invented'], headers['anthropic-beta']]).toEqual([
      null,
      { n: 1 },
      'context-1m-2025-08-07',
    ])
  })

  test.each([
    ['without a signature', { type: 'thinking', thinking: 'x', signature: '' }],
    ['of another provider', { type: 'thinking', thinking: 'x', signature: 'google-gemini-v1:c2ln' }],
    ['of another provider, hidden', { type: 'redacted_thinking', data: 'openai-responses-v1:ZGF0YQ==' }],
  ])('with thoughts %s passes without these, by name', async (_, thought) => {
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' } }
    const own = { type: 'thinking', thinking: 'y', signature: 'c2ln' }
    const user = { role: 'user', content: [document] }
    const messages = [
      user,
      { role: 'assistant', content: [thought, BLOCK, own] },
      { role: 'assistant', content: [thought] },
      ...HELLO.messages,
    ]
    await using world = await startNative(respond({ body: anthropicMessage([{ type: 'text', text: 'x' }]) }))
    const { status, dropped } = await ask(world, { top_k: 5, messages })
    expect([status, dropped]).toEqual([200, 'messages.content[thinking]'])
    expect((await sent(world)).body).toMatchObject({
      top_k: 5,
      messages: [user, { role: 'assistant', content: [BLOCK, own] }, ...HELLO.messages],
    })
  })

  test('with a budget for thoughts and unsigned ones is translated', async () => {
    const messages = [
      ...HELLO.messages,
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: '' }, BLOCK] },
      ...HELLO.messages,
    ]
    await using world = await startNative(respond({ body: anthropicMessage([{ type: 'text', text: 'x' }]) }))
    const thinking = { type: 'enabled', budget_tokens: 1024 }
    const { status, dropped } = await ask(
      world,
      { max_tokens: 4_000, messages, thinking, top_k: 5 },
      { 'anthropic-beta': 'effort-2025-11-24' },
    )
    expect([status, dropped]).toEqual([200, expect.stringContaining('top_k, anthropic-beta')])
  })

  test('with instructions among the messages passes, unless the model is known to take none there', async () => {
    const messages = [...HELLO.messages, { role: 'system', content: 'Be brief.' }]
    for (const [model, native] of [
      ['claude-opus-5-5', true],
      ['upstream-chat-1', true],
      ['claude-sonnet-4-5', false],
    ] as const) {
      await using world = await startNative(
        respond({ body: anthropicMessage([{ type: 'text', text: 'x' }]) }),
        {
          config: ({ baseUrl }) => ({
            providers: { acme: provider(baseUrl) },
            models: [standardModel({ targets: [{ provider: 'acme', model }] })],
          }),
        },
      )
      expect((await ask(world, { messages })).status).toBe(200)
      const { body } = await sent(world)
      expect([model, Bun.deepEquals(body['messages'], messages)]).toEqual([model, native])
    }
  })

  test('holds what the same chat holds, and what a provider may read beside', async () => {
    const gate = createGate()
    await using world = await startNative(stream([gate, ...textStream('Hello')]))
    const calls: Promise<unknown>[] = []
    let total = 0
    const held = async (asking: Promise<unknown>): Promise<number> => {
      const before = [world.provider.requests.length, total] as const
      calls.push(asking)
      await world.provider.request(before[0])
      total = Number((await world.balance()).held)
      return total - before[1]
    }
    const chat = await held(world.chat({ ...HELLO, stream: true }))
    expect(await held(ask(world, { stream: true }))).toBeCloseTo(chat, 12)
    const tool = { name: 'f', input_schema: { type: 'object' } }
    const plain = await held(ask(world, { stream: true, tools: [tool] }))
    const said = 'word '.repeat(2_000)
    for (const more of [
      { tools: [{ ...tool, input_examples: [{ said }] }] },
      { messages: [{ role: 'user', content: [{ ...BLOCK, said }] }] },
      { messages: [{ role: 'user', content: 'Hi', said }] },
      { system: [{ ...BLOCK, said }] },
      { output_config: { said } },
      { context_management: { edits: [], said } },
    ])
      expect(await held(ask(world, { stream: true, ...more }))).toBeGreaterThan(plain + 0.0005)
    gate.open()
    await Promise.all(calls)
  })

  test('names its user as its workspace’s own, and by no other name', async () => {
    await using world = await startNative(respond({ body: anthropicMessage([]) }))
    const { dropped } = await ask(world, { metadata: { user_id: 'anna', User_id: 'victim' } })
    expect(dropped).toBe('metadata.User_id')
    expect((await ask(world, { metadata: 'user_id=victim' })).status).toBe(400)
    const { metadata } = (await sent(world)).body as { metadata: { user_id: string } }
    expect(Object.keys(metadata)).toEqual(['user_id'])
    expect(metadata.user_id).toMatch(/^[\w-]{8}-anna$/)
  })

  test.each([
    [
      'messages[0].content[0].cache_control.ttl',
      [{ ...BLOCK, cache_control: { type: 'ephemeral', ttl: '1h' } }],
    ],
    [
      'messages[0].content[0].content[0].cache_control.ttl',
      [
        {
          type: 'tool_result',
          tool_use_id: 't',
          content: [{ ...BLOCK, cache_control: { type: 'ephemeral', ttl: '1h' } }],
        },
      ],
    ],
    ['messages[0].content[0].source', [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]],
    ['messages[0].content[0].file_id', [{ type: 'container_upload', file_id: 'file_1' }]],
  ])('that asks for what is not sold, or is another’s, is a 400 that names %s', async (param, content) => {
    await using world = await startNative(respond({ body: anthropicMessage([]) }))
    const { status, text } = await ask(world, { messages: [{ role: 'user', content }] })
    expect([status, (JSON.parse(text) as { error: JsonObject }).error['param']]).toEqual([400, param])
    expect(world.provider.requests).toHaveLength(0)
  })

  test.each([
    [
      'ids that the provider does not take',
      [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'functions.f:0', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.f:0', content: 'x' }] },
      ],
    ],
  ])('with %s is translated', async (_, messages) => {
    await using world = await startNative(respond({ body: anthropicMessage([{ type: 'text', text: 'x' }]) }))
    const { status, text, dropped } = await ask(world, {
      top_k: 5,
      messages: [...HELLO.messages, ...messages],
    })
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ model: MODEL })])
    expect(dropped).toContain('top_k')
    expect((await sent(world)).body).not.toHaveProperty('top_k')
  })
})

describe('where another provider takes over before the first content', () => {
  async function startTwo(
    first: Script,
    second: Script,
    secondWire: string,
  ): Promise<World & { more: AsyncDisposable }> {
    const other = await startScriptedProvider(second)
    const world = await startWorld({
      provider: first,
      config: ({ baseUrl }) => ({
        providers: {
          acme: provider(baseUrl),
          second: { wire: secondWire, base_url: other.baseUrl, api_key: 'k' },
        },
        models: [
          standardModel({
            targets: [
              { provider: 'acme', model: 'upstream-chat-1' },
              { provider: 'second', model: 'upstream-chat-2' },
            ],
          }),
        ],
      }),
    })
    return Object.assign(world, { more: other })
  }

  const failing: Act = stream([
    messageStart(),
    anthropicEvent({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ])

  test('its frames are the only ones', async () => {
    await using world = await startTwo(failing, stream(textStream('Hello')), 'anthropic-messages')
    await using _other = world.more
    const { id, text } = await ask(world, { stream: true })
    expect(text).toBe(asOurs(textStream('Hello').join(''), id))
  })

  test('its answer is translated where it speaks another format, and names what it was not asked', async () => {
    const chunks = [openaiChunk({ content: 'Hello' }), openaiChunk({}, { finishReason: 'stop' })]
    const second = stream([...chunks, openaiUsageChunk(openaiUsage(10, 4)), '[DONE]'])
    await using world = await startTwo(
      respond({
        status: 529,
        body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      }),
      second,
      'openai-chat',
    )
    await using _other = world.more
    const { text, dropped } = await ask(world, { stream: true, top_k: 5 })
    expect(dropped).toBe('top_k')
    expect(text).toContain('"text":"Hello"')
    expect(text).toContain('event: message_stop')
  })
})

test('a caller of chat gets the words of a provider of Messages, and no frames', async () => {
  await using world = await startNative(inTurn(stream(textStream('Hello'))))
  const response = await world.chat({ stream: true })
  const text = await response.text()
  expect(text).toContain('"content":"Hello"')
  expect(text).not.toContain('message_start')
})
