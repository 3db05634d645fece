import { describe, expect, test } from 'bun:test'
import { errorOf, jsonOf, rateOf, streamOf } from '../support/readAnswer.ts'
import { close, createGate, inTurn, openaiError, streams } from '../support/scriptedProvider.ts'
import { MODEL, startWorld } from '../support/world.ts'

const NOON = '2026-11-20T12:00:00Z'

describe('GET /v1/key', () => {
  test('of a key without limits tells what it is and what it has used', async () => {
    await using world = await startWorld()
    const response = await world.request('GET', '/v1/key')
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toStartWith('req_')
    expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
    const text = await response.text()
    expect(JSON.parse(text)).toEqual({
      id: world.keyId,
      name: 'test',
      hint: expect.stringMatching(/^tg_/),
      workspace_id: world.workspaceId,
      created: expect.any(Number),
      expires_at: null,
      models: null,
      limits: {
        workspace_requests_per_minute: 60,
        requests_per_minute: null,
        requests_per_day: null,
        concurrent_requests: null,
        monthly_spend_usd: null,
      },
      usage: {
        requests_today: 1,
        open_requests: 0,
        spent_this_month_usd: '0.00',
        held_usd: '0.00',
      },
    })
    expect(text).not.toContain(world.secret)
  })

  test('of a key with limits tells what is left of each', async () => {
    const gate = createGate()
    await using world = await startWorld({
      workspace: { type: 'organization', requests_per_minute: 200 },
      key: {
        requests_per_minute: 10,
        requests_per_day: 20,
        concurrent_requests: 3,
        monthly_spend_usd: '1',
        models: [MODEL],
        expires_at: '2099-01-01T00:00:00Z',
      },
      provider: inTurn(streams('Hello'), streams('Hello', gate)),
    })
    world.clock.set(NOON)
    await (await world.chat({ max_tokens: 20 })).text()
    const open = await world.chat({ max_tokens: 100, stream: true })
    await gate.reached
    const body = await jsonOf(await world.request('GET', '/v1/key'))
    const held = (await world.balance()).held
    const left = (1 - 0.000_022_5 - Number(held)).toFixed(9).replace(/0+$/, '')
    expect(body).toMatchObject({
      models: [MODEL],
      expires_at: Date.parse('2099-01-01') / 1000,
      limits: {
        workspace_requests_per_minute: 200,
        requests_per_minute: { limit: 10, remaining: 7 },
        requests_per_day: { limit: 20, remaining: 17 },
        concurrent_requests: { limit: 3, remaining: 2 },
        monthly_spend_usd: { limit: '1.00', remaining: left },
      },
      usage: { requests_today: 3, open_requests: 1, spent_this_month_usd: '0.0000225', held_usd: held },
    })
    gate.open()
    await open.text()
    expect(await jsonOf(await world.request('GET', '/v1/key'))).toMatchObject({
      limits: { concurrent_requests: { limit: 3, remaining: 3 } },
      usage: { open_requests: 0, held_usd: '0.00' },
    })
  })

  test('starts anew with the minute, the day and the month', async () => {
    await using world = await startWorld({
      key: { requests_per_minute: 10, requests_per_day: 20, monthly_spend_usd: '1' },
    })
    world.clock.set('2026-11-30T23:59:59Z')
    await (await world.chat({ max_tokens: 20 })).text()
    world.clock.set('2026-12-01T00:00:00Z')
    expect(await jsonOf(await world.request('GET', '/v1/key'))).toMatchObject({
      limits: {
        // The minute began before midnight; day and month did not.
        requests_per_minute: { remaining: 8 },
        requests_per_day: { remaining: 19 },
        monthly_spend_usd: { remaining: '1.00' },
      },
      usage: { requests_today: 1, spent_this_month_usd: '0.00' },
    })
  })
})

describe('GET /v1/credits', () => {
  test('tells balance, what is held and what is free', async () => {
    const gate = createGate()
    await using world = await startWorld({ provider: streams('Hello', gate) })
    const open = await world.chat({ max_tokens: 100, stream: true })
    await gate.reached
    const during = await jsonOf(await world.request('GET', '/v1/credits'))
    const held = Number(during['held_usd'])
    expect(held).toBeGreaterThan(0)
    expect(during).toEqual({
      workspace_id: world.workspaceId,
      balance_usd: '10.00',
      held_usd: during['held_usd'],
      available_usd: String(Number((10 - held).toFixed(9))),
    })
    gate.open()
    await open.text()
    expect(await jsonOf(await world.request('GET', '/v1/credits'))).toEqual({
      workspace_id: world.workspaceId,
      balance_usd: '9.9999775',
      held_usd: '0.00',
      available_usd: '9.9999775',
    })
  })

  test('of an empty workspace is zero', async () => {
    await using world = await startWorld({ balance: '0' })
    expect(await jsonOf(await world.request('GET', '/v1/credits'))).toMatchObject({
      balance_usd: '0.00',
      held_usd: '0.00',
      available_usd: '0.00',
    })
  })
})

describe('GET /v1/generation', () => {
  test('is the receipt of a completion', async () => {
    await using world = await startWorld()
    const completion = await jsonOf(await world.chat({ model: 'acme/chat', max_tokens: 20, user: 'ann' }))
    const response = await world.request('GET', `/v1/generation?id=${completion['id'] as string}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toStartWith('req_')
    const receipt = await jsonOf(response)
    expect(receipt).toMatchObject({
      id: completion['id'],
      workspace_id: world.workspaceId,
      key_id: world.keyId,
      model: MODEL,
      requested_model: 'acme/chat',
      provider: 'acme',
      stream: false,
      status: 200,
      ending: 'completed',
      user: 'ann',
      usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21, source: 'reported' },
      lines: [
        { class: 'input', tokens: 9, unit_price_usd: '0.50', amount_usd: '0.0000045' },
        { class: 'output', tokens: 12, unit_price_usd: '1.50', amount_usd: '0.000018' },
      ],
      charge_usd: '0.0000225',
      writeoff_usd: '0.00',
      attempts: [{ provider: 'acme', outcome: 'answered' }],
      timings: {
        started_at: expect.any(String),
        first_event_ms: expect.any(Number),
        duration_ms: expect.any(Number),
      },
      created: completion['created'],
    })
    const kinds = (receipt['transfers'] as { kind: string }[]).map(({ kind }) => kind)
    expect(kinds).toEqual(['hold', 'release', 'charge'])
    expect(JSON.stringify(receipt)).not.toContain('Say hello')
  })

  test('is there as soon as a stream has ended', async () => {
    await using world = await startWorld()
    const { chunks } = await streamOf(await world.chat({ stream: true }))
    const receipt = await jsonOf(await world.request('GET', `/v1/generation?id=${chunks[0]?.id}`))
    expect(receipt).toMatchObject({ stream: true, ending: 'completed', charge_usd: '0.0000225' })
  })

  test('of a stream that broke off tells that it cost nothing', async () => {
    await using world = await startWorld({ provider: streams('Hello', close()) })
    const { chunks } = await streamOf(await world.chat({ stream: true }))
    await world.settled()
    const receipt = await jsonOf(await world.request('GET', `/v1/generation?id=${chunks[0]?.id}`))
    expect(receipt).toMatchObject({ ending: 'provider_failed', charge_usd: '0.00', lines: [] })
  })

  test('of a call that was tried twice tells both attempts', async () => {
    await using world = await startWorld({ provider: inTurn(openaiError(500), streams('Hello')) })
    const completion = await jsonOf(await world.chat({ max_tokens: 20 }))
    const receipt = await jsonOf(
      await world.request('GET', `/v1/generation?id=${completion['id'] as string}`),
    )
    expect(receipt['attempts']).toMatchObject([{ outcome: 'server', status: 500 }, { outcome: 'answered' }])
  })

  test('is for every key of the workspace and for no other workspace', async () => {
    await using world = await startWorld()
    const { id } = (await (await world.chat({ max_tokens: 20 })).json()) as { id: string }
    const sibling = await world.operations.createKey(world.workspaceId, { name: 'sibling' })
    const elsewhere = await world.operations.createWorkspace({ name: 'elsewhere', type: 'personal' })
    const stranger = await world.operations.createKey(elsewhere.id, { name: 'stranger' })
    const ask = (key: string, of: string): Promise<Response> =>
      world.request('GET', `/v1/generation?id=${of}`, undefined, { authorization: `Bearer ${key}` })

    expect((await ask(sibling.key, id)).status).toBe(200)
    const theirs = await ask(stranger.key, id)
    const nobodys = await ask(stranger.key, `${id.slice(0, -1)}0`)
    for (const response of [theirs, nobodys]) expect(response.status).toBe(404)
    const [first, second] = [await errorOf(theirs), await errorOf(nobodys)]
    expect(first).toMatchObject({ code: 'not_found', type: 'invalid_request_error' })
    // Nothing tells a foreign id from one that is nobody's.
    expect({ ...first, message: '' }).toEqual({ ...second, message: '' })
    expect(first.message.replace(id, 'X')).toBe(second.message.replace(`${id.slice(0, -1)}0`, 'X'))
  })

  test.each(['chatcmpl-1', 'x', '%00', '%ff', "'; DROP TABLE usage; --", 'x'.repeat(5000), '__proto__'])(
    'of %s is 404',
    async (id) => {
      await using world = await startWorld()
      const response = await world.request('GET', `/v1/generation?id=${id}`)
      expect(response.status).toBe(404)
      const error = await errorOf(response)
      expect(error).toMatchObject({ code: 'not_found', type: 'invalid_request_error' })
      expect(error.message.length).toBeLessThan(300)
    },
  )

  test.each(['', '?', '?id=', '?other=1'])('without an id (%j) is 400 and names it', async (query) => {
    await using world = await startWorld()
    const response = await world.request('GET', `/v1/generation${query}`)
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'id' })
  })

  test('of a call that is still running is 404', async () => {
    const gate = createGate()
    await using world = await startWorld({ provider: streams('Hello', gate) })
    const open = await world.chat({ stream: true })
    await gate.reached
    const id = open.headers.get('x-request-id') ?? ''
    expect((await world.request('GET', `/v1/generation?id=${id}`)).status).toBe(404)
    gate.open()
    await open.text()
    expect((await world.request('GET', `/v1/generation?id=${id}`)).status).toBe(200)
  })
})
