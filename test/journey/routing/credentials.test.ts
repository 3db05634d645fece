import { describe, expect, test } from 'bun:test'
import { errorOf } from '../../support/readAnswer.ts'
import { type Act, type Script, openaiError, streams } from '../../support/scriptedProvider.ts'
import { settingsOf } from '../../support/world.ts'
import { type RoutingWorld, attemptsOf, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello')
const SHORT = { max_tokens: 20 }

/** Answers by the key that a call carries. */
function byKey(answers: Readonly<Record<string, Act>>): Script {
  return ({ headers }) => answers[(headers['authorization'] ?? '').replace('Bearer ', '')] ?? FINE
}

function keysUsed(world: RoutingWorld): string[] {
  return world.provider('acme').requests.map(({ headers }) => (headers['authorization'] ?? '').slice(7))
}

function startKeys(script: Script, keys: readonly string[]): Promise<RoutingWorld> {
  return startRoutingWorld({
    providers: { acme: script },
    settings: { acme: { api_key: undefined, api_keys: keys } },
  })
}

describe('a key that is', () => {
  test.each([
    ['refused', openaiError(401, { code: 'invalid_api_key' }), 'credential', 'refused', 30_000],
    ['unpaid', openaiError(429, { code: 'insufficient_quota' }), 'billing', 'unpaid', 300_000],
    ['limited', openaiError(429, {}, { 'retry-after': '7' }), 'rate_limited', 'ready_for_some', 7_000],
  ] as const)(
    '%s gives way to the next at once, and is not used until its time',
    async (_, act, outcome, status, ms) => {
      await using world = await startKeys(byKey({ 'key-one': act }), ['key-one', 'key-two'])
      const first = await world.chat(SHORT)
      expect(first.status).toBe(200)
      expect(attemptsOf(await world.receiptOf(first))).toEqual([`acme ${outcome}`, 'acme answered'])
      expect(keysUsed(world)).toEqual(['key-one', 'key-two'])
      const { acme } = await world.health()
      expect(acme?.status).toBe('degraded')
      expect(acme?.credentials).toMatchObject([
        { name: 'acme#1', status },
        { name: 'acme#2', status: 'ready', retry_at: null },
      ])

      await world.chat(SHORT)
      expect(keysUsed(world).slice(2)).toEqual(['key-two'])
      world.provider('acme').play(FINE)
      world.clock.advance(ms)
      await world.chat(SHORT)
      expect(keysUsed(world).slice(3)).toEqual(['key-one'])
      expect((await world.health())['acme']?.status).toBe('healthy')
    },
  )
})

test('when every key is refused the answer stays a 502, and the provider is left alone', async () => {
  await using world = await startKeys(openaiError(401), ['key-one', 'key-two'])
  for (let i = 0; i < 4; i++) {
    const response = await world.chat(SHORT)
    expect(response.status).toBe(502)
    expect(await errorOf(response)).toMatchObject({ code: 'upstream_error' })
  }
  expect(keysUsed(world)).toEqual(['key-one', 'key-two'])
  expect((await world.health())['acme']?.status).toBe('unavailable')
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

test('when every key is limited it is a 503 that names the soonest moment, and nothing is sent before it', async () => {
  const script = byKey({
    'key-one': openaiError(429, {}, { 'retry-after': '20' }),
    'key-two': openaiError(429, {}, { 'retry-after': '9' }),
  })
  await using world = await startKeys(script, ['key-one', 'key-two'])
  world.clock.set(Date.now())
  for (let i = 0; i < 3; i++) {
    const response = await world.chat(SHORT)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('9')
  }
  expect(keysUsed(world)).toEqual(['key-one', 'key-two'])
  world.clock.advance(9_000)
  world.provider('acme').play(FINE)
  expect((await world.chat(SHORT)).status).toBe(200)
  expect(keysUsed(world).at(-1)).toBe('key-two')
})

test('a limited key is waited for when the wait is short and there is nobody else', async () => {
  let calls = 0
  await using world = await startKeys(
    () => (calls++ === 0 ? openaiError(429, {}, { 'retry-after-ms': '300' }) : FINE),
    ['key-one'],
  )
  const startedAt = performance.now()
  const response = await world.chat(SHORT)
  expect(response.status).toBe(200)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300)
  expect(attemptsOf(await world.receiptOf(response))).toEqual(['acme rate_limited', 'acme answered'])
})

test('a reload keeps a refused key parked, and takes a new one in its place at once', async () => {
  await using world = await startKeys(byKey({ 'key-one': openaiError(401) }), ['key-one'])
  expect((await world.chat(SHORT)).status).toBe(502)
  world.gateway.reload(world.settings)
  expect((await world.chat(SHORT)).status).toBe(502)
  expect(keysUsed(world)).toEqual(['key-one'])

  const { providers } = world.configuration() as { providers: { acme: object } }
  const renewed = { providers: { acme: { ...providers.acme, api_keys: ['key-new'] } } }
  world.gateway.reload(settingsOf(world.configuration(renewed), world.databaseUrl))
  expect((await world.chat(SHORT)).status).toBe(200)
  expect(keysUsed(world)).toEqual(['key-one', 'key-new'])
})
