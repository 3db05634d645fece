import { describe, expect, test } from 'bun:test'
import { errorOf, jsonOf, rateOf } from '../support/readAnswer.ts'
import { MODEL, type World, type WorldOptions, standardModel, startWorld } from '../support/world.ts'

const CREATED = Date.UTC(2025, 5, 1) / 1000

/** Ids with everything that a path may trip over. */
const MODELS = [
  standardModel({ created: '2025-06-01', owned_by: 'ACME' }),
  standardModel({ id: 'plain', aliases: ['simple'] }),
  standardModel({ id: 'a/b/c:free', aliases: [] }),
  standardModel({ id: 'models/v1@x+y', aliases: [] }),
]

function manyModels(options: WorldOptions = {}): Promise<World> {
  return startWorld({ config: () => ({ models: MODELS }), ...options })
}

async function idsOf(response: Response): Promise<string[]> {
  const { data } = (await response.json()) as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

describe('GET /v1/models', () => {
  test('is a list of models with the fields of the contract, and no others', async () => {
    await using world = await manyModels()
    const response = await world.request('GET', '/v1/models')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toStartWith('application/json')
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/)
    expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
    const body = await jsonOf(response)
    expect(Object.keys(body).toSorted()).toEqual(['data', 'object'])
    expect(body['object']).toBe('list')
    expect((body['data'] as object[])[0]).toEqual({
      id: MODEL,
      object: 'model',
      created: CREATED,
      owned_by: 'acme',
    })
    expect(body['data']).toHaveLength(MODELS.length)
  })

  test('holds no alias and no retired model, and tells no upstream name', async () => {
    await using world = await startWorld({
      config: () => ({
        models: [
          standardModel({ retired: { at: '2099-06-01', successor: 'acme/chat-2' } }),
          standardModel({ id: 'acme/chat-2', aliases: [] }),
        ],
      }),
    })
    world.clock.set('2099-05-31T23:59:59Z')
    const before = await world.request('GET', '/v1/models')
    const text = await before.text()
    expect(text).toContain(MODEL)
    expect(text).not.toContain('"acme/chat"')
    expect(text).not.toContain('upstream')
    world.clock.set('2099-06-01T00:00:00Z')
    expect(await idsOf(await world.request('GET', '/v1/models'))).toEqual(['acme/chat-2'])
  })

  test.each<[string, WorldOptions, string[]]>([
    ['the workspace', { workspace: { models: ['plain'] } }, ['plain']],
    ['the key', { key: { models: ['plain', MODEL] } }, [MODEL, 'plain']],
    [
      'both',
      { workspace: { models: ['plain', MODEL] }, key: { models: ['plain', 'a/b/c:free'] } },
      ['plain'],
    ],
    ['the key, by alias', { key: { models: ['simple'] } }, ['plain']],
    ['the key, which is empty', { key: { models: [] } }, []],
  ])('holds what is on the list of %s', async (_, options, ids) => {
    await using world = await manyModels(options)
    expect(await idsOf(await world.request('GET', '/v1/models'))).toEqual(ids)
  })
})

describe('GET /v1/models/{model_id}', () => {
  test.each([
    [MODEL, MODEL],
    ['acme%2Fchat-1', MODEL],
    ['acme%2fchat-1', MODEL],
    ['%61cme/chat-1', MODEL],
    ['acme/chat', MODEL],
    ['acme%2Fchat', MODEL],
    ['plain', 'plain'],
    ['simple', 'plain'],
    ['a/b/c:free', 'a/b/c:free'],
    ['a%2Fb%2Fc%3Afree', 'a/b/c:free'],
    ['models/v1@x+y', 'models/v1@x+y'],
    ['models%2Fv1%40x%2By', 'models/v1@x+y'],
    [`${MODEL}?x=1`, MODEL],
  ])('%s is %s', async (name, id) => {
    await using world = await manyModels()
    const response = await world.request('GET', `/v1/models/${name}`)
    expect(response.status).toBe(200)
    const created = id === MODEL ? CREATED : expect.any(Number)
    expect(await response.json()).toEqual({ id, object: 'model', created, owned_by: 'acme' })
    expect(response.headers.get('x-request-id')).toStartWith('req_')
    expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
  })

  test.each([
    'nobody',
    'nobody/knows',
    'acme',
    'acme/chat-1%2F',
    'acme//chat-1',
    'ACME/chat-1',
    '%',
    '%zz',
    '%00',
    '__proto__',
  ])('%s is model_not_found', async (name) => {
    await using world = await manyModels()
    const response = await world.request('GET', `/v1/models/${name}`)
    expect(response.status).toBe(404)
    expect(await errorOf(response)).toMatchObject({
      code: 'model_not_found',
      type: 'invalid_request_error',
      param: 'model',
    })
    expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
  })

  test.each<WorldOptions>([{ workspace: { models: ['plain'] } }, { key: { models: ['plain'] } }])(
    'of a model that %j leaves out is model_not_accessible',
    async (options) => {
      await using world = await manyModels(options)
      for (const name of [MODEL, 'acme%2Fchat-1', 'acme/chat']) {
        const response = await world.request('GET', `/v1/models/${name}`)
        expect(response.status).toBe(403)
        expect(await errorOf(response)).toMatchObject({
          code: 'model_not_accessible',
          type: 'permission_error',
          param: 'model',
        })
      }
      expect((await world.request('GET', '/v1/models/plain')).status).toBe(200)
    },
  )

  test('of a deprecated model tells when it became so and when it ends', async () => {
    await using world = await startWorld({
      config: () => ({ models: [standardModel({ deprecated: { at: '2026-01-01', sunset: '2099-12-31' } })] }),
    })
    const response = await world.request('GET', `/v1/models/${MODEL}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('deprecation')).toBe(`@${Date.UTC(2026, 0, 1) / 1000}`)
    expect(response.headers.get('sunset')).toBe('Thu, 31 Dec 2099 00:00:00 GMT')
  })

  test('of a retired model is 404 and names the successor', async () => {
    await using world = await startWorld({
      config: () => ({
        models: [
          standardModel({ retired: { at: '2026-01-01', successor: 'acme/chat-2' } }),
          standardModel({ id: 'acme/chat-2', aliases: [] }),
        ],
      }),
    })
    const response = await world.request('GET', `/v1/models/${MODEL}`)
    expect(response.status).toBe(404)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model' })
    expect(error.message).toContain('acme/chat-2')
  })
})
