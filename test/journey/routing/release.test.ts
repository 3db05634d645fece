import { describe, expect, test } from 'bun:test'
import { STRIKES_TO_OPEN } from '../../../src/upstream/routing/streak.ts'
import { jsonOf } from '../../support/readAnswer.ts'
import { openaiError, streams } from '../../support/scriptedProvider.ts'
import { ADMIN_TOKEN, type RoutingWorld, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello')
const SHORT = { max_tokens: 20 }
const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` }

type Caller = Awaited<ReturnType<RoutingWorld['another']>>

async function statusOf(response: Promise<Response>): Promise<number> {
  const answer = await response
  await answer.text()
  return answer.status
}

async function release(world: RoutingWorld, body: object = {}): Promise<unknown> {
  const response = await world.request('POST', '/api/v1/admin/providers/only/release', body, ADMIN)
  expect(response.status).toBe(200)
  return jsonOf(response)
}

async function blocksGauge(world: RoutingWorld): Promise<string[]> {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return text.split('\n').filter((line) => line.startsWith('tollgate_blocks{'))
}

/** An outage that two workspaces meet, and whose end no call can notice: the clock does not move. */
async function outage(world: RoutingWorld): Promise<Caller> {
  world.clock.set(Date.now())
  const second = await world.another('second')
  for (let i = 0; i < STRIKES_TO_OPEN; i++) await statusOf((i % 2 === 0 ? second : world).chat(SHORT))
  world.provider('only').play(FINE)
  for (const each of [world, second]) expect(await statusOf(each.chat(SHORT))).toBe(503)
  return second
}

describe('a release', () => {
  test('lifts an open circuit: everyone is served again at once', async () => {
    await using world = await startRoutingWorld({ providers: { only: openaiError(500) } })
    const second = await outage(world)
    expect(await blocksGauge(world)).toEqual([
      'tollgate_blocks{provider="only",what="circuit",for="everyone"} 1',
    ])
    expect(await release(world)).toMatchObject({
      provider: 'only',
      released: [{ what: 'circuit', upstream_model: 'm', workspace_id: null, reason: 'server' }],
    })
    for (const each of [world, second]) expect(await statusOf(each.chat(SHORT))).toBe(200)
    expect((await world.health())['only']).toMatchObject({ status: 'healthy', blocks: [] })
    expect(await blocksGauge(world)).toEqual([])
    const { data } = await world.operations.audit({ action: 'provider.release' })
    expect(data).toMatchObject([
      { subject: 'only', actor: { kind: 'configuration' }, changes: { blocks: { after: [] } } },
    ])
  })

  test('of one workspace leaves the others, and what applies to everyone', async () => {
    await using world = await startRoutingWorld({
      providers: { only: openaiError(429, {}, { 'retry-after': '30' }) },
    })
    world.clock.set(Date.now())
    const second = await world.another('second')
    for (const each of [world, second]) expect(await statusOf(each.chat(SHORT))).toBe(503)
    world.provider('only').play(FINE)
    await release(world, { workspace_id: second.id })
    const { blocks = [] } = (await world.health())['only'] ?? {}
    expect(blocks.map((block) => block.workspace_id)).toEqual([null, world.workspaceId])
    await release(world, { target: 'm' })
    for (const each of [world, second]) expect(await statusOf(each.chat(SHORT))).toBe(200)
  })

  test('lifts a parked key, once the bill is paid', async () => {
    await using world = await startRoutingWorld({ providers: { only: openaiError(402) } })
    expect(await statusOf(world.chat(SHORT))).toBe(502)
    world.provider('only').play(FINE)
    expect(await statusOf(world.chat(SHORT))).toBe(502)
    expect((await world.health())['only']?.credentials).toMatchObject([{ status: 'unpaid' }])
    await release(world)
    expect(await statusOf(world.chat(SHORT))).toBe(200)
  })

  test('of a provider leaves the other providers', async () => {
    await using world = await startRoutingWorld({
      providers: { only: openaiError(402), other: openaiError(402) },
    })
    expect(await statusOf(world.chat(SHORT))).toBe(502)
    await release(world)
    const { only, other } = await world.health()
    expect([only?.blocks.length, other?.blocks.length]).toEqual([0, 1])
  })

  test('needs an admin token', async () => {
    await using world = await startRoutingWorld({ providers: { only: FINE } })
    expect(await statusOf(world.request('POST', '/api/v1/admin/providers/only/release', {}))).toBe(401)
  })
})
