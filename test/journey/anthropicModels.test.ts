import Anthropic, { AuthenticationError, BadRequestError, RateLimitError } from '@anthropic-ai/sdk'
import { describe, expect, test } from 'bun:test'
import { rateOf } from '../support/readAnswer.ts'
import { rejectionOf } from '../support/rejection.ts'
import { MODEL, type World, type WorldOptions, standardModel, startWorld } from '../support/world.ts'

/** `GET /v1/models` and `GET /v1/models/{model_id}` for clients of Anthropic: those that send `anthropic-version`. */

const VERSION = { 'anthropic-version': '2023-06-01' }
const NOW = '2026-11-20T12:00:00Z'

/** Five models, none in the order of its age; the oldest says nothing of it. */
const MODELS = [
  standardModel({ created: '2025-03-01' }),
  standardModel({ id: 'acme/undated', aliases: [] }),
  standardModel({ id: 'acme/newest', created: '2025-06-01T10:00:00Z', aliases: ['new'] }),
  standardModel({
    id: 'acme/going',
    created: '2025-02-01',
    aliases: [],
    deprecated: { at: '2026-10-01', sunset: '2027-01-01' },
  }),
  standardModel({ id: 'acme/gone', created: '2025-05-01', aliases: [], retired: { at: '2026-01-01' } }),
  standardModel({ id: 'acme/ending', created: '2025-01-01', aliases: [], retired: { at: '2027-02-01' } }),
]
const NEWEST_FIRST = ['acme/newest', MODEL, 'acme/going', 'acme/ending', 'acme/undated']

function startModels(options: WorldOptions = {}): Promise<World> {
  return startWorld({ config: () => ({ models: MODELS }), at: NOW, ...options })
}

function clientOf(world: World, apiKey = world.secret): Anthropic {
  return new Anthropic({ baseURL: world.url, apiKey, maxRetries: 0 })
}

function ask(world: World, query: string): Promise<Response> {
  return world.request('GET', `/v1/models${query}`, undefined, VERSION)
}

describe('the official SDK', () => {
  test('lists the models, the newest first, page by page in both directions', async () => {
    await using world = await startModels()
    const { models } = clientOf(world)
    for (const limit of [undefined, 1000, 2, 1]) {
      const ids: string[] = []
      for await (const { id } of models.list(limit === undefined ? {} : { limit })) ids.push(id)
      expect(ids).toEqual(NEWEST_FIRST)
    }
    const backwards: string[][] = []
    for await (const page of (await models.list({ limit: 2, before_id: 'acme/undated' })).iterPages())
      backwards.push(page.data.map(({ id }) => id))
    expect(backwards).toEqual([
      ['acme/going', 'acme/ending'],
      ['acme/newest', MODEL],
    ])
  })

  test('shows a model by its id or an alias', async () => {
    await using world = await startModels()
    const { models } = clientOf(world)
    const shown = {
      type: 'model',
      id: 'acme/newest',
      display_name: 'Acme Chat 1',
      created_at: '2025-06-01T10:00:00Z',
      max_input_tokens: 128_000,
      max_tokens: 8192,
      capabilities: null,
      line: null,
      lifecycle: 'active',
      deprecated_at: null,
      retires_at: null,
    }
    for (const name of ['acme/newest', 'new']) {
      const { data, response } = await models.retrieve(name).withResponse()
      expect(data).toEqual(shown as Anthropic.ModelInfo)
      expect(response.headers.get('request-id')).toMatch(/^req_/)
    }
  })

  test('raises its own errors: a wrong key, a limit, a cursor that is none', async () => {
    await using world = await startModels({ key: { requests_per_minute: 1 } })
    expect(await rejectionOf(clientOf(world, 'tg_wrong').models.list())).toBeInstanceOf(AuthenticationError)
    const unknown = await rejectionOf(clientOf(world).models.list({ after_id: 'acme/none' }))
    expect(unknown).toBeInstanceOf(BadRequestError)
    expect(unknown).toMatchObject({
      requestID: expect.stringMatching(/^req_/),
      error: { type: 'error', error: { code: 'invalid_request', param: 'after_id' } },
    })
    expect(await rejectionOf(clientOf(world).models.list())).toBeInstanceOf(RateLimitError)
  })
})

describe('with anthropic-version', () => {
  test('a model that goes says since when and until when', async () => {
    await using world = await startModels()
    const { data } = (await (await ask(world, '')).json()) as { data: Anthropic.ModelInfo[] }
    const lifecycles = data.map(({ id, lifecycle, deprecated_at, retires_at }) => [
      id,
      lifecycle,
      deprecated_at,
      retires_at,
    ])
    expect(lifecycles).toEqual([
      ['acme/newest', 'active', null, null],
      [MODEL, 'active', null, null],
      ['acme/going', 'deprecated', '2026-10-01T00:00:00Z', '2027-01-01T00:00:00Z'],
      ['acme/ending', 'deprecated', null, '2027-02-01T00:00:00Z'],
      ['acme/undated', 'active', null, null],
    ])
    const undated = data.at(-1)
    expect(undated?.created_at).toBe('1970-01-01T00:00:00Z')
    const going = await ask(world, '/acme/going')
    expect(going.headers.get('sunset')).toBe('Fri, 01 Jan 2027 00:00:00 GMT')
  })

  test('a page has its first and last id, and says whether there are more', async () => {
    await using world = await startModels()
    const page = await ask(world, '?limit=2&after_id=acme/newest')
    expect(rateOf(page)).toMatchObject({ limit: 60, remaining: 59 })
    expect(await page.json()).toMatchObject({ first_id: MODEL, last_id: 'acme/going', has_more: true })
    const last = await ask(world, '?limit=2&after_id=acme/going')
    expect(await last.json()).toMatchObject({ last_id: 'acme/undated', has_more: false })
    const behind = await ask(world, '?after_id=acme/undated')
    expect(await behind.json()).toEqual({ data: [], first_id: null, last_id: null, has_more: false })
    expect(await (await ask(world, '?limit=5000')).json()).toMatchObject({ has_more: false })
  })

  test('the list is what workspace and key allow, and others are no cursors', async () => {
    await using world = await startModels({ key: { models: ['new'] } })
    expect(await (await ask(world, '')).json()).toMatchObject({ data: [{ id: 'acme/newest' }] })
    expect((await ask(world, `?after_id=${MODEL}`)).status).toBe(400)
  })

  test.each([
    ['?limit=0', 'limit'],
    ['?limit=-1', 'limit'],
    ['?limit=many', 'limit'],
    ['?limit=1.5', 'limit'],
    ['?limit=', 'limit'],
    ['?after_id=', 'after_id'],
    ['?before_id=acme/gone', 'before_id'],
    ['?before_id=new', 'before_id'],
    ['?before_id=acme/newest&after_id=acme/newest', 'before_id'],
  ])('%s is a 400 that names the parameter', async (query, param) => {
    await using world = await startModels()
    const response = await ask(world, query)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', code: 'invalid_request', param },
      request_id: response.headers.get('request-id'),
    })
  })

  test.each<[number, string, string, WorldOptions]>([
    [404, 'acme/none', 'model_not_found', {}],
    [404, 'acme/gone', 'model_not_found', {}],
    [403, MODEL, 'model_not_accessible', { key: { models: [] } }],
  ])('a model is %d where its caller cannot have it', async (status, id, code, options) => {
    await using world = await startModels(options)
    const response = await ask(world, `/${id}`)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { code, param: 'model' },
      request_id: response.headers.get('request-id'),
    })
  })
})

test('without anthropic-version list, model and errors are those of the contract', async () => {
  await using world = await startModels()
  const list = await world.request('GET', '/v1/models?limit=0&after_id=x')
  expect(list.headers.get('request-id')).toBeNull()
  expect(Object.keys((await list.json()) as object)).toEqual(['object', 'data'])
  const unknown = await world.request('GET', '/v1/models/acme/none')
  expect(Object.keys((await unknown.json()) as object)).toEqual(['error'])
})
