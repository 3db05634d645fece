import { describe, expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { errorOf } from '../support/readAnswer.ts'
import { MODEL, type World, standardModel, startWorld } from '../support/world.ts'

const PATH = '/api/v1/public/models'

function worldOf(...models: Record<string, unknown>[]): Promise<World> {
  return startWorld({ config: () => ({ models }) })
}

/** Without a key. */
function ask(world: World, init: RequestInit = {}, path = PATH): Promise<Response> {
  return checkedFetch(world.url + path, init)
}

async function entries(world: World): Promise<Record<string, unknown>[]> {
  return (await (await ask(world)).json()) as Record<string, unknown>[]
}

test('is an array of entries with the fields of the contract, and no others', async () => {
  await using world = await worldOf(standardModel({ owned_by: 'ACME' }))
  const response = await ask(world)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toStartWith('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/)
  expect(await response.json()).toEqual([
    {
      model_id: MODEL,
      display_name: 'Acme Chat 1',
      provider: 'acme',
      category: 'chat',
      our_price: { input: 0.5, output: 1.5, unit: 'per 1M tokens' },
      official_price: { input: 1, output: 3, source: 'acme' },
      savings_percent: 50,
      capabilities: ['streaming', 'function_calling'],
      context_length: 128_000,
    },
  ])
})

test('needs no key and minds none', async () => {
  await using world = await startWorld()
  const headers = { authorization: 'Bearer tg_wrong' }
  expect((await ask(world, { headers })).status).toBe(200)
})

test.each([
  [{ input: 0.5, output: 1.5 }, { input: 1, output: 3, source: 'acme' }, 50],
  [{ input: 1, output: 1 }, { input: 1, output: 2, source: 'acme' }, 33.3],
  [{ input: 1, output: 3 }, { input: 1, output: 3, source: 'acme' }, 0],
  [{ input: 2, output: 2 }, { input: 1, output: 2, source: 'acme' }, -33.3],
  [{ input: 0, output: 0 }, { input: 1, output: 2, source: 'acme' }, 100],
])('our %j against %j saves %d percent', async (ours, official, percent) => {
  await using world = await worldOf(standardModel({ our_price: ours, official_price: official }))
  expect((await entries(world))[0]).toMatchObject({ official_price: official, savings_percent: percent })
})

test('without an official price there is none in the entry, and nothing is saved', async () => {
  await using world = await worldOf(standardModel({ official_price: undefined }))
  const [entry] = await entries(world)
  expect(entry).not.toHaveProperty('official_price')
  expect(entry).toHaveProperty('savings_percent', 0)
})

test.each(['chat', 'embedding', 'image', 'audio', 'video'])('names the category %s', async (category) => {
  await using world = await worldOf(standardModel({ category }))
  expect((await entries(world))[0]).toHaveProperty('category', category)
})

test('names all capabilities', async () => {
  const capabilities = ['streaming', 'function_calling', 'json_mode', 'vision']
  await using world = await worldOf(standardModel({ capabilities }))
  expect((await entries(world))[0]).toHaveProperty('capabilities', capabilities)
})

test('holds what is served, each model once, until it is retired', async () => {
  await using world = await worldOf(
    standardModel({ retired: { at: '2099-06-01', successor: 'acme/chat-2' } }),
    standardModel({ id: 'acme/chat-2', aliases: [], deprecated: { at: '2026-01-01' } }),
  )
  world.clock.set('2099-05-31T23:59:58Z')
  expect((await entries(world)).map((entry) => entry['model_id'])).toEqual([MODEL, 'acme/chat-2'])
  world.clock.set('2099-06-01T00:00:00Z')
  expect((await entries(world)).map((entry) => entry['model_id'])).toEqual(['acme/chat-2'])
})

describe('caching', () => {
  test('an unchanged list is 304, without a body, under the same tag', async () => {
    await using world = await startWorld()
    const first = await ask(world)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]+"$/)
    expect(first.headers.get('cache-control')).toMatch(/max-age=\d+/)
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask(world, { headers: { 'if-none-match': tag } })
      expect(again.status).toBe(304)
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('cache-control')).toMatch(/max-age=\d+/)
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
      expect(again.headers.get('x-request-id')).toStartWith('req_')
      expect(await again.text()).toBe('')
    }
    const other = await ask(world, { headers: { 'if-none-match': '"other"' } })
    expect(other.status).toBe(200)
  })

  test('a changed list has another tag', async () => {
    await using one = await startWorld()
    await using two = await worldOf(standardModel({ display_name: 'Another' }))
    const tags = await Promise.all([one, two].map(async (world) => (await ask(world)).headers.get('etag')))
    expect(tags[0]).not.toBe(tags[1] ?? '')
    one.gateway.reload(two.settings)
    expect((await ask(one)).headers.get('etag')).toBe(tags[1] ?? '')
  })
})

describe('from a browser', () => {
  test('any origin may read it', async () => {
    await using world = await startWorld()
    const response = await ask(world, { headers: { origin: 'https://shop.example' } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('a preflight is answered', async () => {
    await using world = await startWorld()
    const response = await ask(world, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toContain('GET')
    expect(response.headers.get('x-request-id')).toStartWith('req_')
  })
})

test('HEAD has the headers of GET and no body', async () => {
  await using world = await startWorld()
  const [get, head] = [await ask(world), await ask(world, { method: 'HEAD' })]
  expect(head.status).toBe(200)
  for (const name of ['etag', 'content-type', 'cache-control', 'access-control-allow-origin']) {
    expect(head.headers.get(name)).toBe(get.headers.get(name) ?? '')
  }
  expect(await head.text()).toBe('')
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is 405 and says what is allowed', async (method) => {
  await using world = await startWorld()
  const response = await ask(world, { method })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toContain('GET')
  expect(await errorOf(response)).toMatchObject({
    code: 'method_not_allowed',
    type: 'invalid_request_error',
    param: null,
  })
})

test.each(['/api/v1/public', '/api/v1/public/models/acme', '/api/v1/nothing', '/nothing'])(
  '%s is 404',
  async (path) => {
    await using world = await startWorld()
    const response = await ask(world, {}, path)
    expect(response.status).toBe(404)
    expect(await errorOf(response)).toMatchObject({ code: 'not_found', type: 'invalid_request_error' })
  },
)
