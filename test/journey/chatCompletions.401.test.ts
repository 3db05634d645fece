import { describe, expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { errorOf, rateOf } from '../support/readAnswer.ts'
import { type World, MODEL, startWorld } from '../support/world.ts'

const PATHS = [
  ['POST', '/v1/chat/completions'],
  ['GET', '/v1/models'],
  ['GET', `/v1/models/${MODEL}`],
  ['GET', '/v1/models/nobody'],
  ['GET', '/v1/key'],
  ['GET', '/v1/credits'],
  ['GET', '/v1/generation?id=chatcmpl-1'],
  ['GET', '/v1/generation'],
  ['GET', '/v1/nothing'],
  ['GET', '/v1'],
  ['GET', '/v1/'],
  ['DELETE', '/v1/models'],
  ['GET', '/v1/chat/completions'],
] as const

function ask(world: World, method: string, path: string, authorization?: string): Promise<Response> {
  return checkedFetch(world.url + path, {
    method,
    ...(authorization !== undefined && { headers: { authorization } }),
    ...(method === 'POST' && { body: 'no JSON' }),
  })
}

describe.each(PATHS)('%s %s', (method, path) => {
  test('without a key is missing_api_key', async () => {
    await using world = await startWorld()
    for (const authorization of [undefined, '', ' ', 'Bearer', 'Bearer ', 'bearer']) {
      const response = await ask(world, method, path, authorization)
      expect(response.status).toBe(401)
      expect(await errorOf(response)).toMatchObject({
        code: 'missing_api_key',
        type: 'authentication_error',
        param: null,
      })
    }
  })

  test('with a key that is none is invalid_api_key', async () => {
    await using world = await startWorld()
    const wrong = [
      'Bearer nonsense',
      'Bearer tg_',
      'Bearer tg_UNKNOWN0000000000000000000000000000000000000000000000',
      `Bearer ${world.secret.slice(0, -1)}`,
      `Bearer ${world.secret}X`,
      `Bearer ${world.secret.toLowerCase()}`,
      `Bearer ${world.secret} ${world.secret}`,
      `Bearer tg_${'A'.repeat(5000)}`,
      `Basic ${btoa(`user:${world.secret}`)}`,
      world.secret,
    ]
    for (const authorization of wrong) {
      const response = await ask(world, method, path, authorization)
      expect(response.status).toBe(401)
      const error = await errorOf(response)
      expect(error).toMatchObject({
        code: 'invalid_api_key',
        type: 'authentication_error',
        param: null,
      })
      expect(error.message).not.toContain(world.secret.slice(3))
      expect(rateOf(response)).toEqual({ limit: Number.NaN, remaining: Number.NaN, reset: Number.NaN })
    }
  })
})

test('a 401 counts against nothing and comes before every other refusal', async () => {
  await using world = await startWorld({ workspace: { requests_per_minute: 1 }, balance: '0' })
  for (let i = 0; i < 3; i++) {
    const response = await ask(world, 'POST', '/v1/chat/completions', 'Bearer tg_wrong')
    expect(response.status).toBe(401)
    await response.text()
  }
  const first = await world.request('GET', '/v1/models')
  expect(rateOf(first)).toMatchObject({ limit: 1, remaining: 0 })
  // Over the limit, without a balance, malformed, and still: 401.
  expect((await ask(world, 'POST', '/v1/chat/completions', 'Bearer tg_wrong')).status).toBe(401)
  expect(world.provider.requests).toHaveLength(0)
})

test('a revoked key is invalid from the next request on', async () => {
  await using world = await startWorld()
  expect((await world.request('GET', '/v1/models')).status).toBe(200)
  await world.operations.revokeKey(world.keyId)
  const response = await world.chat()
  expect(response.status).toBe(401)
  expect(await errorOf(response)).toMatchObject({ code: 'invalid_api_key' })
  expect(response.headers.get('x-request-id')).toStartWith('chatcmpl-')
})

test('a key is good until the moment it expires', async () => {
  await using world = await startWorld({ key: { expires_at: '2099-01-01T00:00:00Z' } })
  world.clock.set('2098-12-31T23:59:59.999Z')
  expect((await world.request('GET', '/v1/models')).status).toBe(200)
  world.clock.set('2099-01-01T00:00:00Z')
  const response = await world.request('GET', '/v1/models')
  expect(response.status).toBe(401)
  expect(await errorOf(response)).toMatchObject({ code: 'invalid_api_key' })
})

test('a rotated key works on for its overlap, the new one at once', async () => {
  await using world = await startWorld()
  const rotated = await world.operations.rotateKey(world.keyId, { overlap_seconds: 60 })
  const fresh = { authorization: `Bearer ${rotated.key}` }
  expect((await world.request('GET', '/v1/models', undefined, fresh)).status).toBe(200)
  expect((await world.request('GET', '/v1/models')).status).toBe(200)
  world.clock.advance(60_001)
  expect((await world.request('GET', '/v1/models', undefined, fresh)).status).toBe(200)
  expect((await world.request('GET', '/v1/models')).status).toBe(401)
})

test('the admin token is no key', async () => {
  await using world = await startWorld({
    config: () => ({ server: { admin_token: 'tg_admin_token_of_the_house' } }),
  })
  const response = await ask(world, 'GET', '/v1/models', 'Bearer tg_admin_token_of_the_house')
  expect(response.status).toBe(401)
})
