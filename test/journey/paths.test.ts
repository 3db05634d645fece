import { describe, expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { errorOf } from '../support/readAnswer.ts'
import { openaiError } from '../support/scriptedProvider.ts'
import { MODEL, type World, startWorld } from '../support/world.ts'
import { receiptOf } from '../support/receiptOf.ts'

const CHAT = '/v1/chat/completions'

describe('an unknown path under /v1', () => {
  test.each([
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/chat',
    `${CHAT}/x`,
    '/v1/chat%2Fcompletions',
    '/v1/embeddings',
    '/v1/keys',
  ])('%s is not_found for whoever has a key', async (path) => {
    await using world = await startWorld()
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await world.request(method, path)
      expect(response.status).toBe(404)
      expect(await errorOf(response)).toMatchObject({
        code: 'not_found',
        type: 'invalid_request_error',
        param: null,
      })
    }
    expect((await checkedFetch(world.url + path)).status).toBe(401)
  })
})

describe('a wrong method under /v1', () => {
  test.each([
    ['GET', CHAT, 'POST'],
    ['PUT', CHAT, 'POST'],
    ['DELETE', CHAT, 'POST'],
    ['POST', '/v1/models', 'GET'],
    ['DELETE', `/v1/models/${MODEL}`, 'GET'],
    ['POST', '/v1/models/nobody', 'GET'],
    ['POST', '/v1/key', 'GET'],
    ['PATCH', '/v1/credits', 'GET'],
    ['POST', '/v1/generation', 'GET'],
  ])('%s %s is method_not_allowed and tells what is', async (method, path, allow) => {
    await using world = await startWorld()
    const response = await world.request(method, path, method === 'GET' ? undefined : {})
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toContain(allow)
    expect(await errorOf(response)).toMatchObject({
      code: 'method_not_allowed',
      type: 'invalid_request_error',
      param: null,
    })
    expect((await checkedFetch(world.url + path, { method })).status).toBe(401)
  })

  test('OPTIONS without an origin is no preflight and needs a key like any other', async () => {
    await using world = await startWorld()
    expect((await checkedFetch(world.url + CHAT, { method: 'OPTIONS' })).status).toBe(401)
    expect((await world.request('OPTIONS', CHAT)).status).toBe(405)
  })
})

test('an unknown path and a wrong method count like every request: rate headers, and 429 when the minute is used up', async () => {
  await using world = await startWorld({ key: { requests_per_minute: 2 } })
  const answers = []
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['DELETE', CHAT],
    ['GET', '/v1/nothing'],
    ['DELETE', CHAT],
  ] as const) {
    const response = await world.request(method, path)
    answers.push([response.status, response.headers.get('x-ratelimit-remaining')])
    await response.text()
  }
  expect(answers).toEqual([
    [404, '1'],
    [405, '0'],
    [429, '0'],
    [429, '0'],
  ])
})

test('a stranger at an unknown path is asked for its key, whatever windows are used up, and counts nowhere', async () => {
  await using world = await startWorld({ key: { requests_per_minute: 1 } })
  for (const path of ['/v1/nothing', '/v1/models/a/b', CHAT]) {
    const response = await checkedFetch(world.url + path, { method: 'DELETE' })
    expect(response.status).toBe(401)
    expect(response.headers.get('x-ratelimit-limit')).toBeNull()
    await response.text()
  }
  expect((await world.request('GET', '/v1/nothing')).headers.get('x-ratelimit-remaining')).toBe('0')
  for (const method of ['GET', 'PUT', 'OPTIONS']) {
    for (const path of ['/v1/nothing', CHAT, `/v1/models/${MODEL}`]) {
      const response = await world.request(method, path)
      expect([method, path, response.status]).toEqual([method, path, 429])
      expect(await errorOf(response)).toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error' })
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      for (const name of ['limit', 'remaining', 'reset'])
        expect(response.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
    }
  }
})

test.each([
  ['GET', '/v1/nothing', 404],
  ['HEAD', '/v1/nothing', 404],
  ['PUT', CHAT, 405],
  ['HEAD', CHAT, 405],
  ['OPTIONS', CHAT, 405],
  ['DELETE', '/v1/models', 405],
  ['POST', `/v1/models/${MODEL}`, 405],
  ['PATCH', '/v1/generation', 405],
])('%s %s counts once in every window and has the rate headers', async (method, path, status) => {
  await using world = await startWorld({ key: { requests_per_minute: 5, requests_per_day: 9 } })
  for (const remaining of ['4', '3']) {
    const response = await world.request(method, path)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-ratelimit-limit')).toBe('5')
    expect(response.headers.get('x-ratelimit-remaining')).toBe(remaining)
    expect(Number(response.headers.get('x-ratelimit-reset'))).toBeGreaterThan(0)
    await response.text()
  }
})

describe('HEAD', () => {
  test.each(['/v1/models', `/v1/models/${MODEL}`, '/v1/key', '/v1/credits'])(
    '%s is GET without a body, and is counted',
    async (path) => {
      await using world = await startWorld()
      const response = await world.request('HEAD', path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toStartWith('application/json')
      expect(response.headers.get('x-ratelimit-remaining')).toBe('59')
      expect(await response.text()).toBe('')
      // The length of what GET would answer, not of the nothing that is here.
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(50)
      expect((await checkedFetch(world.url + path, { method: 'HEAD' })).status).toBe(401)
    },
  )

  test('of what only takes POST is 405', async () => {
    await using world = await startWorld()
    const response = await world.request('HEAD', CHAT)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })
})

describe('X-Request-ID', () => {
  test('is on every answer, and no two are the same', async () => {
    await using world = await startWorld()
    const asked: [string, string][] = [
      ['GET', '/v1/models'],
      ['GET', `/v1/models/${MODEL}`],
      ['GET', '/v1/models/nobody'],
      ['GET', '/v1/nothing'],
      ['DELETE', '/v1/models'],
      ['GET', '/v1/key'],
      ['GET', '/v1/generation'],
      ['GET', '/api/v1/public/models'],
      ['GET', '/api/v1/admin/workspaces'],
      ['GET', '/nothing'],
      ['GET', '/healthz'],
      ['POST', CHAT],
    ]
    const ids = await Promise.all(
      asked.map(
        async ([method, path]) => (await world.request(method, path)).headers.get('x-request-id') ?? '',
      ),
    )
    for (const id of ids) expect(id).toMatch(/^(req_|chatcmpl-)[0-9A-Z]{26}$/)
    expect(new Set(ids).size).toBe(asked.length)
  })

  test('of a chat completion is its id, also when it fails', async () => {
    await using world = await startWorld()
    const fine = await world.chat({ max_tokens: 5 })
    expect(fine.headers.get('x-request-id')).toBe(((await fine.json()) as { id: string }).id)
    world.provider.play(openaiError(401))
    const failed = await world.chat()
    const id = failed.headers.get('x-request-id') ?? ''
    expect(id).toStartWith('chatcmpl-')
    expect((await receiptOf(world.operations, id)).status).toBe(502)
  })

  test('is ours, whatever the caller sends', async () => {
    await using world = await startWorld()
    const response = await world.chat({ max_tokens: 5 }, { 'x-request-id': 'mine' })
    expect(response.headers.get('x-request-id')).toStartWith('chatcmpl-')
  })
})

describe('a browser', () => {
  const ORIGIN = 'https://app.example'

  function openTo(...origins: string[]): Promise<World> {
    return startWorld({ config: () => ({ server: { cors_origins: origins } }) })
  }

  function preflight(world: World, origin: string, path = CHAT): Promise<Response> {
    return checkedFetch(world.url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type',
      },
    })
  }

  test('of an allowed origin gets its preflight without a key', async () => {
    await using world = await openTo(ORIGIN, 'https://other.example')
    for (const path of [CHAT, '/v1/models']) {
      const response = await preflight(world, ORIGIN, path)
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN)
      expect(response.headers.get('access-control-allow-methods')).toContain('POST')
      expect(response.headers.get('access-control-allow-headers')).toMatch(/authorization.*content-type/)
      expect(response.headers.get('vary')).toContain('Origin')
      expect(response.headers.get('x-request-id')).toMatch(/^(req_|chatcmpl-)/)
    }
  })

  test.each([
    [
      'openai',
      'authorization,content-type,idempotency-key,openai-organization,openai-project,x-stainless-arch,x-stainless-helper-method,x-stainless-lang,x-stainless-os,x-stainless-package-version,x-stainless-retry-count,x-stainless-runtime,x-stainless-runtime-version,x-stainless-timeout',
    ],
    [
      'anthropic',
      'anthropic-beta,anthropic-dangerous-direct-browser-access,anthropic-version,content-type,x-api-key,x-stainless-os',
    ],
    ['a router’s client', 'authorization,content-type,http-referer,x-title'],
  ])('of an allowed origin may send what the SDK of %s sends', async (_, asked) => {
    await using world = await openTo(ORIGIN)
    const response = await checkedFetch(world.url + CHAT, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': asked,
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-headers')).toBe(asked)
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0)
    expect(response.headers.get('vary')).toContain('Access-Control-Request-Headers')
  })

  test('of an allowed origin may read answers, refusals and streams, and their headers', async () => {
    await using world = await openTo(ORIGIN)
    const answers = [
      await world.chat({ max_tokens: 5 }, { origin: ORIGIN }),
      await world.chat({ stream: true }, { origin: ORIGIN }),
      await world.chat({ n: 0 }, { origin: ORIGIN }),
      await world.request('GET', '/v1/models', undefined, { origin: ORIGIN, authorization: 'Bearer tg_no' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 401])
    for (const response of answers) {
      expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN)
      const exposed = response.headers.get('access-control-expose-headers')
      expect(response.headers.get('vary')).toBe('Origin')
      for (const name of [
        'x-request-id',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
        'retry-after',
        'x-should-retry',
        'deprecation',
        'sunset',
        'idempotent-replayed',
        'x-tollgate-dropped-fields',
      ])
        expect(exposed).toContain(name)
      await response.text()
    }
  })

  test.each([
    ['https://evil.example'],
    ['null'],
    ['https://app.example.evil.example'],
    ['http://app.example'],
  ])('of %s is told nothing', async (origin) => {
    await using world = await openTo(ORIGIN)
    const refused = await preflight(world, origin)
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
    expect(refused.headers.get('x-request-id')).toMatch(/^(req_|chatcmpl-)/)
    const response = await world.chat({ max_tokens: 5 }, { origin })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('of any origin is told nothing unless one is configured', async () => {
    await using world = await startWorld()
    const refused = await preflight(world, ORIGIN)
    expect(refused.status).toBe(403)
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('metrics know few endpoints, however many paths are asked for', async () => {
  await using world = await startWorld()
  const asked = ['/v1/models', '/v1/models/one', '/v1/models/two', '/v1/x1', '/v1/x2', CHAT]
  for (const path of asked) await (await checkedFetch(world.url + path)).text()
  const metrics = await (await fetch(`${world.url}/metrics`)).text()
  const lines = metrics.split('\n').filter((line) => line.startsWith('tollgate_requests_total{'))
  const names = lines.map((line) => /path="([^"]*)"/.exec(line)?.[1] ?? '').toSorted()
  expect(names).toEqual([CHAT, '/v1/models', '/v1/models/{model_id}', 'unknown'])
})
