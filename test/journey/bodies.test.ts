import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { errorOf } from '../support/readAnswer.ts'
import { MESSAGES, MODEL, type World, startWorld } from '../support/world.ts'

const LIMIT = 32 * 1024 * 1024

let world: World

beforeAll(async () => {
  world = await startWorld({
    workspace: { requests_per_minute: 1_000_000 },
    config: () => ({ server: { max_body_bytes: LIMIT } }),
  })
})
afterAll(() => world.stop())

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

function post(body: Body, to: World = world): Promise<Response> {
  return checkedFetch(`${to.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${to.secret}`, 'content-type': 'application/json' },
    body,
  })
}

/** A request body with this JSON text as the value of a field. */
function withField(field: string, json: string): string {
  const base = JSON.stringify({ model: MODEL, max_tokens: 5, messages: MESSAGES })
  return `${base.slice(0, -1)},${JSON.stringify(field)}:${json}}`
}

function withContent(json: string): string {
  return `{"model":"${MODEL}","max_tokens":5,"messages":[{"role":"user","content":${json}}]}`
}

/** Refused with a clear 400, nothing sent, nothing booked, and the next request is answered. */
async function refuses(body: Body, param: string | null): Promise<string> {
  const ledger = await world.ledger()
  const sent = world.provider.requests.length
  const response = await post(body)
  expect(response.status).toBe(400)
  const error = await errorOf(response)
  expect(error).toMatchObject({ code: 'invalid_request', type: 'invalid_request_error', param })
  expect(await world.ledger()).toEqual(ledger)
  expect(world.provider.requests).toHaveLength(sent)
  const next = await world.chat({ max_tokens: 5 })
  expect(next.status).toBe(200)
  await next.text()
  return error.message
}

/** Answered; gives what the provider was sent. */
async function takes(body: Body): Promise<string> {
  const sent = world.provider.requests.length
  const response = await post(body)
  expect(response.status).toBe(200)
  await response.text()
  return (await world.provider.request(sent)).text
}

describe('a body that is no JSON', () => {
  test.each([
    '',
    ' ',
    '\n',
    '{',
    '}',
    'x',
    '"',
    '{"model":}',
    "{'model':'x'}",
    '{"a":1}{',
    'NaN',
    '{"a":01}',
    '\u0000',
    'undefined',
    '{"a":1,}',
  ])('%j is a 400 that says so', async (body) => {
    expect(await refuses(body, null)).toMatch(/JSON/)
  })

  test('is not quoted back', async () => {
    expect(await refuses('{"messages": my-secret-prompt }', null)).not.toContain('my-secret-prompt')
  })
})

describe('JSON that is no object', () => {
  test.each(['null', 'true', '0', '"text"', '[]', '[{}]', '{}'])('%s is a 400', async (body) => {
    const message = await refuses(body, body === '{}' ? 'model' : null)
    if (body !== '{}') expect(message).toContain('object')
  })
})

describe('every field of another type', () => {
  const FIELDS = [
    'model',
    'messages',
    'temperature',
    'max_tokens',
    'max_completion_tokens',
    'top_p',
    'frequency_penalty',
    'presence_penalty',
    'stop',
    'stream',
    'n',
    'user',
    'seed',
    'logprobs',
    'top_logprobs',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'response_format',
    'reasoning_effort',
    'logit_bias',
    'metadata',
    'functions',
    'function_call',
    'modalities',
    'audio',
    'prediction',
    'service_tier',
    'store',
    'verbosity',
    'web_search_options',
    'prompt_cache_key',
    'safety_identifier',
    'models',
    'provider',
  ]
  /** Fields for which a value of that type is the right one, or may be. */
  const RIGHT: Record<string, readonly string[]> = {
    '"text"': [
      'model',
      'stop',
      'user',
      'reasoning_effort',
      'function_call',
      'service_tier',
      'verbosity',
      'prompt_cache_key',
      'safety_identifier',
    ],
    '1.5': ['temperature', 'frequency_penalty', 'presence_penalty'],
    true: ['stream', 'logprobs', 'parallel_tool_calls', 'store'],
    '{}': [
      'logit_bias',
      'metadata',
      'audio',
      'prediction',
      'web_search_options',
      'function_call',
      'provider',
      // Empty means absent.
      'tool_choice',
      'response_format',
    ],
    '[]': ['stop', 'tools', 'functions', 'modalities', 'models'],
  }
  const rows = Object.entries(RIGHT).flatMap(([json, right]) =>
    FIELDS.filter((field) => !right.includes(field)).map((field) => [field, json] as const),
  )

  test.each(rows)('%s: %s is a 400 that names it', async (field, json) => {
    // The last of two equal keys holds.
    const message = await refuses(withField(field, json), field)
    expect(message).toContain(field)
  })
})

describe('a body of many messages', () => {
  test('10,000 are taken', async () => {
    const messages = Array.from({ length: 10_000 }, (_, i) => ({
      role: i % 2 ? 'assistant' : 'user',
      content: `m${i}`,
    }))
    const sent = await takes(JSON.stringify({ model: MODEL, max_tokens: 5, messages }))
    expect(JSON.parse(sent)).toMatchObject({ messages: { length: 10_000 } })
  })

  test('the one at fault among 10,000 is named', async () => {
    const messages: object[] = Array.from({ length: 10_000 }, () => ({ role: 'user', content: 'Hi' }))
    messages[9_999] = { role: 'user', content: 7 }
    await refuses(JSON.stringify({ model: MODEL, messages }), 'messages[9999].content')
  })
})

describe('a body nested 100,000 deep', () => {
  const DEPTH = 100_000
  const bombs = {
    arrays: '['.repeat(DEPTH) + ']'.repeat(DEPTH),
    objects: '{"a":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH),
    both: '[{"a":'.repeat(DEPTH / 2) + '1' + '}]'.repeat(DEPTH / 2),
  }

  test.each(Object.entries(bombs))('as a whole is a 400: %s', async (_, bomb) => {
    const response = await post(bomb)
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request' })
    expect((await world.chat({ max_tokens: 5 })).status).toBe(200)
  })

  test.each(Object.entries(bombs))('and never closed is a 400: %s', async (_, bomb) => {
    await refuses(bomb.slice(0, bomb.length / 2), null)
  })

  const fields = [
    'tools',
    'tool_choice',
    'response_format',
    'logit_bias',
    'metadata',
    'stop',
    'messages',
    'functions',
    'stream_options',
    'models',
    'model',
  ]
  const rows = fields.flatMap((field) =>
    Object.entries(bombs).map(([kind, bomb]) => [field, kind, bomb] as const),
  )

  test.each(rows)('in %s is a 400: %s', async (field, _, bomb) => {
    const body =
      field === 'stream_options'
        ? withField('stream', `true,"stream_options":${bomb}`)
        : withField(field, bomb)
    const response = await post(body)
    expect(response.status).toBe(400)
    const { code, param } = await errorOf(response)
    expect(code).toBe('invalid_request')
    if (param !== null) expect(param).toStartWith(field)
    expect((await world.chat({ max_tokens: 5 })).status).toBe(200)
  })

  test.each(Object.entries(bombs))('within a message is a 400: %s', async (_, bomb) => {
    for (const message of [
      `{"role":"user","content":${bomb}}`,
      `{"role":"user","content":"Hi","x":${bomb}}`,
      `{"role":"user","content":[{"type":"y","x":${bomb}}]}`,
    ]) {
      const response = await post(`{"model":"${MODEL}","messages":[${message}]}`)
      expect(response.status).toBe(400)
      expect(await errorOf(response)).toMatchObject({ code: 'invalid_request' })
    }
    expect((await world.chat({ max_tokens: 5 })).status).toBe(200)
  })

  test.each(Object.entries(bombs))('in a field nobody knows does no harm: %s', async (_, bomb) => {
    const response = await post(withField('unknown', bomb))
    expect([200, 400]).toContain(response.status)
    await response.text()
    expect((await world.chat({ max_tokens: 5 })).status).toBe(200)
  })
})

describe('keys that mean something to JavaScript', () => {
  test('at the top are unknown fields', async () => {
    const hostile =
      '"__proto__":{"n":3,"stream":true},"constructor":{"prototype":{"n":3}},"toString":1,"hasOwnProperty":1'
    const sent = JSON.parse(await takes(`${withContent('"Hi"').slice(0, -1)},${hostile}}`)) as object
    expect(Object.keys(sent).toSorted()).toEqual(['max_tokens', 'messages', 'model'])
  })

  test('as the whole request leave nothing to read', async () => {
    await refuses(`{"__proto__":${withContent('"Hi"')}}`, 'model')
  })

  test('within messages pollute nothing', async () => {
    await takes(
      withContent(
        '[{"type":"text","text":"Hi","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]',
      ),
    )
    await takes(withField('metadata', '{"__proto__":{"polluted":1}}'))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(await (await world.chat({ max_tokens: 5 })).json()).not.toHaveProperty('polluted')
  })

  test.each(['__proto__', 'constructor', 'toString'])('as a role or model: %s', async (name) => {
    await refuses(withField('messages', `[{"role":"${name}","content":"Hi"}]`), 'messages[0].role')
    expect((await post(withField('model', `"${name}"`))).status).toBe(404)
  })
})

describe('text that is no text', () => {
  test('lone surrogates go through as they came', async () => {
    const sent = await takes(withContent(String.raw`"a\ud800b\udc00c"`))
    expect(sent.toLowerCase()).toContain(String.raw`a\ud800b\udc00c`)
  })

  test('a NUL goes through, and into the books', async () => {
    await takes(withField('user', String.raw`"a\u0000b\ud800"`))
    const { data } = await world.operations.requests({ limit: '1' })
    expect(data).toHaveLength(1)
  })

  test.each([
    ['a byte that never is one', [0xff]],
    ['a continuation alone', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut sequence', [0xe2, 0x82]],
  ])('%s in the body is a 400 that says so', async (_, bytes) => {
    const [before = '', after = ''] = withContent('"HERE"').split('HERE')
    const body = Uint8Array.from([
      ...new TextEncoder().encode(before),
      ...bytes,
      ...new TextEncoder().encode(after),
    ])
    expect(await refuses(body, null)).toContain('UTF-8')
    const chunked = new Response(body).body as ReadableStream<Uint8Array>
    expect(await refuses(chunked, null)).toContain('UTF-8')
  })

  test('UTF-16 is a 400', async () => {
    const text = withContent('"Hi"')
    const body = new Uint8Array(text.length * 2)
    for (let i = 0; i < text.length; i++) body[2 * i] = text.charCodeAt(i)
    await refuses(body, null)
  })

  test('a byte order mark is no harm', async () => {
    await takes(new TextEncoder().encode(`\ufeff${withContent('"Hi"')}`))
  })
})

test('of duplicate keys the last one holds, here and at the provider', async () => {
  const sent = await takes(
    `{"model":"nobody","model":"${MODEL}","messages":[],"messages":[{"role":"user","role":"system","content":"a","content":"b"}],"max_tokens":-1,"max_tokens":7}`,
  )
  expect(JSON.parse(sent)).toEqual({
    model: 'upstream-chat-1',
    messages: [{ role: 'system', content: 'b' }],
    max_tokens: 7,
  })
  expect(sent).not.toContain('"a"')
  await refuses(`{"model":"${MODEL}","messages":[{"role":"user","content":"a"}],"n":1,"n":0}`, 'n')
})

describe('numbers beyond measure', () => {
  test.each([
    ['max_tokens', '1e400'],
    ['max_tokens', '-1e400'],
    ['max_tokens', '9007199254740993'],
    ['max_tokens', '1e21'],
    ['max_tokens', '0.1'],
    ['n', '1e400'],
    ['n', '1e308'],
    ['temperature', '1e400'],
    ['temperature', '-1e-400000000000000000000,"temperature":-0.1'],
    ['top_p', '1.0000000000000003'],
    ['seed', '1e400'],
    ['seed', '123456789012345678901234567890'],
    ['frequency_penalty', '1e308'],
    ['messages', '1e400'],
    ['model', '1e400'],
  ])('%s: %s is a 400 that names it', async (field, json) => {
    await refuses(withField(field, json), field)
  })

  test('the largest integer for max_tokens is cut to what the model can do', async () => {
    const sent = await takes(withField('max_tokens', '9007199254740991'))
    expect(JSON.parse(sent)).toMatchObject({ max_tokens: 8192 })
  })

  test('a number of 100 digits is read, a longer one refused', async () => {
    await refuses(withField('temperature', '9'.repeat(100)), 'temperature')
    expect(await refuses(withField('temperature', '9'.repeat(101)), null)).toContain('100 digits')
  })
})

test('an integer may be written as a float', async () => {
  expect(JSON.parse(await takes(withField('max_tokens', '7.0')))).toMatchObject({ max_tokens: 7 })
  expect(JSON.parse(await takes(withField('max_tokens', '7e0')))).toMatchObject({ max_tokens: 7 })
})

test('a body that its sender does not finish leaves nothing behind', async () => {
  await using own = await startWorld()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: own.gateway.port,
    socket: { data() {}, close: () => resolve() },
  })
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${own.secret}\r\ncontent-length: 1000\r\n\r\n{"model":`,
  )
  socket.end()
  await closed
  expect((await own.chat({ max_tokens: 5 })).status).toBe(200)
  expect(await own.balance()).toMatchObject({ held: '0.00' })
  expect(own.provider.requests).toHaveLength(1)
})
