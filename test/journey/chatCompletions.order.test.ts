import { describe, expect, test } from 'bun:test'
import { errorOf, rateOf } from '../support/readAnswer.ts'
import { openaiError } from '../support/scriptedProvider.ts'
import { WIRE_FORMAT_IDS } from '../../src/wire/formats.ts'
import { MODEL, type World, standardConfig, standardModel, startWorld } from '../support/world.ts'

const HIDDEN = 'acme/hidden'

/** A world in which every gate would refuse: the key may use one model, there is no money, the provider fails. */
function refusingWorld(): Promise<World> {
  return startWorld({
    balance: '0',
    workspace: { requests_per_minute: 100 },
    key: { models: [MODEL] },
    provider: openaiError(500),
    config: () => ({ models: [standardModel(), standardModel({ id: HIDDEN, aliases: [] })] }),
  })
}

async function refusal(response: Response): Promise<[number, string]> {
  const { code } = await errorOf(response)
  return [response.status, code]
}

describe('of several reasons to refuse the first in order is told', () => {
  test('a bad key before everything', async () => {
    await using world = await refusingWorld()
    const wrong = { authorization: 'Bearer tg_wrong' }
    const response = await world.request('POST', '/v1/chat/completions', '{', wrong)
    expect(await refusal(response)).toEqual([401, 'invalid_api_key'])
  })

  test('the rate limit before the body, the model, the money and the provider', async () => {
    await using world = await refusingWorld()
    await world.operations.updateWorkspace(world.workspaceId, { requests_per_minute: 1 })
    expect((await world.request('GET', '/v1/models')).status).toBe(200)
    const bodies = ['{', '', '[]', {}, { model: 'nobody' }, { model: HIDDEN }, { temperature: 3 }, {}]
    for (const body of bodies) {
      const response =
        typeof body === 'string'
          ? await world.request('POST', '/v1/chat/completions', body)
          : await world.chat(body)
      expect(await refusal(response)).toEqual([429, 'rate_limit_exceeded'])
    }
    const model = await world.request('GET', '/v1/models/nobody')
    expect(await refusal(model)).toEqual([429, 'rate_limit_exceeded'])
    const receipt = await world.request('GET', '/v1/generation')
    expect(await refusal(receipt)).toEqual([429, 'rate_limit_exceeded'])
  })

  test('the body before the model: 400 before 404 and 403', async () => {
    await using world = await refusingWorld()
    for (const model of ['nobody', HIDDEN, MODEL]) {
      expect(await refusal(await world.chat({ model, temperature: 3 }))).toEqual([400, 'invalid_request'])
    }
  })

  test('a model that does not exist before the list, and both before the money', async () => {
    await using world = await refusingWorld()
    expect(await refusal(await world.chat({ model: 'nobody' }))).toEqual([404, 'model_not_found'])
    expect(await refusal(await world.chat({ model: HIDDEN }))).toEqual([403, 'model_not_accessible'])
  })

  test('the money before the provider', async () => {
    await using world = await refusingWorld()
    expect(await refusal(await world.chat())).toEqual([402, 'insufficient_balance'])
    expect(world.provider.requests).toHaveLength(0)
  })

  test('the provider last', async () => {
    await using world = await refusingWorld()
    await world.operations.credit(world.workspaceId, { amount_usd: '1' })
    expect(await refusal(await world.chat())).toEqual([502, 'upstream_error'])
  })
})

test('every authenticated request counts exactly once, whatever its answer is', async () => {
  await using world = await refusingWorld()
  let remaining = 100

  async function counts(response: Response, status: number): Promise<void> {
    expect(response.status).toBe(status)
    remaining -= 1
    expect(rateOf(response)).toMatchObject({ limit: 100, remaining })
    await response.text()
  }

  await counts(await world.request('GET', '/v1/models'), 200)
  await counts(await world.request('GET', `/v1/models/${MODEL}`), 200)
  await counts(await world.request('GET', '/v1/models/nobody'), 404)
  await counts(await world.request('GET', `/v1/models/${HIDDEN}`), 403)
  await counts(await world.request('GET', '/v1/key'), 200)
  await counts(await world.request('GET', '/v1/credits'), 200)
  await counts(await world.request('GET', '/v1/generation'), 400)
  await counts(await world.request('GET', '/v1/generation?id=chatcmpl-1'), 404)
  await counts(await world.request('POST', '/v1/chat/completions', '{'), 400)
  await counts(await world.chat({ n: 0 }), 400)
  await counts(await world.chat({ model: 'nobody' }), 404)
  await counts(await world.chat({ model: HIDDEN }), 403)
  await counts(await world.chat(), 402)
  await world.operations.credit(world.workspaceId, { amount_usd: '1' })
  await counts(await world.chat(), 502)
  await counts(await world.chat({ stream: true }), 502)
  world.provider.play(openaiError(429, {}, { 'retry-after': '30' }))
  await counts(await world.chat(), 503)
})

test('what needs no key counts against nothing, a path that does not exist like every other', async () => {
  await using world = await startWorld()
  expect((await world.request('GET', '/api/v1/public/models')).status).toBe(200)
  for (const [method, path, status, remaining] of [
    ['GET', '/v1/nothing', 404, 59],
    ['GET', '/v1/chat/completions', 405, 58],
    ['POST', '/v1/models', 405, 57],
  ] as const) {
    const response = await world.request(method, path)
    expect(response.status).toBe(status)
    expect(rateOf(response)).toMatchObject({ limit: 60, remaining })
  }
  expect(rateOf(await world.request('GET', '/v1/models'))).toMatchObject({ limit: 60, remaining: 56 })
})

describe.each(WIRE_FORMAT_IDS)('what no target of %s can say', (wire) => {
  const TOOLS = [{ type: 'function', function: { name: 'f' } }]
  const MUTE = { targets: [{ provider: 'mute', model: 'upstream-chat-2' }], unsupported_fields: ['tools'] }

  function muteWorld(balance: string, models: readonly object[]): Promise<World> {
    return startWorld({
      balance,
      config(provider) {
        const { providers } = standardConfig(provider) as { providers: { acme: object } }
        return { providers: { ...providers, mute: { ...providers.acme, wire } }, models }
      },
    })
  }

  test.each(['0', '10'])(
    'is refused by name with $%s of balance: nothing is held, sent or charged',
    async (balance) => {
      await using world = await muteWorld(balance, [standardModel(MUTE)])
      const before = await world.ledger()
      for (const stream of [false, true]) {
        const response = await world.chat({ tools: TOOLS, n: 2, stream })
        expect(response.status).toBe(400)
        expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'tools' })
      }
      expect(world.provider.requests).toHaveLength(0)
      expect(await world.ledger()).toEqual(before)
      expect((await world.chat({ tools: TOOLS })).headers.get('x-ratelimit-remaining')).toBe('57')
    },
  )

  test('is sent to a fallback that can', async () => {
    const models = [standardModel(MUTE), standardModel({ id: HIDDEN, aliases: [] })]
    await using world = await muteWorld('10', models)
    const response = await world.chat({ tools: TOOLS, models: [HIDDEN] })
    expect(response.status).toBe(200)
    await response.text()
    expect(world.provider.requests).toHaveLength(1)
  })
})
