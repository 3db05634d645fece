import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DATA_PLANE_ENDPOINTS } from '../../src/http/dataPlane/endpoints.ts'
import { rawCaller } from '../support/rawCaller.ts'
import { MODEL, type World, startWorld } from '../support/world.ts'

/** Where a key may come in, at every endpoint of the data plane. */

let world: World
let other: string
beforeAll(async () => {
  world = await startWorld({ workspace: { requests_per_minute: 10_000 } })
  other = (await world.operations.createKey(world.workspaceId, { name: 'other' })).key
})
afterAll(() => world[Symbol.asyncDispose]())

const ENDPOINTS = DATA_PLANE_ENDPOINTS.map(({ method, path }) => `${method} ${path}`)

/** Asks an endpoint with these headers and no other credential. */
function ask(endpoint: string, headers: Record<string, string>): Promise<Response> {
  const [method = '', path = ''] = endpoint.split(' ')
  const body = method === 'POST' ? '{"model":1}' : undefined
  return fetch(world.url + path.replace('{model_id}', MODEL), { method, headers, ...(body && { body }) })
}

/** The error of an answer, in whichever format its endpoint speaks. */
async function errorOf(response: Response): Promise<{ code: string; message: string }> {
  return ((await response.json()) as { error: { code: string; message: string } }).error
}

describe.each(ENDPOINTS)('%s', (endpoint) => {
  /** Whatever comes of the request: its key was taken. */
  async function expectTaken(headers: Record<string, string>): Promise<void> {
    const response = await ask(endpoint, headers)
    expect(response.status).not.toBe(401)
    expect(response.headers.get('x-ratelimit-limit')).toBe('10000')
    await response.text()
  }

  test('takes a key from either header', async () => {
    await expectTaken({ authorization: `Bearer ${world.secret}` })
    await expectTaken({ 'x-api-key': world.secret })
    await expectTaken({ 'x-api-key': ` ${world.secret} ` })
  })

  test('takes the one that begins with tg_ where both headers have something', async () => {
    await expectTaken({ authorization: `Bearer ${world.secret}`, 'x-api-key': 'sk-ant-anything' })
    await expectTaken({ authorization: 'Bearer sk-anything', 'x-api-key': world.secret })
    await expectTaken({ authorization: 'Basic YTpi', 'x-api-key': world.secret })
    await expectTaken({ authorization: `Bearer ${world.secret}`, 'x-api-key': world.secret })
    await expectTaken({ 'x-api-key': `Bearer ${world.secret}` })
  })

  test('takes one that a proxy sends twice', async () => {
    await expectTaken({ authorization: `Bearer ${world.secret}, Bearer ${world.secret}` })
    await expectTaken({ 'x-api-key': `${world.secret}, ${world.secret}` })
    await expectTaken({ authorization: `Bearer ${world.secret}`, 'x-api-key': `${world.secret}, sk-other` })
  })

  test('refuses two different keys, however good each is', async () => {
    for (const [one, two] of [
      [world.secret, other],
      [world.secret, 'tg_wrong'],
      ['tg_wrong', world.secret],
      [`${world.secret}, Bearer ${other}`, world.secret],
    ] as const) {
      const response = await ask(endpoint, { authorization: `Bearer ${one}`, 'x-api-key': two })
      expect(response.status).toBe(401)
      const error = await errorOf(response)
      expect(error).toMatchObject({ code: 'invalid_api_key', type: 'authentication_error' })
      expect(error.message).not.toContain('tg_w')
      expect(error.message).not.toContain(world.secret.slice(0, 8))
    }
  })

  test('takes no key in `Authorization` without its scheme', async () => {
    for (const apiKey of [undefined, 'sk-ant-x', other]) {
      const headers = { authorization: world.secret, ...(apiKey !== undefined && { 'x-api-key': apiKey }) }
      expect((await errorOf(await ask(endpoint, headers))).code).toBe('invalid_api_key')
    }
  })

  test('says that a key is missing only where no header has anything', async () => {
    expect((await errorOf(await ask(endpoint, {}))).code).toBe('missing_api_key')
    expect((await errorOf(await ask(endpoint, { authorization: 'Bearer' }))).code).toBe('missing_api_key')
    expect((await errorOf(await ask(endpoint, { 'x-api-key': ' ' }))).code).toBe('missing_api_key')
    expect((await errorOf(await ask(endpoint, { 'x-api-key': 'sk-ant-x' }))).code).toBe('invalid_api_key')
  })
})

describe('a WebSocket upgrade', () => {
  const UPGRADE = 'connection: Upgrade\r\nupgrade: WebSocket\r\nsec-websocket-version: 13\r\n'

  async function upgrade(path: string, key: string): Promise<string> {
    const caller = await rawCaller(Number(new URL(world.url).port))
    caller.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${UPGRADE}\r\n`)
    const answer = await caller.until('}}')
    caller.close()
    return answer
  }

  test.each(['/v1/responses', '/v1/chat/completions', '/v1/models'])(
    'is 426 at %s, with what is spoken here',
    async (path) => {
      const answer = await upgrade(path, world.secret)
      expect(answer).toStartWith('HTTP/1.1 426 ')
      expect(answer.toLowerCase()).toContain('\r\nupgrade: http/1.1\r\n')
      expect(answer).toContain('"code":"upgrade_required"')
    },
  )

  test('needs a key like everything else', async () => {
    expect(await upgrade('/v1/responses', 'tg_wrong')).toStartWith('HTTP/1.1 401 ')
  })

  test('to another protocol is an offer that is ignored', async () => {
    const response = await ask('GET /v1/models', {
      authorization: `Bearer ${world.secret}`,
      upgrade: 'h2c',
      connection: 'Upgrade',
    })
    expect(response.status).toBe(200)
    await response.text()
  })
})

describe('what agents ask before all else, without a key', () => {
  test.each(['/', '/api/hello'])('HEAD %s is 200 without a body', async (path) => {
    const response = await fetch(world.url + path, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })
})
