import { describe, expect, test } from 'bun:test'
import { errorOf, rateOf, streamOf } from '../support/readAnswer.ts'
import {
  createGate,
  openaiChunk,
  openaiUsage,
  answers,
  sse,
  stream,
  streams,
} from '../support/scriptedProvider.ts'
import { MODEL, standardModel, startWorld } from '../support/world.ts'

describe('a balance that is too low', () => {
  test.each([false, true])('is insufficient_balance and counts once (stream: %p)', async (streamed) => {
    await using world = await startWorld({ balance: '0' })
    const response = await world.chat({ max_tokens: 20, stream: streamed })
    expect(response.status).toBe(402)
    expect(await errorOf(response)).toMatchObject({
      code: 'insufficient_balance',
      type: 'payment_error',
      param: null,
    })
    expect(response.headers.get('retry-after')).toBeNull()
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(response.headers.get('x-request-id')).toStartWith('chatcmpl-')
    expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
    expect(world.provider.requests).toHaveLength(0)
    expect(await world.ledger()).toEqual([])
  })

  test('says what is needed and what there is', async () => {
    await using world = await startWorld({ balance: '0.000001' })
    const response = await world.chat({ max_tokens: 1000 })
    const { message } = await errorOf(response)
    expect(message).toContain('$0.000001')
    expect(message).toMatch(/needs \$0\.0015\d*/)
  })

  test.each([
    ['of what the caller wants', { max_tokens: 1000 }],
    ['of a ceiling that clients always send', { max_tokens: 100_000 }],
    ['without any', {}],
  ])('names the `max_tokens` that it pays, %s, and no larger one', async (_, limit) => {
    await using world = await startWorld({ balance: '0.0005' })
    const { message } = await errorOf(await world.chat(limit))
    const [, named] = /Add credit, or ask for at most (\d+) tokens with max_tokens\.$/.exec(message) ?? []
    expect((await world.chat({ max_tokens: Number(named) + 1 })).status).toBe(402)
    expect((await world.chat({ max_tokens: Number(named) })).status).toBe(200)
  })

  test('names one that the rest of the month of the key pays, too', async () => {
    await using world = await startWorld({ balance: '0.0005', key: { monthly_spend_usd: '0.0002' } })
    const { code, message } = await errorOf(await world.chat({ max_tokens: 1000 }))
    expect(code).toBe('insufficient_balance')
    const [, named] = /ask for at most (\d+) tokens with max_tokens\.$/.exec(message) ?? []
    expect((await world.chat({ max_tokens: Number(named) + 1 })).status).toBe(402)
    expect((await world.chat({ max_tokens: Number(named) })).status).toBe(200)
  })

  test('advises credit alone where the prompt or a document is too dear', async () => {
    await using world = await startWorld({ balance: '0.001' })
    const document = { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }
    for (const content of ['word '.repeat(20_000), [document]]) {
      const response = await world.chat({ max_tokens: 1, messages: [{ role: 'user', content }] })
      expect(response.status).toBe(402)
      expect((await errorOf(response)).message).toEndWith('available. Add credit.')
    }
  })

  test('advises credit alone where nothing else helps', async () => {
    await using world = await startWorld({ balance: '0' })
    expect((await errorOf(await world.chat({}))).message).toEndWith('available. Add credit.')
  })

  test('lets through exactly what it affords', async () => {
    await using rich = await startWorld()
    await rich.chat({ max_tokens: 100 })
    const hold = (await rich.ledger()).find(({ kind }) => kind === 'hold')?.amount_usd ?? ''
    await using exact = await startWorld({ balance: hold })
    expect((await exact.chat({ max_tokens: 100 })).status).toBe(200)
    const lacking = (Number(hold) - 0.000_000_001).toFixed(9)
    await using short = await startWorld({ balance: lacking })
    expect((await short.chat({ max_tokens: 100 })).status).toBe(402)
    expect((await short.chat({ max_tokens: 99 })).status).toBe(200)
  })

  test('is enough for a model that costs nothing', async () => {
    await using world = await startWorld({
      balance: '0',
      config: () => ({ models: [standardModel({ our_price: { input: 0, output: 0 } })] }),
    })
    expect((await world.chat({ max_tokens: 20 })).status).toBe(200)
    expect(await world.balance()).toEqual({ balance: '0.00', held: '0.00' })
  })

  test('stops neither the list of models nor the view of the account', async () => {
    await using world = await startWorld({ balance: '0' })
    for (const path of ['/v1/models', `/v1/models/${MODEL}`, '/v1/key', '/v1/credits']) {
      expect((await world.request('GET', path)).status).toBe(200)
    }
  })

  test('that only other calls stand in the way of says so and when to come again', async () => {
    const gate = createGate()
    await using world = await startWorld({ balance: '0.002', provider: streams('Hello', gate) })
    const first = await world.chat({ max_tokens: 1000, stream: true })
    await gate.reached
    const second = await world.chat({ max_tokens: 1000 })
    expect(second.status).toBe(402)
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(second.headers.get('x-should-retry')).toBe('true')
    expect((await errorOf(second)).message).toContain('in flight')
    gate.open()
    await first.text()
    expect((await world.balance()).held).toBe('0.00')
    expect((await world.chat({ max_tokens: 1000 })).status).toBe(200)
  })

  test('in the middle of a stream ends it with finish_reason length, never below zero', async () => {
    // 512 tokens are held at first; the provider goes on and on.
    const endless = Array.from({ length: 2000 }, () => openaiChunk({ content: ' word' }))
    await using world = await startWorld({
      balance: '0.001',
      provider: stream([...endless, openaiChunk({}, { finishReason: 'stop' }), sse('[DONE]')], {
        coalesce: true,
      }),
    })
    const answer = await streamOf(await world.chat({ stream: true }))
    expect(answer.chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'length' })
    expect(answer.done).toBe(true)
    await world.settled()
    const { balance, held } = await world.balance()
    expect(held).toBe('0.00')
    expect(Number(balance)).toBeGreaterThanOrEqual(0)
  }, 30_000)
})

describe("the key's monthly spend", () => {
  test('is spend_limit_exceeded when a request could pass it', async () => {
    await using world = await startWorld({ key: { monthly_spend_usd: '0.0001' } })
    const response = await world.chat({ max_tokens: 1000 })
    expect(response.status).toBe(402)
    expect(await errorOf(response)).toMatchObject({
      code: 'spend_limit_exceeded',
      type: 'payment_error',
      param: null,
    })
    expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
    expect(world.provider.requests).toHaveLength(0)
    expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup'])
  })

  test('says what helps: another month only where a month pays it', async () => {
    await using world = await startWorld({ key: { monthly_spend_usd: '0.0005' } })
    const refused = await errorOf(await world.chat({ max_tokens: 1000 }))
    expect(refused.message).toMatch(/Have the limit raised, or ask for at most \d+ tokens with max_tokens\.$/)
    // It costs most of the limit.
    await using spent = await startWorld({
      key: { monthly_spend_usd: '0.0005' },
      provider: answers({ pieces: ['Hello'], usage: openaiUsage(1, 300) }),
    })
    expect((await spent.chat({ max_tokens: 300 })).status).toBe(200)
    expect((await errorOf(await spent.chat({ max_tokens: 300 }))).message).toMatch(
      /Wait for the next month, have the limit raised, or ask for at most \d+ tokens with max_tokens\.$/,
    )
  })

  test('is that of the UTC month in which the request started', async () => {
    // Each answer costs $1; the month affords one and no second.
    const usage = openaiUsage(1, 8000)
    const dear = standardModel({ our_price: { input: 0, output: 125 } })
    await using world = await startWorld({
      provider: answers({ pieces: ['Hello'], usage }),
      config: () => ({ models: [dear] }),
      key: { monthly_spend_usd: '1.5' },
    })
    world.clock.set('2026-11-30T23:59:58Z')
    expect((await world.chat({ max_tokens: 8000 })).status).toBe(200)
    expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '1.00' })
    world.clock.set('2026-11-30T23:59:59.999Z')
    const refused = await world.chat({ max_tokens: 8000 })
    expect(refused.status).toBe(402)
    expect((await errorOf(refused)).message).toContain('$0.50')
    world.clock.set('2026-12-01T00:00:00Z')
    expect((await world.chat({ max_tokens: 8000 })).status).toBe(200)
  })

  test('of a request that ends in the next month stays with the month it started in', async () => {
    const gate = createGate()
    const dear = standardModel({ our_price: { input: 0, output: 125 } })
    await using world = await startWorld({
      provider: answers({ pieces: ['Hello', gate], usage: openaiUsage(1, 8000) }),
      config: () => ({ models: [dear] }),
      key: { monthly_spend_usd: '1.5' },
    })
    world.clock.set('2026-11-30T23:59:59Z')
    const pending = world.chat({ max_tokens: 8000 })
    await gate.reached
    world.clock.set('2026-12-01T00:00:01Z')
    gate.open()
    expect((await pending).status).toBe(200)
    expect(await (await world.request('GET', '/v1/key')).json()).toMatchObject({
      usage: { spent_this_month_usd: '0.00' },
    })
    expect((await world.chat({ max_tokens: 8000 })).status).toBe(200)
  })

  test('is of the key, not of the workspace', async () => {
    await using world = await startWorld({ key: { monthly_spend_usd: '0' } })
    expect((await world.chat({ max_tokens: 20 })).status).toBe(402)
    const { key } = await world.operations.createKey(world.workspaceId, { name: 'other' })
    const response = await world.chat({ max_tokens: 20 }, { authorization: `Bearer ${key}` })
    expect(response.status).toBe(200)
  })
})
