import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ask, jsonOf } from '../support/rawCaller.ts'
import { MODEL, type World, startWorld } from '../support/world.ts'

const ADMIN_TOKEN = 'admin-token-of-this-test'
const ADMIN = '/api/v1/admin'

/** What a Host header may hold, and never should. */
const HOSTS: readonly [what: string, host: string][] = [
  ['is empty', ''],
  ['has a space', 'a b'],
  ['has a bracket open', '[::1'],
  ['has two ports', 'host:4100:4100'],
  ['has a port that is none', 'host:port'],
  ['has a path', 'host/v1'],
  ['is a path', '/v1/models'],
  ['has a doubled slash', '//host'],
  ['has a query', 'host?a=/b'],
  ['has a fragment', 'host#a'],
  ['has a user', 'user@host'],
  ['has a backslash', '\\host'],
  ['is not ASCII', 'bücher.example'],
  ['has 10 KB', 'x'.repeat(10_000)],
]

let world: World

beforeAll(async () => {
  world = await startWorld({
    workspace: { requests_per_minute: 100_000 },
    config: () => ({ server: { admin_token: ADMIN_TOKEN } }),
  })
})
afterAll(() => world.stop())

/** An answer to one request; `lines` are what follows the request line. */
function answerTo(requestLine: string, lines: readonly string[] = [], body = ''): Promise<string> {
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  const head = [requestLine, ...lines, ...length, 'connection: close']
  return ask(world.gateway.port, `${head.join('\r\n')}\r\n\r\n${body}`)
}

const asCaller = () => `authorization: Bearer ${world.secret}`
const asOperator = `authorization: Bearer ${ADMIN_TOKEN}`

const CHAT_BODY = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Say hello' }] })

/** Every kind of endpoint hears its whole path and its query, whatever is beside them. */
async function expectAllReached(version: string, lines: readonly string[]): Promise<void> {
  const get = (path: string, ...more: string[]) =>
    answerTo(`GET ${path} HTTP/${version}`, [...lines, ...more])
  expect(jsonOf(await get('/healthz'))).toMatchObject({ status: 'ok' })
  expect(await answerTo(`HEAD /healthz HTTP/${version}`, lines)).toStartWith('HTTP/1.1 200 ')
  expect(await get('/?q=acme')).toContain('<html')
  expect(jsonOf(await get('/v1/models', asCaller()))).toMatchObject({ data: [{ id: MODEL }] })
  expect(jsonOf(await get(`/v1/models/${MODEL}`, asCaller()))).toMatchObject({ id: MODEL })
  expect(await get('/x/v1/models', asCaller())).toStartWith('HTTP/1.1 404 ')
  const receipt = jsonOf(await get('/v1/generation?id=req_nobody', asCaller()))
  expect(receipt).toMatchObject({ error: { message: expect.stringContaining('req_nobody') } })
  expect(await get(`${ADMIN}/workspaces`)).toStartWith('HTTP/1.1 401 ')
  const usage = jsonOf(await get(`${ADMIN}/usage?group_by=nonsense`, asOperator))
  expect(usage).toMatchObject({ error: { code: 'invalid_request', param: 'group_by' } })
  const post = (path: string, body: string, ...more: string[]) =>
    answerTo(`POST ${path} HTTP/${version}`, [...lines, ...more, 'content-type: application/json'], body)
  expect(jsonOf(await post('/v1/chat/completions', CHAT_BODY, asCaller()))).toMatchObject({
    object: 'chat.completion',
  })
  const made = await post(`${ADMIN}/workspaces`, '{"name":"made","type":"personal"}', asOperator)
  expect(jsonOf(made)).toMatchObject({ name: 'made' })
}

describe('every endpoint hears its whole path and query', () => {
  test.each(HOSTS)('when the Host header %s', async (_, host) => {
    await expectAllReached('1.1', [`host: ${host}`])
  })

  test('when an HTTP/1.0 client sends no Host header', async () => {
    await expectAllReached('1.0', [])
  })

  test('when the request line has the whole address', async () => {
    for (const [origin, host] of [
      ['http://gateway.example', 'gateway.example'],
      ['HTTP://gateway.example:4100', 'other.example'],
      ['https://gateway.example', 'a b'],
    ]) {
      const get = (path: string) => answerTo(`GET ${origin}${path} HTTP/1.1`, [`host: ${host}`, asCaller()])
      expect(await get('/healthz')).toStartWith('HTTP/1.1 200 ')
      expect(await get('')).toContain('<html')
      expect(jsonOf(await get('/v1/models'))).toMatchObject({ data: [{ id: MODEL }] })
      expect(await get('/v1/generation?id=req_nobody')).toContain('req_nobody')
    }
  })
})

test('HTTP/1.1 without a Host header is 400', async () => {
  expect(await answerTo('GET /healthz HTTP/1.1')).toStartWith('HTTP/1.1 400 ')
})

test.each([
  'CONNECT gateway.example:443',
  'GET *',
  'OPTIONS *',
  'GET healthz',
  'GET ?a=b',
  'GET ftp://gateway.example/healthz',
])('%s, which names no path, is 400 and the end of its connection', async (line) => {
  const answer = await answerTo(`${line} HTTP/1.1`, ['host: gateway.example'])
  expect(answer).toStartWith('HTTP/1.1 400 ')
  expect(answer.toLowerCase()).toContain('connection: close')
})

describe('slashes too many', () => {
  const get = (path: string, authorization = asCaller()) =>
    answerTo(`GET ${path} HTTP/1.1`, ['host: gateway.example', authorization])

  test.each(['/v1/models/', '//v1/models', '/v1//models', '//v1//models//'])(
    '%s lists the models',
    async (path) => {
      expect(jsonOf(await get(path))).toMatchObject({ object: 'list', data: [{ id: MODEL }] })
    },
  )

  test.each(['/v1/chat/completions/', '//v1/chat/completions', '/v1//chat//completions//'])(
    '%s completes a chat, whose id is that of its answer',
    async (path) => {
      const lines = ['host: gateway.example', asCaller(), 'content-type: application/json']
      const answer = await answerTo(`POST ${path} HTTP/1.1`, lines, CHAT_BODY)
      const { id } = jsonOf(answer) as { id: string }
      expect(id).toStartWith('chatcmpl-')
      expect(answer.toLowerCase()).toContain(`x-request-id: ${id}`.toLowerCase())
    },
  )

  test.each([`/v1/models/${MODEL}/`, `/v1//models/${MODEL}`, `//v1/models//acme%2Fchat-1/`])(
    '%s finds its model',
    async (path) => {
      expect(jsonOf(await get(path))).toMatchObject({ id: MODEL })
    },
  )

  test.each([
    ['/v1/models/acme//chat-1', 'acme//chat-1'],
    ['/v1/models/acme%2F%2Fchat-1', 'acme//chat-1'],
    ['/v1/models/acme%2Fchat-1%2F', 'acme/chat-1/'],
  ])('%s asks for another model, named as it was sent', async (path, id) => {
    const answer = await get(path)
    expect(answer).toStartWith('HTTP/1.1 404 ')
    expect(jsonOf(answer)).toMatchObject({
      error: { code: 'model_not_found', message: expect.stringContaining(`"${id}"`) },
    })
  })

  test.each(['/v1/key/', '/v1//credits', '/v1/generation/?id=req_nobody'])(
    '%s is answered as without',
    async (path) => {
      expect(await get(path)).toMatch(/^HTTP\/1\.1 (200|404) /)
      expect(await get(path)).not.toContain('There is no endpoint')
    },
  )

  test.each([
    '/healthz/',
    '//healthz',
    '/readyz/',
    '//',
    '/docs/',
    '//docs//errors//not_found/',
    '/openapi.json/',
    '/api/v1/public/models/',
    '//api/v1//public/models',
  ])('%s is 200', async (path) => {
    expect(await get(path)).toStartWith('HTTP/1.1 200 ')
  })

  test.each([`${ADMIN}/workspaces/`, `/${ADMIN}//workspaces`, '/api//v1/admin/models/'])(
    '%s of the admin API asks for its token, and is answered with it',
    async (path) => {
      expect(await get(path)).toStartWith('HTTP/1.1 401 ')
      expect(jsonOf(await get(path, asOperator))).toMatchObject({ next_cursor: null })
    },
  )

  test.each([
    '/v1/chat%2Fcompletions',
    '/v1%2fmodels/../../v1/chat%2Fcompletions',
    '/v1/%6dodels',
    '/v1/x//',
  ])('%s is no endpoint: 401, and 404 with a key', async (path) => {
    expect(await get(path, 'x: y')).toStartWith('HTTP/1.1 401 ')
    expect(jsonOf(await get(path))).toMatchObject({ error: { code: 'not_found' } })
  })
})

describe('a path that is not its own normal form', () => {
  const get = (path: string, ...lines: string[]) =>
    answerTo(`GET ${path} HTTP/1.1`, ['host: gateway.example', ...lines])

  test.each([
    '/api/v1/%61dmin/workspaces',
    '/api/v1\\admin/workspaces',
    '/docs/../api/v1/admin/workspaces',
    '/api/./v1/admin/workspaces',
    '/api/v1/x/%2e%2e/admin/workspaces',
    '/api/v1/admin/models/../workspaces',
    '/api/v1/admin/workspaces/.',
    '/x/../healthz',
    '/healthz/.',
    '/docs/errors\\not_found',
    `${'/x'.repeat(12)}${'/..'.repeat(12)}/api/v1/admin/workspaces`,
    'http://gateway.example/docs/../api/v1/admin/workspaces',
  ])('%s is 404, also for the operator, and not served as another', async (path) => {
    for (const lines of [[], [asOperator]]) {
      const answer = await get(path, ...lines)
      expect(answer).toStartWith('HTTP/1.1 404 ')
      expect(answer.toLowerCase()).toContain('x-request-id: req_')
      expect(jsonOf(answer)).toMatchObject({ error: { code: 'not_found' } })
    }
  })

  test.each([
    '/v1/../api/v1/admin/workspaces',
    '/v1\\models',
    '/x/../v1/models',
    '/api/v1/admin/../../../v1/models',
    '/v1/./models',
    '/v1/models/../key',
    '/v1/chat/../key',
  ])('%s, which comes from or leads to /v1, asks for a key, and is 404 with one', async (path) => {
    expect(await get(path, asOperator)).toStartWith('HTTP/1.1 401 ')
    const answer = await get(path, asCaller())
    expect(answer).toStartWith('HTTP/1.1 404 ')
    expect(answer.toLowerCase()).toContain('x-ratelimit-limit: ')
  })

  test('is none of those whose ids are percent-encoded, or which only end in dots', async () => {
    expect(jsonOf(await get('/v1/models/acme%2Fchat%2D1', asCaller()))).toMatchObject({ id: MODEL })
    const made = await answerTo(
      `POST ${ADMIN}/workspaces HTTP/1.1`,
      ['host: gateway.example', asOperator, 'content-type: application/json'],
      '{"name":"made","type":"personal"}',
    )
    const { id } = jsonOf(made) as { id: string }
    const encoded = id.replace('_', '%5F')
    expect(jsonOf(await get(`${ADMIN}/workspaces/${encoded}`, asOperator))).toMatchObject({ id })
    expect(jsonOf(await get('/v1/models/acme..', asCaller()))).toMatchObject({
      error: { code: 'model_not_found', message: expect.stringContaining('"acme.."') },
    })
  })
})
