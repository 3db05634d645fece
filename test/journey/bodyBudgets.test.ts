import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { checkedFetch } from '../support/checkedFetch.ts'
import { type RawCaller, rawCaller } from '../support/rawCaller.ts'
import { errorOf, rateOf } from '../support/readAnswer.ts'
import { createGate, streams } from '../support/scriptedProvider.ts'
import { MESSAGES, MODEL, type World, standardModel, startWorld } from '../support/world.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** A chat request of exactly so many bytes. */
function bodyOf(bytes: number, more: Readonly<Record<string, unknown>> = {}): string {
  const empty = JSON.stringify({
    model: MODEL,
    max_tokens: 5,
    ...more,
    messages: [{ role: 'user', content: '' }],
  })
  const [head = '', tail = ''] = empty.split('"content":"')
  return `${head}"content":"${'x'.repeat(bytes - empty.length)}${tail}`
}

/** A caller that has sent the head of a chat request and so much of its body. */
async function begin(world: World, framing: string, sent = '', secret = world.secret): Promise<RawCaller> {
  const caller = await rawCaller(world.gateway.port)
  caller.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n${framing}\r\n\r\n${sent}`,
  )
  return caller
}

async function bytesInFlight(world: World): Promise<number> {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return Number(/^tollgate_request_body_bytes (\d+)$/m.exec(text)?.[1])
}

describe('a caller whose window is used up', () => {
  test.each([
    ['of the workspace', { workspace: { requests_per_minute: 1 } }],
    ['of the key', { key: { requests_per_minute: 1 } }],
    ['of the key for the day', { key: { requests_per_day: 1 } }],
  ])('%s is answered with 429 before its body is read', async (_, options) => {
    await using world = await startWorld(options)
    expect((await world.chat()).status).toBe(200)
    const caller = await begin(world, 'content-length: 1000', '{')
    const answer = await caller.until('rate_limit_exceeded')
    expect(answer).toStartWith('HTTP/1.1 429')
    expect(answer.toLowerCase()).toContain('x-ratelimit-remaining: 0')
    expect(answer.toLowerCase()).toMatch(/retry-after: [1-9]/)
    caller.close()
  })

  test.each([
    ['of unknown length', 'transfer-encoding: chunked'],
    ['that is large', `content-length: ${2 * MIB}`],
    ['that is compressed', 'content-encoding: gzip\r\ncontent-length: 1000'],
  ])('in another process is answered with 429 before a body %s is read', async (_, framing) => {
    await using world = await startWorld({ workspace: { requests_per_minute: 1 } })
    await using other = await startWorld({ databaseUrl: world.databaseUrl })
    expect((await world.chat()).status).toBe(200)
    const caller = await begin(other, framing, '', world.secret)
    expect(await caller.until('rate_limit_exceeded')).toStartWith('HTTP/1.1 429')
    caller.close()
  })

  test('is let through again by a higher limit, and by the next minute', async () => {
    await using world = await startWorld({ workspace: { requests_per_minute: 1 } })
    const now = Date.parse('2026-11-20T12:00:00Z')
    world.clock.set(now)
    expect((await world.chat()).status).toBe(200)
    expect((await world.chat()).status).toBe(429)
    await world.operations.updateWorkspace(world.workspaceId, { requests_per_minute: 2 })
    expect((await world.chat()).status).toBe(200)
    expect((await world.chat()).status).toBe(429)
    world.clock.set(now + 60_000)
    expect((await world.chat()).status).toBe(200)
  })

  test('is not counted by asking: a large body takes one request of its windows', async () => {
    await using world = await startWorld({ workspace: { requests_per_minute: 5 } })
    const response = await world.request('POST', '/v1/chat/completions', bodyOf(2 * MIB))
    expect(rateOf(response)).toMatchObject({ remaining: 4 })
    await response.text()
  })
})

describe('bytes of bodies in flight', () => {
  const LIMITS = {
    max_body_bytes: '100KiB',
    bodies_in_flight: { process: '250KiB', workspace: '250KiB', key: '150KiB' },
  }
  const config = () => ({ server: LIMITS })

  test("beyond a key's share are 503 with Retry-After, after the windows were asked; other keys are served", async () => {
    const gate = createGate()
    await using world = await startWorld({ config, provider: streams('a', gate, 'b') })
    const { key: other } = await world.operations.createKey(world.workspaceId, { name: 'other' })
    const first = await world.chat({
      stream: true,
      messages: [{ role: 'user', content: 'x'.repeat(90 * KIB) }],
    })
    expect(first.status).toBe(200)

    const refused = await world.request('POST', '/v1/chat/completions', bodyOf(90 * KIB))
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(rateOf(refused)).toMatchObject({ remaining: 58 })
    expect(await errorOf(refused)).toMatchObject({ code: 'service_unavailable', param: null })

    const served = await begin(world, `content-length: ${90 * KIB}`, bodyOf(90 * KIB), other)
    await world.provider.request(1)
    gate.open()
    expect(await served.until('chat.completion')).toStartWith('HTTP/1.1 200')
    expect(await first.text()).toEndWith('data: [DONE]\n\n')
    expect(await bytesInFlight(world)).toBe(0)
    const again = await world.request('POST', '/v1/chat/completions', bodyOf(90 * KIB))
    expect(again.status).toBe(200)
    await again.text()
    served.close()
  })

  /** The keys of this many further workspaces. */
  async function strangers(world: World, count: number): Promise<string[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const { id } = await world.operations.createWorkspace({ name: 'stranger', type: 'personal' })
        await world.operations.credit(id, { amount_usd: '1' })
        return (await world.operations.createKey(id, { name: 'stranger' })).key
      }),
    )
  }

  /** The part of a body that arrives before the rest is waited for. */
  const PART = '{"a":"'.padEnd(90 * KIB, 'x')

  test('are bounded for the process too', async () => {
    await using world = await startWorld({ config })
    const [a = '', b = '', c = ''] = await strangers(world, 3)
    const halves = await Promise.all(
      [a, b].map((key) => begin(world, `content-length: ${100 * KIB}`, PART, key)),
    )
    while ((await bytesInFlight(world)) < 180 * KIB);
    const third = await begin(world, `content-length: ${100 * KIB}`, '', c)
    expect(await third.until('service_unavailable')).toStartWith('HTTP/1.1 503')
    for (const half of halves) half.close()
    while ((await bytesInFlight(world)) > 0);
    const response = await world.request('POST', '/v1/chat/completions', bodyOf(100 * KIB))
    expect(response.status).toBe(200)
    await response.text()
    third.close()
  })

  test('of one workspace, by however many keys, leave half of the room to others', async () => {
    await using world = await startWorld({
      config: () => ({ server: { max_body_bytes: '100KiB', bodies_in_flight: { process: '400KiB' } } }),
    })
    const keys = await Promise.all(
      ['a', 'b', 'c'].map((name) => world.operations.createKey(world.workspaceId, { name })),
    )
    const [a = '', b = '', c = ''] = keys.map(({ key }) => key)
    const halves = await Promise.all(
      [a, b].map((key) => begin(world, `content-length: ${100 * KIB}`, PART, key)),
    )
    while ((await bytesInFlight(world)) < 180 * KIB);
    const third = await begin(world, `content-length: ${100 * KIB}`, '', c)
    expect(await third.until('service_unavailable')).toStartWith('HTTP/1.1 503')
    const [stranger = ''] = await strangers(world, 1)
    const served = await begin(world, `content-length: ${100 * KIB}`, bodyOf(100 * KIB), stranger)
    expect(await served.until('chat.completion')).toStartWith('HTTP/1.1 200')
    for (const caller of [...halves, third, served]) caller.close()
  })

  test('count as they arrive, not as they are declared: who sends nothing keeps no room from others', async () => {
    await using world = await startWorld({ config })
    const [a = '', b = '', c = ''] = await strangers(world, 3)
    const idle = await Promise.all(
      [a, b, c].map((key) => begin(world, `content-length: ${100 * KIB}`, '{"a":', key)),
    )
    while ((await bytesInFlight(world)) < 3 * 5);
    expect(await bytesInFlight(world)).toBe(3 * 5)
    const response = await world.request('POST', '/v1/chat/completions', bodyOf(100 * KIB))
    expect(response.status).toBe(200)
    await response.text()
    for (const caller of idle) caller.close()
  })

  test.each([
    ['of unknown length', 'transfer-encoding: chunked'],
    ['of declared length', `content-length: ${100 * KIB}`],
  ])(
    '%s that find no more room half-way are 503 with Retry-After, after the windows were asked',
    async (_, framing) => {
      await using world = await startWorld({ config })
      const wrap = (text: string) =>
        framing.startsWith('content') ? text : `${text.length.toString(16)}\r\n${text}\r\n`
      const second = await begin(world, framing, wrap(' '.repeat(60 * KIB)))
      while ((await bytesInFlight(world)) < 60 * KIB);
      const first = await begin(world, `content-length: ${100 * KIB}`, PART)
      while ((await bytesInFlight(world)) < 150 * KIB);
      second.write(wrap(' '.repeat(5 * KIB)))
      const answer = await second.until('service_unavailable')
      expect(answer).toStartWith('HTTP/1.1 503')
      expect(answer.toLowerCase()).toContain('retry-after: 1')
      expect(answer.toLowerCase()).toContain('x-ratelimit-remaining: 59')
      expect(await bytesInFlight(world)).toBe(90 * KIB)
      first.close()
      second.close()
    },
  )

  test('that find no room beside each other do not all fail: one of them gets through', async () => {
    await using world = await startWorld({ config: () => ({ server: { max_body_bytes: 4 * MIB } }) })
    // Alone one takes most of the room of a key; each of four is half read before there is none.
    const body = bodyOf(4 * MIB - KIB, { model: 'acme/not-there' })
    const headers = {
      authorization: `Bearer ${world.secret}`,
      'content-type': 'application/json',
      // The client of this runtime keeps the connection of a refused body open, and a stop would wait for it.
      connection: 'close',
    }
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () =>
          fetch(`${world.url}/v1/chat/completions`, { method: 'POST', headers, body }),
        ),
      )
      const statuses = answers.map(({ status }) => status)
      for (const answer of answers) await answer.text()
      expect([statuses, statuses.some((status) => status !== 503)]).toEqual([statuses, true])
    }
  })

  test('of large bodies leave room for small ones, of the same key too', async () => {
    await using world = await startWorld({
      config: () => ({
        server: { max_body_bytes: '100KiB', bodies_in_flight: { process: '100KiB', key: '100KiB' } },
      }),
    })
    const large = await begin(world, `content-length: ${100 * KIB}`, PART)
    while ((await bytesInFlight(world)) < 90 * KIB);
    const refused = await world.request('POST', '/v1/chat/completions', bodyOf(64 * KIB + 1))
    expect(refused.status).toBe(503)
    await refused.text()
    for (const bytes of [64 * KIB, 200]) {
      const response = await world.request('POST', '/v1/chat/completions', bodyOf(bytes))
      expect(response.status).toBe(200)
      await response.text()
    }
    large.close()
  })

  test('are given back by every ending', async () => {
    const gate = createGate()
    await using world = await startWorld({ provider: streams('a', gate) })
    expect((await world.chat({ model: 'nobody' })).status).toBe(404)
    expect((await world.chat({ messages: [] })).status).toBe(400)
    expect((await world.request('POST', '/v1/chat/completions', '{')).status).toBe(400)
    expect(await bytesInFlight(world)).toBe(0)
    const leaver = new AbortController()
    const left = await checkedFetch(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.secret}` },
      body: JSON.stringify({ model: MODEL, messages: MESSAGES, stream: true }),
      signal: leaver.signal,
    })
    expect(left.status).toBe(200)
    expect(await bytesInFlight(world)).toBeGreaterThan(0)
    leaver.abort()
    await world.settled()
    expect(await bytesInFlight(world)).toBe(0)
    gate.open()
    const answer = await world.chat({}, { 'idempotency-key': 'once' })
    const replay = await world.chat({}, { 'idempotency-key': 'once' })
    expect([answer.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(await bytesInFlight(world)).toBe(0)
  })

  test('hold the prompt once for each call that makes a choice', async () => {
    await using world = await startWorld({
      config: ({ baseUrl }) => ({
        server: LIMITS,
        providers: {
          acme: { wire: 'openai-chat', base_url: baseUrl, api_key: 'k', quirks: { supports_n: false } },
        },
        models: [standardModel()],
      }),
    })
    const refused = await world.request('POST', '/v1/chat/completions', bodyOf(60 * KIB, { n: 4 }))
    expect(refused.status).toBe(413)
    expect(await errorOf(refused)).toMatchObject({ code: 'request_too_large', param: 'n' })
    const taken = await world.request('POST', '/v1/chat/completions', bodyOf(60 * KIB, { n: 2 }))
    expect(taken.status).toBe(200)
    await taken.text()
    expect(world.provider.requests).toHaveLength(2)
    expect(await bytesInFlight(world)).toBe(0)
  })
})

describe('a body that would stall or swell the process', () => {
  test.each([
    ['nested', '[', 'nested more than 128 levels deep'],
    ['of too many values', '1,', 'more than 100000 values'],
    ['of an endless number', '9', 'a number of more than 100 digits'],
  ])('%s is a 400 by its first bytes, while the rest has not come', async (_, piece, words) => {
    await using world = await startWorld()
    const caller = await begin(world, `content-length: ${32 * MIB}`, `{"messages":[${piece.repeat(110_000)}`)
    const answer = await caller.until('invalid_request')
    expect(answer).toStartWith('HTTP/1.1 400')
    expect(answer).toContain(words)
    caller.close()
    expect((await world.chat()).status).toBe(200)
  })

  test('that comes byte by byte is a 400, and leaves nothing behind', async () => {
    await using world = await startWorld()
    const chunks = `${'1\r\nx\r\n'.repeat(100_000)}0\r\n\r\n`
    const caller = await begin(world, 'transfer-encoding: chunked', chunks)
    expect(await caller.until('invalid_request')).toStartWith('HTTP/1.1 400')
    expect(await bytesInFlight(world)).toBe(0)
    caller.close()
    expect((await world.chat()).status).toBe(200)
  })

  test.each([
    ['nested', '['.repeat(200)],
    ['of too many values', `{"a":[${'1,'.repeat(110_000)}1]}`],
  ])('hidden in the arguments of a tool call, %s, is a 400 that names them', async (_, text) => {
    await using world = await startWorld({
      config: ({ baseUrl }) => ({
        providers: { acme: { wire: 'anthropic-messages', base_url: baseUrl, api_key: 'k' } },
        models: [standardModel({ context_length: 1_000_000 })],
      }),
    })
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: text } }
    const response = await world.chat({
      messages: [
        ...MESSAGES,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: '' },
      ],
    })
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({
      code: 'invalid_request',
      param: 'messages[1].tool_calls[0].function.arguments',
    })
    expect(world.provider.requests).toHaveLength(0)
  })

  test('`user` is kept with each receipt: one that is longer than 512 characters is a 400', async () => {
    await using world = await startWorld()
    expect((await world.chat({ user: 'x'.repeat(512) })).status).toBe(200)
    const response = await world.chat({ user: 'x'.repeat(513) })
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'user' })
  })
})

describe('a body compressed with gzip', () => {
  function post(
    world: World,
    body: Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return checkedFetch(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.secret}`, 'content-encoding': 'gzip', ...headers },
      body,
    })
  }

  test('is taken, as if it had come as it is', async () => {
    await using world = await startWorld()
    const plain = bodyOf(200 * KIB)
    const response = await post(world, gzipSync(plain), { 'idempotency-key': 'a' })
    expect(response.status).toBe(200)
    await response.text()
    expect((await world.provider.request(0)).text).toContain('x'.repeat(100 * KIB))
    const twin = await world.request('POST', '/v1/chat/completions', plain, { 'idempotency-key': 'a' })
    expect(twin.headers.get('idempotent-replayed')).toBe('true')
  })

  /** Text that gzip makes about half as long. */
  function hexText(bytes: number): string {
    return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes / 2))).toString('hex')
  }

  test('counts with what comes out of it', async () => {
    await using world = await startWorld({ config: () => ({ server: { max_body_bytes: '40KiB' } }) })
    const body = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: hexText(60_000) }] })
    expect(gzipSync(body).byteLength).toBeLessThan(40 * KIB)
    const response = await post(world, gzipSync(body))
    expect(response.status).toBe(413)
    expect(await errorOf(response)).toMatchObject({ code: 'request_too_large' })
    expect(await bytesInFlight(world)).toBe(0)
  })

  test('that holds far more than its size is a 400 that says so, takes no room, and ends its connection', async () => {
    await using world = await startWorld()
    const bomb = gzipSync(bodyOf(32 * MIB - 100))
    expect(bomb.byteLength).toBeLessThan(100 * KIB)
    const response = await post(world, bomb)
    expect(response.status).toBe(400)
    expect(response.headers.get('connection')).toBe('close')
    expect((await errorOf(response)).message).toContain('more than 20 times its size')
    expect(await bytesInFlight(world)).toBe(0)
  })

  test('that goes on and holds nothing is refused, by its window or by a 400, and its connection is closed', async () => {
    await using world = await startWorld({ workspace: { requests_per_minute: 1 } })
    const chunk = (bytes: Uint8Array) =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
    const head = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
    const block = Buffer.from('000000ffff'.repeat(2_000), 'hex')
    const callers = [1, 2].map(async () => {
      const caller = await begin(world, 'content-encoding: gzip\r\ntransfer-encoding: chunked')
      caller.write(chunk(head))
      return caller
    })
    while ((await bytesInFlight(world)) < 2 * head.length);
    for (const caller of await Promise.all(callers)) {
      for (let blocks = 0; blocks < 20; blocks++) caller.write(chunk(block))
    }
    const answers = await Promise.all(
      callers.map(async (opened) => {
        const caller = await opened
        await caller.closed
        return caller.text()
      }),
    )
    expect(answers.map((answer) => answer.slice(0, 12)).toSorted()).toEqual(['HTTP/1.1 400', 'HTTP/1.1 429'])
    expect(answers.join('')).toContain('larger than what it holds')
    expect(await bytesInFlight(world)).toBe(0)
  })

  test('that is none, or is cut, is a 400 that says so', async () => {
    await using world = await startWorld()
    const whole = gzipSync(bodyOf(10 * KIB))
    for (const body of [new TextEncoder().encode(bodyOf(200)), whole.subarray(0, -10)]) {
      const response = await post(world, body)
      expect(response.status).toBe(400)
      expect((await errorOf(response)).message).toContain('gzip')
    }
  })

  test.each(['br', 'deflate', 'zstd', 'gzip, gzip'])(
    'in another way, %s, is a 400 that names what is taken',
    async (coding) => {
      await using world = await startWorld()
      const response = await post(world, gzipSync('{}'), { 'content-encoding': coding })
      expect(response.status).toBe(400)
      expect(response.headers.get('accept-encoding')).toBe('gzip')
      expect((await errorOf(response)).message).toContain('gzip')
    },
  )
})
