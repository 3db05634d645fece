import { describe, expect, test } from 'bun:test'
import { errorOf } from '../../support/readAnswer.ts'
import { openaiError, streams } from '../../support/scriptedProvider.ts'
import { standardModel } from '../../support/world.ts'
import { type RoutingWorld, attemptsOf, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello')

function startThree(): Promise<RoutingWorld> {
  return startRoutingWorld({
    providers: { a: FINE, b: FINE, c: FINE, elsewhere: FINE },
    model: {
      targets: [
        { provider: 'a', model: 'm', cost: { input: 3, output: 3 } },
        { provider: 'b', model: 'm', cost: { input: 1, output: 1 } },
        { provider: 'c', model: 'm', cost: { input: 2, output: 2 } },
      ],
    },
    models: [
      standardModel({
        id: 'acme/dear',
        aliases: [],
        our_price: { input: 5, output: 15 },
        targets: [{ provider: 'elsewhere', model: 'm' }],
      }),
    ],
  })
}

async function tried(world: RoutingWorld, provider: unknown, more = {}): Promise<string[]> {
  const response = await world.chat({ max_tokens: 20, provider, ...more })
  return attemptsOf(await world.receiptOf(response))
}

describe('what a request says of providers', () => {
  test('order, only, ignore and sort choose among the targets', async () => {
    await using world = await startThree()
    expect(await tried(world, undefined)).toEqual(['a answered'])
    expect(await tried(world, { order: ['c'] })).toEqual(['c answered'])
    expect(await tried(world, { only: ['b', 'c'] })).toEqual(['b answered'])
    expect(await tried(world, { only: ['b', 'c'], order: ['c'] })).toEqual(['c answered'])
    expect(await tried(world, { ignore: ['a'] })).toEqual(['b answered'])
    expect(await tried(world, { sort: 'price' })).toEqual(['b answered'])
    // Another model's provider is a name like any other.
    expect(await tried(world, { ignore: ['elsewhere'] })).toEqual(['a answered'])
  })

  test('named ones are tried in their order, then the others', async () => {
    await using world = await startThree()
    world.provider('c').play(openaiError(404))
    world.provider('b').play(openaiError(404))
    const order = ['c', 'b']
    expect(await tried(world, { order })).toEqual(['c not_found', 'b not_found', 'a answered'])
  })

  test('without fallbacks a failure is the end: of the named ones, or of the first', async () => {
    await using world = await startThree()
    for (const name of ['a', 'c']) world.provider(name).play(openaiError(404))
    const two = { order: ['c', 'b'], allow_fallbacks: false }
    expect(await tried(world, two)).toEqual(['c not_found', 'b answered'])
    expect(await tried(world, { order: ['c'], allow_fallbacks: false })).toEqual(['c not_found'])
    expect(await tried(world, { allow_fallbacks: false })).toEqual(['a not_found'])
    const named = { order: ['a'], allow_fallbacks: false }
    expect(await tried(world, named, { models: ['acme/dear'] })).toEqual(['a not_found'])
  })

  test('max_price leaves what is affordable, and the hold is no larger than that', async () => {
    await using world = await startThree()
    const body = { model: 'acme/dear', models: ['acme/chat-1'], max_tokens: 20 }
    const cheap = await world.receiptOf(
      await world.chat({ ...body, provider: { max_price: { prompt: 1, completion: '2' } } }),
    )
    expect(cheap.model).toBe('acme/chat-1')
    const plain = await world.receiptOf(await world.chat({ max_tokens: 20 }))
    expect(cheap.hold_usd).toBe(plain.hold_usd)
    const exact = await world.chat({ ...body, provider: { max_price: { prompt: 5, completion: 15 } } })
    expect((await world.receiptOf(exact)).model).toBe('acme/dear')
  })

  test('nothing of it reaches a provider', async () => {
    await using world = await startThree()
    await world.chat({ max_tokens: 20, models: ['acme/dear'], provider: { order: ['a'], sort: 'latency' } })
    expect(Object.keys((await world.provider('a').request()).body as object)).not.toContain('provider')
    expect(Object.keys((await world.provider('a').request()).body as object)).not.toContain('models')
  })
})

describe('preferences that leave nobody are a 400 that names them, before any money is held', () => {
  test.each([
    [{ order: ['a', 'nobody'] }, 'provider.order[1]', 'nobody'],
    [{ only: ['nobody'] }, 'provider.only[0]', 'nobody'],
    [{ ignore: ['a', 'b', 'nobody'] }, 'provider.ignore[2]', 'nobody'],
    [{ only: ['elsewhere'] }, 'provider.only', 'serves this model'],
    [{ ignore: ['a', 'b', 'c'] }, 'provider.ignore', 'serves this model'],
    [{ only: ['a'], ignore: ['a'] }, 'provider.ignore', 'serves this model'],
    [{ order: ['elsewhere'], allow_fallbacks: false }, 'provider.order', 'allow_fallbacks'],
    [{ max_price: { prompt: 0.1 } }, 'provider.max_price', '$0.50'],
    [{ max_price: { completion: '1.49' } }, 'provider.max_price', '$1.50'],
  ])('%j', async (provider, param, word) => {
    await using world = await startThree()
    const response = await world.chat({ max_tokens: 20, provider })
    expect(response.status).toBe(400)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 'invalid_request', type: 'invalid_request_error', param })
    expect(error.message).toContain(param)
    expect(error.message).toContain(word)
    expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup'])
    expect(world.counts()).toEqual({ a: 0, b: 0, c: 0, elsewhere: 0 })
  })

  test('but not while a fallback model has somebody left', async () => {
    await using world = await startThree()
    const response = await world.chat({
      max_tokens: 20,
      provider: { only: ['elsewhere'] },
      models: ['acme/dear'],
    })
    expect((await world.receiptOf(response)).model).toBe('acme/dear')
  })
})
