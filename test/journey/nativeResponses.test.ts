import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { JsonObject } from '../../src/core/json.ts'
import { receiptOf } from '../support/receiptOf.ts'
import {
  responseEvent,
  responseStream,
  upstreamResponse,
  upstreamText,
} from '../support/scriptedResponses.ts'
import {
  type Script,
  close,
  openaiChunk,
  openaiUsage,
  openaiUsageChunk,
  respond,
  stream,
  startScriptedProvider,
} from '../support/scriptedProvider.ts'
import { MODEL, type World, type WorldOptions, standardModel, startWorld } from '../support/world.ts'

/** The native lane of `POST /v1/responses`: what a caller of Responses and a provider of it say reaches the other. */

const HELLO = { model: MODEL, input: 'Hi', max_output_tokens: 100 }
/** What no field of the gateway's models, in a spelling that no parser keeps. */
const ODD = '"vendor" : {"deep":[1.0, 12345678901234567890, "\\u00e9"]}'

function provider(baseUrl: string, more: object = {}): object {
  return { wire: 'openai-responses', base_url: baseUrl, api_key: 'provider-secret', ...more }
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

async function ask(world: World, more: object = {}): Promise<Asked> {
  const response = await world.request('POST', '/v1/responses', { ...HELLO, ...more, store: false })
  return {
    status: response.status,
    id: response.headers.get('x-request-id') ?? '',
    text: await response.text(),
    dropped: response.headers.get('x-tollgate-dropped-fields'),
  }
}

async function sent(world: World, ordinal = 0): Promise<JsonObject> {
  return (await world.provider.request(ordinal)).body as JsonObject
}

/** With the caller's id and model in place of the provider's. */
function asOurs(text: string, id: string): string {
  return text.replaceAll('"resp_upstream"', `"${id}"`).replaceAll('"upstream-gpt"', `"${MODEL}"`)
}

async function charge(world: World): Promise<string | undefined> {
  await world.settled()
  return (await world.ledger()).findLast(({ kind }) => kind === 'charge')?.amount_usd
}

function eventsIn(text: string): JsonObject[] {
  const events = text.split('\n\n').filter((event) => event.includes('data: '))
  return events.map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as JsonObject)
}

function expectRisingNumbers(events: readonly JsonObject[]): void {
  const numbers = events.map((event) => event['sequence_number'] as number)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
}

const ANSWER = upstreamResponse([upstreamText('Hello')])

describe('a whole answer', () => {
  const odd = JSON.stringify(ANSWER).replace('"object":"response"', `"object" : "response", ${ODD}`)

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

  test('repeats what its caller asked for, not what the gateway made of it', async () => {
    const repeated = {
      store: false,
      user: 'scoped',
      safety_identifier: 'scoped',
      prompt_cache_key: 'scoped',
      previous_response_id: 'resp_1',
      max_output_tokens: 16,
      metadata: { user_id: 'scoped' },
    }
    await using world = await startNative(respond({ body: upstreamResponse([], repeated) }))
    const asked = {
      user: 'anna',
      safety_identifier: 'anna-1',
      prompt_cache_key: 'k',
      max_output_tokens: 3,
      metadata: { user_id: 'anna', n: '1' },
    }
    const { text } = await ask(world, asked)
    expect(JSON.parse(text)).toMatchObject({ ...asked, previous_response_id: null })
  })

  test('without a usage is written by the gateway', async () => {
    await using world = await startNative(
      respond({ body: upstreamResponse([upstreamText('Hello')], { usage: null }) }),
    )
    const { text } = await ask(world)
    const { usage } = JSON.parse(text) as { usage: { output_tokens: number } }
    expect(usage.output_tokens).toBeGreaterThan(0)
  })

  test('that the gateway asks for as a stream is the response that the stream tells', async () => {
    const thought = {
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hmm.' }],
      encrypted_content: 'c2ln',
    }
    const call = {
      id: 'fc_1',
      type: 'function_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'f',
      arguments: '{"n": 12345678901234567890}',
      namespace: 'tools',
    }
    const response = upstreamResponse([thought, upstreamText('Hello'), call])
    await using world = await startNative(stream(responseStream(response)))
    const { id, text } = await ask(world, { max_output_tokens: 32_000 })
    expect(await sent(world)).toMatchObject({ stream: true, max_output_tokens: 32_000 })
    expect(text).toBe(asOurs(JSON.stringify(response), id))
  })
})

describe('a stream', () => {
  const [created = '', inProgress = '', ...rest] = responseStream(ANSWER)
  const frames = [
    created,
    inProgress,
    responseEvent({ type: 'keepalive', sequence_number: 2 }),
    ...rest.slice(0, -1),
    `event: response.novel.delta\ndata: {"type": "response.novel.delta", ${ODD},"delta":"something new"}\n\n`,
    rest.at(-1) ?? '',
  ]

  test('comes frame by frame as its provider wrote it, but for id and model', async () => {
    await using world = await startNative(stream(frames))
    const { status, id, text } = await ask(world, { stream: true })
    expect(status).toBe(200)
    expect(text).toBe(asOurs(frames.join(''), id))
    const native = await charge(world)
    await (await world.chat({ max_tokens: 100 })).text()
    expect(await charge(world)).toBe(native)
  })

  test('passes on no text that the balance does not cover, wherever a frame has it', async () => {
    const said = 'word '.repeat(1_000)
    const [first = '', ...more] = responseStream(ANSWER)
    const novel = Array.from({ length: 16 }, (_, i) =>
      responseEvent({
        type: 'response.output_item.added',
        output_index: i + 5,
        item: { type: 'novel', said },
      }),
    )
    await using world = await startNative(stream([first, ...novel, ...more]), { balance: '0.006' })
    const { text } = await ask(world, { stream: true, max_output_tokens: 30_000 })
    // 1.50 USD per million tokens: 4,000 words at most.
    expect(text.split(said).length - 1).toBeGreaterThan(0)
    expect(text.split(said).length - 1).toBeLessThanOrEqual(4)
    expect(await charge(world)).toMatch(/^0\.00[3-6]/)
  })

  const words = 'word '.repeat(4_000)
  const silent = { usage: { input_tokens: 100, output_tokens: 0 } }
  const told = (more: JsonObject = {}): JsonObject =>
    upstreamResponse([upstreamText('x')], { ...silent, ...more })
  const novel = { id: 'n_1', type: 'novel_call', said: words }
  const beside: Record<string, readonly string[]> = {
    'an event of an unknown kind': [
      ...responseStream(told()).slice(0, -1),
      responseEvent({ type: 'response.novel', said: words }),
      ...responseStream(told()).slice(-1),
    ],
    'an item of an unknown kind': responseStream(upstreamResponse([upstreamText('x'), novel], silent)),
    'a field of the last event': responseStream(told({ said: words })),
  }
  test.each(Object.keys(beside))(
    'is charged for what it says in %s, where its provider counts nothing',
    async (where) => {
      await using world = await startNative(stream(beside[where] ?? []))
      await ask(world, { stream: true, max_output_tokens: 8_000 })
      // 4,000 words at 1.50 USD per million: counted once.
      const charged = Number(await charge(world))
      expect(charged).toBeGreaterThan(0.005)
      expect(charged).toBeLessThan(0.009)
    },
  )

  test('that begins with text in its first event is written by the gateway, which knows no such text', async () => {
    const begun = { ...ANSWER, status: 'in_progress', output: [upstreamText(words)], usage: null }
    const frames = [responseEvent({ type: 'response.created', response: begun }), ...responseStream(ANSWER)]
    await using world = await startNative(stream(frames))
    const { text } = await ask(world, { stream: true })
    expect(text).toContain('"text":"Hello"')
    expect(text).not.toContain('word word')
  })

  test('is read by the official client', async () => {
    await using world = await startNative(stream(responseStream(ANSWER)))
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 })
    const response = await client.responses.stream(HELLO).finalResponse()
    expect(response).toMatchObject({ model: MODEL, output_text: 'Hello', usage: { output_tokens: 40 } })
  })

  test('that the balance cuts ends as a response does, with what was sent', async () => {
    const long = responseStream(upstreamResponse([upstreamText('word word word '.repeat(4_000))]))
    await using world = await startNative(stream(long, { coalesce: true }), { balance: '0.01' })
    const { text, id } = await ask(world, { stream: true, max_output_tokens: 64_000 })
    const events = eventsIn(text)
    expectRisingNumbers(events)
    expect(events.slice(-4).map(({ type }) => type)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.incomplete',
    ])
    const said = events
      .filter(({ type }) => type === 'response.output_text.delta')
      .map(({ delta }) => delta as string)
      .join('')
    expect(events.at(-1)?.['response']).toMatchObject({
      id,
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ id: 'msg_upstream', status: 'incomplete', content: [{ text: said }] }],
    })
    const { balance } = await world.balance()
    expect(Number(balance)).toBeGreaterThanOrEqual(0)
  })

  test('that breaks off ends with a failure, and costs nothing', async () => {
    await using world = await startNative(stream([...responseStream(ANSWER).slice(0, 6), close()]))
    const { text, id } = await ask(world, { stream: true })
    expect(text).toContain('"delta":"Hel"')
    const events = eventsIn(text)
    expectRisingNumbers(events)
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      // Agents go on by this code and these words.
      response: { id, error: { code: 'server_error', message: expect.stringContaining('server error') } },
    })
    expect(await charge(world)).toBeUndefined()
  })

  test('that its provider says has failed gets the failure in the gateway’s words', async () => {
    const error = { code: 'server_error', message: 'upstream-gpt of org-secret exploded' }
    const failed = { ...ANSWER, status: 'failed', error, output: [], usage: null }
    const end = responseEvent({ type: 'response.failed', response: failed, sequence_number: 9 })
    await using world = await startNative(stream([...frames.slice(0, 6), end]))
    const { text } = await ask(world, { stream: true })
    expect(text.match(/event: response\.failed/g)).toHaveLength(1)
    expect(text).not.toContain('org-secret')
  })

  test('whose last event reports no usage gets the one that is charged', async () => {
    const { usage: _usage, ...silent } = ANSWER
    const frames = responseStream(silent)
    await using world = await startNative(stream(frames))
    const { text } = await ask(world, { stream: true })
    expect(text.match(/event: response\.completed/g)).toHaveLength(1)
    expect(eventsIn(text).at(-1)?.['response']).toMatchObject({
      output: ANSWER['output'],
      usage: { output_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    })
  })
})

describe('what stays inside', () => {
  const input = JSON.stringify({ price: 5, provider: 'p', cost: { usd: 1 }, nested: { market: 'x' } })
  const call = {
    id: 'fc_1',
    type: 'function_call',
    status: 'completed',
    call_id: 'call_1',
    name: 'buy',
    arguments: input,
  }
  const item = { ...call, price: 1 }
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0, cached_cost: 0.01 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 14,
    cost: 0.02,
    cost_in_usd_ticks: 31,
    is_byok: false,
  }
  const response = upstreamResponse([item], {
    usage,
    billing: { payer: 'secret-payer' },
    provider: { name: 'secret-provider' },
    harmless: { n: 1 },
  })
  const privates = /secret-|0\.0[12]|"cost_in|is_byok|"price":1|billing/

  test('is taken out of a whole answer, and nothing of what the model wrote', async () => {
    await using world = await startNative(respond({ body: response }))
    const { text } = await ask(world)
    expect(JSON.parse(text)).toMatchObject({
      output: [call],
      harmless: { n: 1 },
      usage: { input_tokens: 10 },
    })
    expect(text).not.toMatch(privates)
  })

  test('is taken out of a stream, and nothing of what the model wrote', async () => {
    await using world = await startNative(stream(responseStream(response)))
    const { text } = await ask(world, { stream: true })
    const written = JSON.stringify(input)
    // Beside its pieces: when they end, in the end of the item, and in the last event.
    expect(text.split(`"arguments":${written}`)).toHaveLength(4)
    expect(text).toContain('"harmless":{"n":1}')
    expect(text).not.toMatch(privates)
  })
})

describe('a request', () => {
  const PART = { type: 'input_text', text: 'Hi', vendor: { n: [1] } }
  const NATIVE = {
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'Be kind.' },
      { type: 'message', role: 'user', content: [PART] },
      { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAAB' },
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        phase: 'commentary',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Well', annotations: [{ type: 'novel', n: 1 }] }],
      },
      { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_1', name: 'sh', input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'call_1', output: 'a' },
    ],
    tools: [
      { type: 'function', name: 'f', parameters: { type: 'object', $schema: 'x' }, strict: null, novel: 1 },
      { type: 'custom', name: 'sh', format: { type: 'grammar', syntax: 'lark', definition: 'start: /x/' } },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'high', summary: 'detailed', context: 'all_turns' },
    text: { verbosity: 'low', novel: true },
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    store: false,
    truncation: 'auto',
    stream: true,
    stream_options: { include_obfuscation: false },
  }

  test('reaches its provider as it was written, but for the model, in the order of its fields', async () => {
    await using world = await startNative(stream(responseStream(ANSWER)))
    const { status, dropped } = await ask(world, NATIVE)
    expect([status, dropped]).toEqual([200, null])
    expect(JSON.stringify(await sent(world))).toBe(
      JSON.stringify({ ...HELLO, ...NATIVE, model: 'upstream-chat-1' }),
    )
  })

  test('keeps integers of 64 bits', async () => {
    await using world = await startNative(respond({ body: ANSWER }))
    const schema = '{"type":"integer","maximum":9223372036854775807}'
    const body = `{"model":"${MODEL}","input":"Hi","tools":[{"type":"function","name":"f","parameters":${schema}}]}`
    const response = await fetch(`${world.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.secret}`, 'content-type': 'application/json' },
      body,
    })
    expect(response.status).toBe(200)
    await response.text()
    expect((await world.provider.request(0)).text).toContain(schema)
  })

  test('stores nothing, asks for reasoning to be kept by its caller, and for the least that is taken', async () => {
    await using world = await startNative(respond({ body: ANSWER }))
    const more = { store: true, reasoning: { effort: 'low' }, max_output_tokens: 3, background: false }
    expect((await ask(world, more)).dropped).toBeNull()
    const body = await sent(world)
    expect(body).toMatchObject({
      store: false,
      max_output_tokens: 16,
      include: ['reasoning.encrypted_content'],
    })
    expect(body).not.toHaveProperty('background')
  })

  test('leaves behind, by name, what may cost more or names what is not the caller’s', async () => {
    await using world = await startNative(respond({ body: ANSWER }))
    const { dropped } = await ask(world, {
      context_management: [{ type: 'compaction', compact_threshold: 1 }],
      invented: 1,
      reasoning: { effort: 'low', mode: 'pro' },
      include: ['web_search_call.action.sources'],
      tools: [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: null, strict: false }],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }],
      },
      input: [
        { role: 'user', content: 'Hi' },
        { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
        { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }] },
        { id: '', type: 'reasoning', summary: [], encrypted_content: 'gAAAAB' },
        { role: 'assistant', content: 'Well' },
      ],
    })
    const { model: _model, ...body } = await sent(world)
    expect(body).toEqual({
      max_output_tokens: 100,
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: 'f', parameters: null, strict: false }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'reasoning', summary: [], encrypted_content: 'gAAAAB' },
        { role: 'assistant', content: 'Well' },
      ],
      store: false,
    })
    expect(dropped?.split(', ')).toEqual([
      'context_management',
      'invented',
      'reasoning.mode',
      'include[web_search_call.action.sources]',
      'tools[web_search]',
      'input[web_search_call]',
      'input[reasoning]',
    ])
  })

  test('passes what the operator allows', async () => {
    await using world = await startNative(respond({ body: ANSWER }), {}, { allow_fields: ['invented'] })
    const { dropped } = await ask(world, { invented: { n: 1 } })
    expect([dropped, (await sent(world))['invented']]).toEqual([null, { n: 1 }])
  })

  test('names its user and its cache as its workspace’s own', async () => {
    await using world = await startNative(respond({ body: ANSWER }))
    const names = { user: 'anna', safety_identifier: 'anna', prompt_cache_key: 'anna' }
    await ask(world, { ...names, metadata: { user_id: 'anna', n: '1' } })
    const { user, safety_identifier: identifier, prompt_cache_key: key, metadata } = await sent(world)
    expect(user).toMatch(/^[\w-]{8}-anna$/)
    expect([identifier, key, metadata]).toEqual([user, user, { user_id: user, n: '1' }] as never)
  })

  test.each([
    ['input[0].content[0].file_id', [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }]],
    ['input[0].vendor.file_id', [{ role: 'user', content: 'Hi', vendor: { file_id: 'file_1' } }]],
  ])('that names what is another’s is a 400 that names %s', async (param, input) => {
    await using world = await startNative(respond({ body: ANSWER }))
    const { status, text } = await ask(world, { input })
    expect([status, (JSON.parse(text) as { error: JsonObject }).error['param']]).toEqual([400, param])
    expect(world.provider.requests).toHaveLength(0)
  })

  const day = { prompt_cache_breakpoint: { mode: 'explicit', ttl: '24h' } }
  const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
  const forged = (more: object) => ({
    type: 'reasoning',
    summary: [],
    encrypted_content: `tollgate-v1:${JSON.stringify({ type: 'reasoning.text', signature: 'c2ln', ...more })}`,
  })
  const hello = { role: 'user', content: 'Hi' }
  test.each<[string, object]>([
    ['input[0].prompt_cache_breakpoint.ttl', { input: [{ ...hello, ...day }] }],
    [
      'input[0].content[0].cache_control.ttl',
      { input: [{ role: 'user', content: [{ type: 'input_text', text: 'a', ...hour }] }] },
    ],
    [
      'input[1].output[0].prompt_cache_breakpoint.ttl',
      {
        input: [
          call,
          {
            type: 'function_call_output',
            call_id: 'call_1',
            output: [{ type: 'input_text', text: 'a', ...day }],
          },
        ],
      },
    ],
    ['tools[0].cache_control.ttl', { tools: [{ type: 'function', name: 'f', parameters: {}, ...hour }] }],
    ['prompt_cache_options.ttl', { prompt_cache_options: { ttl: '24h' } }],
    ['input[1].encrypted_content', { input: [hello, forged({ file_id: 'file_1' }), hello] }],
    ['input[1].encrypted_content', { input: [hello, forged({ image_url: 'gs://b/x' }), hello] }],
    ['input[1].encrypted_content', { input: [hello, forged(hour), hello] }],
    ['input[1].encrypted_content', { input: [hello, forged({ signature: { file_id: 'x' } }), hello] }],
  ])('with what is not sold, or a forged secret, is a 400 that names %s', async (param, more) => {
    await using world = await startNative(respond({ body: ANSWER }))
    const { status, text } = await ask(world, more)
    expect([status, (JSON.parse(text) as { error: JsonObject }).error['param']]).toEqual([400, param])
    expect(world.provider.requests).toHaveLength(0)
  })

  const secret = 'tollgate-v1:{"type":"reasoning.text","signature":"c2ln","format":"anthropic-claude-v1"}'
  const long = 'c'.repeat(65)
  test.each([
    [
      'reasoning of another provider',
      [
        {
          type: 'reasoning',
          id: '',
          summary: [{ type: 'summary_text', text: 'x' }],
          encrypted_content: secret,
        },
      ],
    ],
    [
      'ids that the provider does not take',
      [
        { type: 'function_call', call_id: long, name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: long, output: 'x' },
      ],
    ],
  ])('with %s is translated', async (_, items) => {
    await using world = await startNative(respond({ body: ANSWER }))
    const input = [{ role: 'user', content: 'Hi' }, ...items, { role: 'assistant', content: 'Well' }]
    const { status, text, dropped } = await ask(world, { input, truncation: 'auto' })
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ model: MODEL })])
    expect(dropped).toContain('truncation')
    const body = await sent(world)
    expect(body).not.toHaveProperty('truncation')
    expect(JSON.stringify(body)).not.toContain('tollgate-v1')
  })

  test.each([{}, { unsupported_fields: ['tools'] }])(
    'has unknown fields left out by the names that its caller gave them, whatever they mean elsewhere: %j',
    async (more) => {
      await using world = await startNative(respond({ body: ANSWER }), {
        config: ({ baseUrl }) => ({
          providers: { acme: provider(baseUrl) },
          models: [standardModel(more)],
        }),
      })
      const tools = [{ type: 'function', name: 'f', parameters: {} }]
      const { dropped } = await ask(world, { max_tokens: 5, verbosity: 'low', tools, tool_choice: 'none' })
      expect(dropped?.split(', ').slice(0, 2)).toEqual(['max_tokens', 'verbosity'])
    },
  )

  test('of what the model refuses is translated, or goes without it by name', async () => {
    await using world = await startNative(respond({ body: ANSWER }), {
      config: ({ baseUrl }) => ({
        providers: { acme: provider(baseUrl) },
        models: [standardModel({ unsupported_fields: ['temperature', 'reasoning_effort', 'user'] })],
      }),
    })
    const { dropped } = await ask(world, { temperature: 0.5, user: 'anna', truncation: 'auto' })
    expect(dropped).toBe('user, temperature')
    expect(await sent(world)).toMatchObject({ truncation: 'auto' })
    expect((await ask(world, { reasoning: { effort: 'low' } })).dropped).toBe('reasoning.effort')
    expect(await sent(world, 1)).not.toHaveProperty('reasoning')
  })
})

describe('where another provider takes over before the first content', () => {
  async function startTwo(
    first: readonly [string, Script],
    second: readonly [string, Script],
  ): Promise<World & { more: AsyncDisposable }> {
    const other = await startScriptedProvider(second[1])
    const world = await startWorld({
      provider: first[1],
      config: ({ baseUrl }) => ({
        providers: {
          acme: provider(baseUrl, { wire: first[0] }),
          second: { wire: second[0], base_url: other.baseUrl, api_key: 'k' },
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

  const frames = responseStream(ANSWER)
  const broken = stream([...frames.slice(0, 2), close()])
  const chat = stream([
    openaiChunk({ content: 'Hello' }),
    openaiChunk({}, { finishReason: 'stop' }),
    openaiUsageChunk(openaiUsage(10, 4)),
    '[DONE]',
  ])
  const brokenChat = stream([openaiChunk({ role: 'assistant' }), close()])

  test('its frames are the only ones', async () => {
    await using world = await startTwo(['openai-responses', broken], ['openai-responses', stream(frames)])
    await using _other = world.more
    const { id, text } = await ask(world, { stream: true })
    expect(text).toBe(asOurs(frames.join(''), id))
  })

  test.each([
    ['translated after frames', 'openai-responses', broken, 'openai-chat', chat],
    ['passed after words of the gateway', 'openai-chat', brokenChat, 'openai-responses', stream(frames)],
  ] as const)(
    'its answer is %s, with events that are numbered upwards',
    async (_, first, one, second, two) => {
      await using world = await startTwo([first, one], [second, two])
      await using _other = world.more
      const { id, text } = await ask(world, { stream: true, truncation: 'auto' })
      const events = eventsIn(text)
      expectRisingNumbers(events)
      expect(text.match(/event: response\.created/g)).toHaveLength(1)
      expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id, model: MODEL } })
      expect(text).toContain('"text":"Hello"')
    },
  )
})
