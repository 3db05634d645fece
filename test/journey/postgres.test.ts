import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isJsonObject, type JsonObject } from '../../src/core/json.ts'
import { checkedFetch } from '../support/checkedFetch.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { contentOf, jsonOf, streamOf } from '../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { startWorld, type World } from '../support/world.ts'

/** Starting a private Postgres server takes a while on a loaded machine. */
const ADMIN_TOKEN = 'postgres-world-admin'
/** What every call of these tests costs: 9 and 12 tokens at the standard prices. */
const CHARGE_USD = '0.0000225'

describe.skipIf(mustSkip('the gateway on Postgres, from socket to socket'))('on Postgres', () => {
  let started: World | undefined
  beforeAll(async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase()
    started = await startWorld({
      databaseUrl,
      config: () => ({ server: { admin_token: ADMIN_TOKEN } }),
    })
  }, TEST_LIMIT_MS)
  afterAll(() => started?.stop())

  function world(): World {
    if (!started) throw new Error('the world has not started')
    return started
  }

  async function admin(path: string): Promise<JsonObject> {
    const response = await checkedFetch(`${world().url}/api/v1/admin${path}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    })
    expect(response.status).toBe(200)
    return jsonOf(response)
  }

  test('a whole completion is answered, charged, and has a receipt', async () => {
    const response = await world().chat({ max_tokens: 20 })
    expect(response.status).toBe(200)
    const id = response.headers.get('x-request-id') ?? ''
    const body = await jsonOf(response)
    expect(body).toMatchObject({
      id,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello world' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
    })
    const receipt = await jsonOf(await world().request('GET', `/v1/generation?id=${id}`))
    expect(receipt).toMatchObject({ id, model: 'acme/chat-1', charge_usd: CHARGE_USD, ending: 'completed' })
    expect(await admin(`/requests/${id}`)).toMatchObject({ id, charge_usd: CHARGE_USD })
    expect((await world().ledger()).map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release', 'charge'])
  })

  test('a streamed completion is answered to its end, and charged before it', async () => {
    const before = await world().ledger()
    const answer = await streamOf(await world().chat({ stream: true }))
    expect(answer.done).toBe(true)
    expect(contentOf(answer)).toBe('Hello world')
    const after = await world().ledger()
    expect(after.slice(before.length).map(({ kind }) => kind)).toEqual(['hold', 'release', 'charge'])
    expect(after.at(-1)?.amount_usd).toBe(CHARGE_USD)
  })

  test('an Idempotency-Key gives the same answer again, without the provider and without a charge', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await world().chat({ stream: true }, headers)
    const text = await first.text()
    const reached = world().provider.requests.length
    const charged = (await world().ledger()).length
    const again = await world().chat({ stream: true }, headers)
    expect(again.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.text()).toBe(text)
    expect(world().provider.requests.length).toBe(reached)
    expect((await world().ledger()).length).toBe(charged)
    expect((await world().chat({ stream: true, temperature: 0 }, headers)).status).toBe(409)
  })

  test('windows, balance and limits are told to the caller', async () => {
    const models = await world().request('GET', '/v1/models')
    const remaining = Number(models.headers.get('x-ratelimit-remaining'))
    expect((await jsonOf(models))['data']).toMatchObject([{ id: 'acme/chat-1' }])
    const credits = await world().request('GET', '/v1/credits')
    expect(Number(credits.headers.get('x-ratelimit-remaining'))).toBe(remaining - 1)
    expect(await jsonOf(credits)).toMatchObject({ workspace_id: world().workspaceId, held_usd: '0.00' })
    expect(await jsonOf(await world().request('GET', '/v1/key'))).toMatchObject({ id: world().keyId })
  })

  test('the admin API manages workspaces, keys, credits and reports', async () => {
    const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
    const post = async (path: string, body: JsonObject): Promise<JsonObject> => {
      const response = await checkedFetch(`${world().url}/api/v1/admin${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(response.status).toBe(201)
      return jsonOf(response)
    }
    const { id } = await post('/workspaces', { name: 'second', type: 'organization' })
    await post(`/workspaces/${textOf(id)}/credits`, { amount_usd: '1.5', note: 'welcome' })
    const { key } = await post(`/workspaces/${textOf(id)}/keys`, { name: 'laptop' })
    const answered = await checkedFetch(`${world().url}/v1/credits`, {
      headers: { authorization: `Bearer ${textOf(key)}` },
    })
    expect(await jsonOf(answered)).toMatchObject({ balance_usd: '1.50', available_usd: '1.50' })
    const ledger = await admin(`/workspaces/${textOf(id)}/ledger`)
    expect(ledger['data']).toMatchObject([{ kind: 'topup', amount_usd: '1.50', note: 'welcome' }])

    const usage = await admin(`/usage?workspace_id=${world().workspaceId}&group_by=model`)
    const groups = usage['data']
    const [group] = Array.isArray(groups) ? groups : []
    expect(isJsonObject(group) && group['group']).toBe('acme/chat-1')
    const page = await admin('/workspaces?limit=1')
    expect(page['next_cursor']).toBeString()
  })

  test('every ledger is proven', async () => {
    for await (const found of world().gateway.store.books.verify()) {
      expect(found.ledgerBalance).toBe(found.balance)
      expect(found.ledgerHeld).toBe(found.held)
      expect(found.brokenAt).toBeNull()
    }
  })
})
