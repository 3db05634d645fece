import { describe, expect, test } from 'bun:test'
import type { Json } from '../../../src/core/json.ts'
import { OPEN_FIRST_MS } from '../../../src/upstream/routing/circuit.ts'
import { STRIKES_TO_OPEN } from '../../../src/upstream/routing/streak.ts'
import { type Act, openaiError, reset, streams } from '../../support/scriptedProvider.ts'
import { type RoutingWorld, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello')
const SHORT = { max_tokens: 20 }
/** What mallory asks for, and what the provider fails at. */
const POISON = { messages: [{ role: 'user', content: 'poison' }] }

function isPoison(body: Json | undefined): boolean {
  return JSON.stringify(body).includes('poison')
}

/** One provider, which fails at mallory's requests alone. */
function startPoisonable(act: Act): Promise<RoutingWorld> {
  return startRoutingWorld({ providers: { only: ({ body }) => (isPoison(body) ? act : FINE) } })
}

async function statusOf(response: Promise<Response>): Promise<number> {
  const answer = await response
  await answer.text()
  return answer.status
}

describe('one workspace that makes a provider fail takes it from no other', () => {
  test.each([
    ['with a 500', openaiError(500)],
    ['with a lost connection', reset()],
    ['with a 429 and a long wait', openaiError(429, {}, { 'retry-after': '20' })],
    ['with a 503 and a long wait', openaiError(503, {}, { 'retry-after': '20' })],
    ['with a 404', openaiError(404)],
  ])('%s', async (_, act) => {
    await using world = await startPoisonable(act)
    world.clock.set(Date.now())
    const mallory = await world.another('mallory')
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < STRIKES_TO_OPEN; i++)
        expect(await statusOf(mallory.chat({ ...SHORT, ...POISON }))).toBeGreaterThanOrEqual(500)
      for (let i = 0; i < 3; i++) expect(await statusOf(world.chat(SHORT))).toBe(200)
      world.clock.advance(OPEN_FIRST_MS / 2)
    }
    for (const block of (await world.health())['only']?.blocks ?? []) {
      expect(block.workspace_id).toBe(mallory.id)
    }
  })

  test('by answers that break off', async () => {
    await using world = await startPoisonable(streams('Hel', reset()))
    world.clock.set(Date.now())
    const mallory = await world.another('mallory')
    for (let i = 0; i < STRIKES_TO_OPEN; i++) await statusOf(mallory.chat({ ...POISON, stream: true }))
    await world.settled()
    expect(await statusOf(mallory.chat({ ...POISON, stream: true }))).toBe(503)
    expect(await statusOf(world.chat({ stream: true }))).toBe(200)
  })

  test('and is sent to another provider itself', async () => {
    await using world = await startRoutingWorld({
      providers: { first: ({ body }) => (isPoison(body) ? openaiError(500) : FINE), second: FINE },
    })
    world.clock.set(Date.now())
    const mallory = await world.another('mallory')
    for (let i = 0; i < STRIKES_TO_OPEN + 3; i++) await statusOf(mallory.chat({ ...SHORT, ...POISON }))
    expect(world.counts()['first']).toBe(STRIKES_TO_OPEN)
    expect((await world.receiptOf(await world.chat(SHORT))).provider).toBe('first')
  })
})

describe('an outage that two workspaces meet', () => {
  test('opens the circuit for everyone, and is over for everyone with one answer', async () => {
    await using world = await startRoutingWorld({ providers: { only: openaiError(500) } })
    world.clock.set(Date.now())
    const [second, third] = [await world.another('second'), await world.another('third')]
    // Each call tries twice.
    await statusOf(world.chat(SHORT))
    await statusOf(second.chat(SHORT))
    expect((await world.health())['only']?.routes[0]?.circuit).toBe('closed')
    await statusOf(world.chat(SHORT))
    const before = world.counts()['only'] as number
    expect(before).toBe(STRIKES_TO_OPEN)
    expect((await world.health())['only']).toMatchObject({
      status: 'unavailable',
      routes: [{ circuit: 'open' }],
      blocks: [{ what: 'circuit', workspace_id: null, reason: 'server' }],
    })
    expect(await statusOf(third.chat(SHORT))).toBe(503)
    expect(world.counts()['only']).toBe(before)

    world.provider('only').play(FINE)
    world.clock.advance(OPEN_FIRST_MS)
    // The one with most of the strikes may not probe yet.
    const early = await world.chat(SHORT)
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, String(OPEN_FIRST_MS / 1000)])
    expect(await statusOf(third.chat(SHORT))).toBe(200)
    expect(await statusOf(world.chat(SHORT))).toBe(200)
  })
})

test('a provider that refuses connections is left alone by everyone, though one workspace alone has called it', async () => {
  await using world = await startRoutingWorld({ providers: { first: FINE, second: FINE } })
  world.clock.set(Date.now())
  const second = await world.another('second')
  world.provider('first').stop()
  // Each call tries twice.
  for (let i = 0; i < Math.ceil(STRIKES_TO_OPEN / 2); i++) expect(await statusOf(world.chat(SHORT))).toBe(200)
  const { first } = await world.health()
  expect(first?.blocks).toMatchObject([{ what: 'circuit', workspace_id: null, reason: 'connection' }])
  const receipt = await world.receiptOf(await second.chat(SHORT))
  expect(receipt.attempts.map(({ provider }) => provider)).toEqual(['second'])
})

test.each([
  ['that says nothing is left', { 'retry-after': '9', 'x-ratelimit-remaining-requests': '0' }, 503],
  ['that says something is left', { 'retry-after': '9', 'x-ratelimit-remaining-requests': '3' }, 200],
])('a rate limit %s: another workspace gets %p', async (_, headers, status) => {
  await using world = await startRoutingWorld({
    providers: { only: ({ body }) => (isPoison(body) ? openaiError(429, {}, headers) : FINE) },
  })
  world.clock.set(Date.now())
  const mallory = await world.another('mallory')
  expect(await statusOf(mallory.chat({ ...SHORT, ...POISON }))).toBe(503)
  expect(await statusOf(world.chat(SHORT))).toBe(status)
})
