import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenApiDocument } from '../../../src/http/openapi.ts'
import { rejectionOf } from '../../support/rejection.ts'
import { receiptOf } from '../../support/receiptOf.ts'
import { hang, inTurn, openaiError, respond } from '../../support/scriptedProvider.ts'
import {
  type World,
  type WorldOptions,
  standardConfig,
  standardModel,
  startWorld,
} from '../../support/world.ts'
import { rerank } from './rerank.ts'

/** An endpoint that is not of chat, at two cents for each document: it has everything that a call has. */

const PRICE = { input: 20_000, output: 0 }
const MODEL = 'acme/rerank-1'
const ASKED = { model: MODEL, query: 'cheese', documents: ['wine', 'brie', 'bread'] }
const RANKED = respond({ body: { order: [1, 2, 0], usage: { documents: 3 } } })

function startReranking(options: WorldOptions = {}): Promise<World> {
  return startWorld({
    provider: RANKED,
    endpoints: [rerank],
    config: (provider) => ({
      ...standardConfig(provider),
      models: [
        standardModel(),
        standardModel({
          id: MODEL,
          aliases: [],
          our_price: PRICE,
          official_price: undefined,
          max_output_tokens: 1,
        }),
      ],
    }),
    ...options,
  })
}

function ask(world: World, body: object = ASKED, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.url}/v1/rerank`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.secret}`, ...headers },
    body: JSON.stringify(body),
  })
}

async function charges(world: World): Promise<string[]> {
  await world.settled()
  return (await world.ledger()).filter(({ kind }) => kind === 'charge').map(({ amount_usd }) => amount_usd)
}

describe('a call', () => {
  test('is charged for each document, as its provider counts them', async () => {
    await using world = await startReranking()
    const response = await ask(world)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-ratelimit-remaining')).toBe('59')
    const answer = await response.json()
    expect(answer).toEqual({
      id: expect.stringMatching(/^rerank-/),
      model: MODEL,
      order: [1, 2, 0],
      usage: { documents: 3 },
    })
    expect(response.headers.get('x-request-id')).toBe((answer as { id: string }).id)
    expect(await charges(world)).toEqual(['0.06'])
    expect(await world.balance()).toEqual({ balance: '9.94', held: '0.00' })
    expect((await world.provider.request()).body).toEqual({ ...ASKED, model: 'upstream-chat-1' })
  })

  test('is counted by the gateway where the provider reports nothing, and its receipt says so', async () => {
    await using world = await startReranking({ provider: respond({ body: { order: [0] } }) })
    const { id } = (await (await ask(world)).json()) as { id: string }
    expect(await charges(world)).toEqual(['0.06'])
    expect(await receiptOf(world.operations, id)).toMatchObject({
      status: 200,
      charge_usd: '0.06',
      usage: { source: 'estimated' },
    })
  })

  test('holds all that it can cost, so that no balance is overspent by many at the same time', async () => {
    await using world = await startReranking({ balance: '0.20' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(world)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    expect(statuses.filter((status) => status === 402)).toHaveLength(5)
    expect(await charges(world)).toEqual(['0.06', '0.06', '0.06'])
  })

  test('is repeated with its Idempotency-Key at no cost', async () => {
    await using world = await startReranking()
    const key = { 'idempotency-key': 'once' }
    const first = await (await ask(world, ASKED, key)).text()
    const again = await ask(world, ASKED, key)
    expect([again.headers.get('idempotent-replayed'), await again.text()]).toEqual(['true', first])
    expect((await ask(world, { ...ASKED, query: 'tea' }, key)).status).toBe(409)
    expect(await charges(world)).toEqual(['0.06'])
  })

  test('is tried again where the provider fails, and costs nothing where it goes on failing', async () => {
    await using world = await startReranking({ provider: inTurn(openaiError(500), RANKED) })
    expect((await ask(world)).status).toBe(200)
    world.provider.play(openaiError(500))
    expect((await ask(world)).status).toBe(502)
    world.provider.play(respond({ body: { ranking: [] } }))
    expect((await ask(world)).status).toBe(502)
    expect(await charges(world)).toEqual(['0.06'])
    expect((await world.balance()).held).toBe('0.00')
  })

  test('is aborted when its caller leaves, and pays for what was sent', async () => {
    await using world = await startReranking({ provider: hang() })
    const left = new AbortController()
    const asking = fetch(`${world.url}/v1/rerank`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.secret}` },
      body: JSON.stringify(ASKED),
      signal: left.signal,
    })
    await world.provider.request()
    left.abort()
    await rejectionOf(asking)
    await world.provider.abortSeen()
    expect(await charges(world)).toEqual(['0.06'])
  })
})

describe('a refusal', () => {
  let world: World
  beforeAll(async () => {
    world = await startReranking({ workspace: { requests_per_minute: 1_000 } })
  })
  afterAll(() => world.stop())

  test.each([
    [400, 'invalid_request', 'documents', { ...ASKED, documents: 3 }],
    [404, 'model_not_found', 'model', { ...ASKED, model: 'acme/none' }],
    [402, 'insufficient_balance', null, { ...ASKED, documents: Array.from({ length: 501 }, () => '') }],
  ])('%d %s is in the words of its own format', async (status, code, field, body) => {
    const response = await ask(world, body)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-request-id')).toStartWith('rerank-')
    expect(await response.json()).toEqual({ detail: expect.any(String), code, field })
  })

  test('of a stranger, of another method and of a body that is not JSON is so, too', async () => {
    const stranger = await ask(world, ASKED, { authorization: 'Bearer tg_wrong' })
    expect([stranger.status, await stranger.json()]).toMatchObject([401, { code: 'invalid_api_key' }])
    const headers = { authorization: `Bearer ${world.secret}` }
    const got = await fetch(`${world.url}/v1/rerank`, { headers })
    expect([got.status, got.headers.get('allow'), await got.json()]).toMatchObject([
      405,
      'POST',
      { code: 'method_not_allowed' },
    ])
    const text = await fetch(`${world.url}/v1/rerank`, { method: 'POST', headers, body: '{' })
    expect([text.status, await text.json()]).toMatchObject([400, { code: 'invalid_request' }])
  })

  test('keeps to the limits of its key, and is explained to the operator', async () => {
    await using limited = await startReranking({ key: { requests_per_minute: 1 } })
    await (await ask(limited)).text()
    const second = await ask(limited)
    expect([second.status, await second.json()]).toMatchObject([429, { code: 'rate_limit_exceeded' }])
  })
})

test('the document, the metrics and the preflight know the endpoint', async () => {
  await using world = await startReranking()
  await (await ask(world)).text()
  const { paths } = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApiDocument
  const { post, options } = paths['/v1/rerank'] ?? {}
  expect(post).toMatchObject({
    operationId: 'create_rerank',
    security: [{ apiKey: [] }, { apiKeyHeader: [] }],
  })
  expect(post?.responses['402']?.content?.['application/json']?.schema.properties).toHaveProperty('detail')
  expect(options?.tags).toEqual(['Preflight'])
  expect(await (await fetch(`${world.url}/metrics`)).text()).toContain('path="/v1/rerank",status="200"')
  expect(await (await fetch(`${world.url}/docs`)).text()).toContain('/v1/rerank')
})
