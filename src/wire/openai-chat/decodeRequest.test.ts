import { describe, expect, test } from 'bun:test'
import type { ChatRequest } from '../../core/chat/request.ts'
import { nano } from '../../core/money.ts'
import type { Json } from '../../core/json.ts'
import { NESTING_DEPTH_MAX } from '../check.ts'
import { decodeRequest } from './decodeRequest.ts'

const user = { role: 'user', content: 'Hi' }
const call = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } }

/** A minimal body with the given fields. */
function body(fields: object = {}): Json {
  return { model: 'acme/chat-1', messages: [user], ...fields }
}

function request(given: Json): ChatRequest {
  const decoded = decodeRequest(given)
  if (!decoded.ok) throw new Error(decoded.refusal.message)
  return decoded.request
}

function paramOf(given: Json): string | null | undefined {
  const decoded = decodeRequest(given)
  if (decoded.ok) return undefined
  expect(decoded.refusal.code).toBe('invalid_request')
  return decoded.refusal.param
}

function messages(...list: unknown[]): Json {
  return body({ messages: list })
}

function nested(levels: number): unknown {
  let value: unknown = 'bottom'
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

const TOOLS = [{ type: 'function', function: { name: 'now' } }]
const chosen = (name: string) => ({ type: 'function', function: { name } })
const allowed = (...names: string[]) => ({
  type: 'allowed_tools',
  allowed_tools: { mode: 'auto', tools: names.map(chosen) },
})

describe('a good request', () => {
  test('may choose a tool that it has, or any where it has none', () => {
    for (const choice of [chosen('now'), allowed('now', 'then'), { type: 'custom', custom: { name: 'x' } }])
      expect(request(body({ tools: TOOLS, tool_choice: choice })).toolChoice).toEqual(choice as never)
    expect(paramOf(body({ tool_choice: chosen('then') }))).toBeUndefined()
    expect(paramOf(body({ functions: [{ name: 'now' }], tool_choice: chosen('then') }))).toBeUndefined()
  })

  test('has no stop sequence that is empty', () => {
    for (const [stop, read] of [
      ['', undefined],
      [['', ''], undefined],
      [['', 'END'], ['END']],
    ] as const)
      expect(request(body({ stop })).stop).toEqual(read as never)
  })

  test('the least one has the defaults of the contract', () => {
    expect(request(body())).toEqual({
      model: 'acme/chat-1',
      messages: [{ role: 'user', content: 'Hi' }],
      n: 1,
      stream: false,
      includeUsage: false,
      extra: {},
    })
  })

  test('every field the contract has is read', () => {
    expect(
      request(
        body({
          temperature: 0,
          max_tokens: 1,
          top_p: 1,
          frequency_penalty: -2,
          presence_penalty: 2,
          stop: 'END',
          stream: true,
          stream_options: { include_usage: true },
          n: 128,
          user: 'ada',
        }),
      ),
    ).toMatchObject({
      temperature: 0,
      maxTokens: 1,
      topP: 1,
      frequencyPenalty: -2,
      presencePenalty: 2,
      stop: ['END'],
      stream: true,
      includeUsage: true,
      n: 128,
      user: 'ada',
    })
  })

  test('null for an optional field means absent', () => {
    const names = [
      'temperature',
      'max_tokens',
      'top_p',
      'stop',
      'stream',
      'n',
      'user',
      'tools',
      'seed',
      'provider',
    ]
    const nulls = Object.fromEntries([...names, 'stream_options', 'metadata'].map((name) => [name, null]))
    expect(request(body(nulls))).toEqual(request(body()))
  })

  test('max_completion_tokens wins over max_tokens, in whatever order', () => {
    expect(request(body({ max_tokens: 5, max_completion_tokens: 9 })).maxTokens).toBe(9)
    expect(request(body({ max_completion_tokens: 9, max_tokens: 5 })).maxTokens).toBe(9)
  })

  test("the rest of OpenAI's fields are carried, and what nobody knows is left behind", () => {
    const known = { metadata: { a: 'b' }, logit_bias: { 50256: -100 }, service_tier: 'flex', store: false }
    const { extra, unknownFields } = request(body({ ...known, top_k: 40, api_key: 'secret', min_p: null }))
    expect(extra).toEqual(known)
    expect(unknownFields).toEqual(['top_k', 'api_key'])
  })

  test('options of a stream beyond include_usage are carried', () => {
    const given = body({ stream: true, stream_options: { include_usage: false, include_obfuscation: false } })
    expect(request(given)).toMatchObject({
      includeUsage: false,
      extra: { stream_options: { include_obfuscation: false } },
    })
  })

  test('messages are passed on as the very objects that came', () => {
    const given = body({ messages: [{ ...user, unknown: { kept: true } }] })
    expect(request(given).messages).toBe((given as { messages: never }).messages)
  })

  test('an assistant message may lack content when it calls, refuses or speaks', () => {
    for (const said of [
      { tool_calls: [call] },
      { function_call: { name: 'now', arguments: '{}' } },
      { refusal: 'No.' },
      { audio: { id: 'audio_1' } },
    ]) {
      for (const content of [{}, { content: null }]) {
        expect(paramOf(messages(user, { role: 'assistant', ...content, ...said }))).toBeUndefined()
      }
    }
  })

  test('an answer of ours can be sent back with its nulls', () => {
    const echoed = {
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      tool_calls: null,
      reasoning_content: null,
    }
    expect(request(messages(user, echoed)).messages[1]).toEqual({
      role: 'assistant',
      content: 'Hi',
      refusal: null,
    })
  })

  test('an image may be given by its address alone', () => {
    const parts = [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: 'https://example.com/a.png' },
    ]
    expect(request(messages({ role: 'user', content: parts })).messages[0]?.content).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ])
  })

  test('an empty list of tools is no tools', () => {
    expect(request(body({ tools: [] })).tools).toBeUndefined()
  })

  test('routing preferences are read and are no extra fields', () => {
    const given = body({
      models: ['acme/chat-2'],
      provider: {
        order: ['acme'],
        only: ['acme', 'zenith'],
        ignore: ['other'],
        allow_fallbacks: false,
        sort: 'price',
        max_price: { prompt: 0.5, completion: '1.25' },
        unknown: true,
      },
    })
    const { routing, extra } = request(given)
    expect(extra).toEqual({})
    expect(routing).toEqual({
      models: ['acme/chat-2'],
      order: ['acme'],
      only: ['acme', 'zenith'],
      ignore: ['other'],
      allowFallbacks: false,
      sort: 'price',
      maxPrice: { input: nano(500_000_000n), output: nano(1_250_000_000n) },
    })
  })

  test('ten thousand messages are no burden', () => {
    const many = Array.from({ length: 10_000 }, () => ({
      role: 'user',
      content: [{ type: 'text', text: 'Hi' }],
    }))
    const given = messages(...many)
    const start = performance.now()
    expect(paramOf(given)).toBeUndefined()
    // Some milliseconds on an idle machine; the bound only rules out quadratic work.
    expect(performance.now() - start).toBeLessThan(1000)
  })
})

describe('a bad request is refused with its first offending field', () => {
  const cases: [param: string, given: Json][] = [
    ['model', { messages: [user] }],
    ['model', { model: null, messages: 'x' }],
    ['model', { model: '', messages: [user] }],
    ['model', { model: 7, messages: [] }],
    ['messages', { model: 'm' }],
    ['messages', { model: 'm', messages: null, temperature: 9 }],
    ['messages', { model: 'm', messages: [] }],
    ['messages', { model: 'm', messages: {} }],
    ['messages[1]', messages(user, 'Hi')],
    ['messages[0]', messages([])],
    ['messages[0].role', messages({ content: 'Hi' })],
    ['messages[0].role', messages({ role: 'wizard', content: 'Hi' })],
    ['messages[2].content', messages(user, user, { role: 'user' })],
    ['messages[0].content', messages({ role: 'user', content: null })],
    ['messages[0].content', messages({ role: 'user', content: 5 })],
    ['messages[0].content', messages({ role: 'user', content: {} })],
    ['messages[0].content', messages({ role: 'user', content: [] })],
    ['messages[0].content', messages({ role: 'assistant' })],
    ['messages[0].content', messages({ role: 'assistant', content: null, tool_calls: [] })],
    ['messages[0].content', messages({ role: 'user', tool_calls: [call] })],
    ['messages[0].content[0]', messages({ role: 'user', content: ['Hi'] })],
    ['messages[0].content[0].type', messages({ role: 'user', content: [{ text: 'Hi' }] })],
    ['messages[0].content[1].text', messages({ role: 'user', content: [{ type: 'x' }, { type: 'text' }] })],
    ['messages[0].content[0].image_url', messages({ role: 'user', content: [{ type: 'image_url' }] })],
    [
      'messages[0].content[0].image_url.url',
      messages({ role: 'user', content: [{ type: 'image_url', image_url: {} }] }),
    ],
    ['messages[0].name', messages({ ...user, name: 5 })],
    ['messages[0].tool_call_id', messages({ role: 'tool', content: 'Hi' })],
    ['messages[0].tool_calls', messages({ role: 'assistant', content: 'Hi', tool_calls: {} })],
    ['messages[0].tool_calls[0].id', messages({ role: 'assistant', tool_calls: [{ ...call, id: 1 }] })],
    [
      'messages[0].tool_calls[0].function.arguments',
      messages({ role: 'assistant', tool_calls: [{ ...call, function: { name: 'now', arguments: {} } }] }),
    ],
    ['temperature', body({ temperature: 2.01 })],
    ['temperature', body({ temperature: -0.01 })],
    ['temperature', body({ temperature: '1' })],
    ['max_tokens', body({ max_tokens: 0 })],
    ['max_tokens', body({ max_tokens: 1.5 })],
    ['max_tokens', body({ max_tokens: 1e300 })],
    ['max_completion_tokens', body({ max_completion_tokens: -1 })],
    ['top_p', body({ top_p: -0.01 })],
    ['top_p', body({ top_p: 1.1 })],
    ['frequency_penalty', body({ frequency_penalty: -2.1 })],
    ['presence_penalty', body({ presence_penalty: 3 })],
    ['stop', body({ stop: Array(17).fill('a') })],
    ['stop', body({ stop: 5 })],
    ['stop[1]', body({ stop: ['a', 5] })],
    ['stop', body({ stop: 'x'.repeat(1_001) })],
    ['stop[0]', body({ stop: ['x'.repeat(1_001)] })],
    ['stream', body({ stream: 'true' })],
    ['top_logprobs', body({ top_logprobs: 3 })],
    ['top_logprobs', body({ logprobs: false, top_logprobs: 3 })],
    ['stream_options', body({ stream: true, stream_options: true })],
    ['stream_options.include_usage', body({ stream: true, stream_options: { include_usage: 1 } })],
    ['n', body({ n: 0 })],
    ['n', body({ n: 129 })],
    ['n', body({ n: 1.5 })],
    ['user', body({ user: 5 })],
    ['seed', body({ seed: 'x' })],
    ['top_logprobs', body({ top_logprobs: 21 })],
    ['tools', body({ tools: {} })],
    ['tools[0]', body({ tools: ['now'] })],
    ['tools[0].type', body({ tools: [{}] })],
    ['tools[0].function', body({ tools: [{ type: 'function' }] })],
    [
      'tools[1].function.name',
      body({
        tools: [
          { type: 'function', function: { name: 'a' } },
          { type: 'function', function: {} },
        ],
      }),
    ],
    ['tool_choice', body({ tool_choice: 'maybe' })],
    ['tool_choice', body({ tools: TOOLS, tool_choice: chosen('then') })],
    ['tool_choice', body({ tools: TOOLS, tool_choice: allowed('then', 'later') })],
    ['tool_choice.function.name', body({ tool_choice: { type: 'function', function: {} } })],
    ['response_format', body({ response_format: 'json' })],
    ['response_format.type', body({ response_format: { type: 1 } })],
    ['response_format.json_schema', body({ response_format: { type: 'json_schema' } })],
    ['response_format.json_schema.name', body({ response_format: { type: 'json_schema', json_schema: {} } })],
    ['metadata', body({ metadata: 'x' })],
    ['store', body({ store: 'yes' })],
    ['models[1]', body({ models: ['a', 5] })],
    ['models', body({ models: Array.from({ length: 33 }, () => 'a') })],
    ['provider', body({ provider: 'acme' })],
    ['provider.order', body({ provider: { order: 'acme' } })],
    ['provider.sort', body({ provider: { sort: 'luck' } })],
    ['provider.max_price.prompt', body({ provider: { max_price: { prompt: -1 } } })],
    // The first of several, in the order they were sent.
    ['n', body({ n: 0, temperature: 9 })],
    ['temperature', body({ temperature: 9, n: 0 })],
  ]
  for (const [param, given] of cases) {
    test(`${param}: ${JSON.stringify(given).slice(0, 100)}`, () => {
      expect(paramOf(given)).toBe(param)
    })
  }

  test('a body that is no object is refused in words', () => {
    for (const given of [null, 5, 'text', [], [body()]]) {
      expect(decodeRequest(given)).toMatchObject({
        ok: false,
        refusal: { message: 'The request body must be a JSON object.', param: null },
      })
    }
  })
})

describe('a hostile request is harmless', () => {
  test('nesting beyond the bound is refused wherever it hides', () => {
    const bomb = nested(NESTING_DEPTH_MAX + 10)
    expect(paramOf(messages({ ...user, x: bomb }))).toBe('messages[0]')
    expect(paramOf(body({ tools: [{ type: 'custom', x: bomb }] }))).toBe('tools[0]')
    expect(paramOf(body({ metadata: { bomb } }))).toBe('metadata')
    expect(paramOf(body({ stream: true, stream_options: { bomb } }))).toBe('stream_options')
    expect(paramOf(body({ response_format: { type: 'x', bomb } }))).toBe('response_format')
    expect(paramOf(body({ metadata: { fine: nested(NESTING_DEPTH_MAX - 10) } }))).toBeUndefined()
  })

  test('a hundred thousand levels are refused without a stack overflow', () => {
    const text = `{"model":"m","messages":[{"role":"user","content":"Hi","x":${'['.repeat(1e5)}${']'.repeat(1e5)}}]}`
    let given: Json
    try {
      given = JSON.parse(text) as Json
    } catch {
      return // The parser itself refuses it: then no codec sees it.
    }
    expect(paramOf(given)).toBe('messages[0]')
  })

  test('keys that name parts of JavaScript objects change nothing', () => {
    const text = JSON.stringify(body()).replace(
      '{"model"',
      '{"__proto__":{"stream":true,"n":5},"constructor":{"prototype":{"x":1}},"toString":1,"model"',
    )
    const { unknownFields, ...read } = request(JSON.parse(text) as Json)
    expect(read).toEqual(request(body()))
    expect(unknownFields).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(read.extra)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})
