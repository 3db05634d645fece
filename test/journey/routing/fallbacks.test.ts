import { describe, expect, test } from 'bun:test'
import { errorOf, jsonOf, streamOf } from '../../support/readAnswer.ts'
import { hang, inTurn, openaiError, reset, respond, streams } from '../../support/scriptedProvider.ts'
import { standardModel } from '../../support/world.ts'
import { attemptsOf, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello', ' world')
const SHORT = { max_tokens: 20 }
const DEAR = 'acme/dear'

/** `acme/chat-1` at the provider `first`, and a dearer model at `second`. */
function twoModels(first: Parameters<typeof startRoutingWorld>[0]['providers'][string]) {
  return startRoutingWorld({
    providers: { first, second: FINE },
    model: { targets: [{ provider: 'first', model: 'm' }] },
    models: [
      standardModel({
        id: DEAR,
        aliases: ['acme/dear-alias'],
        our_price: { input: 5, output: 15 },
        targets: [{ provider: 'second', model: 'dear-upstream' }],
      }),
    ],
  })
}

describe('other models', () => {
  test.each([SHORT, {}, { stream: true }])(
    'the one that answers is named, and alone is charged: %j',
    async (mode) => {
      await using world = await twoModels(openaiError(404))
      const response = await world.chat({ ...mode, models: [DEAR] })
      expect(response.status).toBe(200)
      const isStream = 'stream' in mode
      const { model } = isStream
        ? ((await streamOf(response)).chunks[0] ?? { model: undefined })
        : await jsonOf(response)
      expect(model).toBe(DEAR)
      const receipt = await world.receiptOf(response)
      expect(receipt).toMatchObject({
        model: DEAR,
        requested_model: 'acme/chat-1',
        provider: 'second',
        upstream_model: 'dear-upstream',
        // 9 prompt tokens at $5 and 12 completion tokens at $15 per million.
        charge_usd: '0.000225',
      })
      expect(attemptsOf(receipt)).toEqual(['first not_found', 'second answered'])
      const charges = (await world.ledger()).filter(({ kind }) => kind === 'charge')
      expect(charges).toEqual([{ kind: 'charge', amount_usd: '0.000225' }])
    },
  )

  test('the hold covers the dearest of them, the charge is that of the cheap one', async () => {
    await using world = await twoModels(FINE)
    const alone = await world.receiptOf(await world.chat(SHORT))
    const together = await world.receiptOf(await world.chat({ ...SHORT, models: [DEAR] }))
    expect(Number(together.hold_usd)).toBeCloseTo(Number(alone.hold_usd) * 10, 9)
    expect(together.charge_usd).toBe(alone.charge_usd)
    expect(together.model).toBe('acme/chat-1')
  })

  test('an alias of a fallback, and the asked model named twice, are fine', async () => {
    await using world = await twoModels(openaiError(404))
    const response = await world.chat({ ...SHORT, models: ['acme/chat-1', 'acme/dear-alias', DEAR] })
    expect((await jsonOf(response))['model']).toBe(DEAR)
    expect(world.counts()).toEqual({ first: 1, second: 1 })
  })

  test('a fallback that does not exist is a 404 that names its place', async () => {
    await using world = await twoModels(FINE)
    const response = await world.chat({ ...SHORT, models: [DEAR, 'nobody/knows'] })
    expect(response.status).toBe(404)
    expect(await errorOf(response)).toMatchObject({ code: 'model_not_found', param: 'models[1]' })
    expect(world.counts()).toEqual({ first: 0, second: 0 })
  })

  test('a prompt that is too long goes on to a model with a longer context only', async () => {
    const options = {
      providers: { first: openaiError(400, { code: 'context_length_exceeded' }), second: FINE, third: FINE },
      model: { context_length: 10_000, targets: [{ provider: 'first', model: 'm' }] },
      models: [
        standardModel({
          id: 'acme/short',
          aliases: [],
          context_length: 9_000,
          targets: [{ provider: 'second', model: 'm' }],
        }),
        standardModel({
          id: 'acme/long',
          aliases: [],
          context_length: 100_000,
          targets: [{ provider: 'third', model: 'm' }],
        }),
      ],
    }
    await using world = await startRoutingWorld(options)
    const served = await world.chat({ ...SHORT, models: ['acme/short', 'acme/long'] })
    expect(attemptsOf(await world.receiptOf(served))).toEqual(['first too_large', 'third answered'])
    const refused = await world.chat({ ...SHORT, models: ['acme/short'] })
    expect(refused.status).toBe(400)
    expect(await errorOf(refused)).toMatchObject({ code: 'invalid_request', param: 'messages' })
    expect(world.counts()['second']).toBe(0)
  })
})

describe('other targets', () => {
  test.each([
    ['401', openaiError(401), ['first credential']],
    ['402', openaiError(402), ['first billing']],
    ['404', openaiError(404), ['first not_found']],
    ['413', openaiError(413), ['first oversized']],
    ['429', openaiError(429), ['first rate_limited']],
    ['500', openaiError(500), ['first server', 'first server']],
    ['503', openaiError(503), ['first overloaded']],
    [
      'HTML in a 200',
      respond({ headers: { 'content-type': 'text/html' }, body: '<html>' }),
      ['first invalid_answer'],
    ],
    ['a reset', reset(), ['first connection', 'first connection']],
  ] as const)('%s goes on to the next, which alone is charged', async (_, act, failed) => {
    await using world = await startRoutingWorld({ providers: { first: act, second: FINE } })
    for (const mode of [SHORT, { stream: true }]) {
      const response = await world.chat(mode)
      expect(response.status).toBe(200)
      await response.text()
    }
    const receipt = await world.receiptOf(await world.chat(SHORT))
    expect(receipt.provider).toBe('second')
    const first = (await world.operations.requests({ limit: '10' })).data.at(-1)
    expect(first?.attempts.map(({ provider, outcome }) => `${provider} ${outcome}`)).toEqual([
      ...failed,
      'second answered',
    ])
    expect((await world.ledger()).filter(({ kind }) => kind === 'charge')).toHaveLength(3)
  })

  test('a request that is at fault itself goes nowhere else', async () => {
    await using world = await startRoutingWorld({ providers: { first: openaiError(400), second: FINE } })
    expect((await world.chat(SHORT)).status).toBe(400)
    expect(world.counts()).toEqual({ first: 1, second: 0 })
  })

  test('a target that lets its first-event time pass is not called again', async () => {
    await using world = await startRoutingWorld({
      providers: { first: hang(), second: FINE },
      settings: { first: { timeouts: { first_event: '100ms', whole: '100ms' } } },
    })
    const response = await world.chat({ stream: true })
    expect(response.status).toBe(200)
    expect(attemptsOf(await world.receiptOf(response))).toEqual(['first timeout', 'second answered'])
  })

  test('a retry never takes the place of a target that was not tried', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    await using world = await startRoutingWorld({
      providers: Object.fromEntries(names.map((name) => [name, name === 'f' ? FINE : openaiError(500)])),
    })
    const response = await world.chat(SHORT)
    expect(response.status).toBe(200)
    expect(attemptsOf(await world.receiptOf(response))).toEqual([
      'a server',
      'b server',
      'c server',
      'd server',
      'e server',
      'f answered',
    ])
  })

  test('nothing goes elsewhere once the caller has seen the first event', async () => {
    await using world = await startRoutingWorld({
      providers: { first: streams('Hel', reset()), second: FINE },
    })
    const answer = await streamOf(await world.chat({ stream: true }))
    expect(answer.error).toMatchObject({ code: 'upstream_error' })
    expect(answer.done).toBe(false)
    expect(world.counts()).toEqual({ first: 1, second: 0 })
  })
})

test('the receipt says of each attempt why it ended', async () => {
  await using world = await startRoutingWorld({
    providers: { first: inTurn(openaiError(500), openaiError(401)), second: FINE },
  })
  const response = await world.chat(SHORT)
  const { attempts } = await world.receiptOf(response)
  expect(attempts).toMatchObject([
    {
      provider: 'first',
      upstream_model: 'm',
      outcome: 'server',
      status: 500,
      reason: 'The provider failed.',
    },
    {
      provider: 'first',
      outcome: 'credential',
      status: 401,
      reason: "The provider rejected the gateway's credential.",
    },
    { provider: 'second', outcome: 'answered', status: null, reason: null },
  ])
  const own = await jsonOf(
    await world.request('GET', `/v1/generation?id=${response.headers.get('x-request-id')}`),
  )
  expect(own['attempts']).toEqual(attempts as never)
})
