import { expect, test } from 'bun:test'
import { TEST_LIMIT_MS } from '../../support/scale.ts'
import { type World, standardConfig, standardModel, startWorld } from '../../support/world.ts'
import { cost, nanoOf, onlyReceipt } from './purse.ts'
import { toldInOpenai } from './toldInOpenai.ts'
import { toldInResponses } from './toldInResponses.ts'

const ANSWER = {
  texts: ['Hello', ' world'],
  finish: 'length',
  usage: { prompt: 100, completion: 16 },
} as const
const TELLS = { 'openai-responses': toldInResponses, 'openai-chat': toldInOpenai } as const

const ENDPOINTS = {
  '/v1/chat/completions': { max_tokens: 1, messages: [{ role: 'user', content: 'Say hello' }] },
  '/v1/messages': { max_tokens: 1, messages: [{ role: 'user', content: 'Say hello' }] },
  '/v1/responses': { max_output_tokens: 1, input: 'Say hello' },
} as const
const CASES = Object.entries(ENDPOINTS).flatMap(([path, body]) =>
  [true, false].map((stream) => ({ path, body: { ...body, stream } })),
)

function startAt(wire: keyof typeof TELLS): Promise<World> {
  return startWorld({
    provider: TELLS[wire](ANSWER),
    config(scripted) {
      const config = standardConfig(scripted)
      const { acme } = config['providers'] as { acme: object }
      return { ...config, providers: { acme: { ...acme, wire } }, models: [standardModel()] }
    },
  })
}

test.each(CASES)(
  'where a provider can be sent no limit below 16 tokens, a smaller one of $path is held and charged as 16',
  async ({ path, body }) => {
    await using world = await startAt('openai-responses')
    await (await world.request('POST', path, { model: 'acme/chat-1', ...body })).text()
    await world.settled()
    const { charge_usd, hold_usd, writeoff_usd } = await onlyReceipt(world)
    expect({ charge_usd, writeoff_usd }).toEqual({ charge_usd: cost(100, 16), writeoff_usd: cost(0, 0) })
    expect(nanoOf(hold_usd)).toBeGreaterThanOrEqual(nanoOf(cost(0, 16)))
    const [sent] = world.provider.requests
    expect(sent?.body).toMatchObject({ max_output_tokens: 16 })
  },
  TEST_LIMIT_MS,
)

test(
  'where a provider is sent the limit as it is, what it gives beyond is not charged',
  async () => {
    await using world = await startAt('openai-chat')
    const body = { model: 'acme/chat-1', ...ENDPOINTS['/v1/chat/completions'] }
    await (await world.request('POST', '/v1/chat/completions', body)).text()
    await world.settled()
    expect((await onlyReceipt(world)).charge_usd).toBe(cost(100, 1))
  },
  TEST_LIMIT_MS,
)
