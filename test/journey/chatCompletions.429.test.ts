import { describe, expect, test } from 'bun:test'
import { errorOf, rateOf } from '../support/readAnswer.ts'
import { createGate, streams } from '../support/scriptedProvider.ts'
import { type World, startWorld } from '../support/world.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const MINUTE = 60_000

/** Any authenticated request counts; this is the cheapest. */
function get(world: World, secret = world.secret): Promise<Response> {
  return world.request('GET', '/v1/key', undefined, { authorization: `Bearer ${secret}` })
}

async function statuses(world: World, count: number, secret?: string): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => get(world, secret)))
  return responses.map((response) => response.status)
}

function times(status: number, found: readonly number[]): number {
  return found.filter((one) => one === status).length
}

describe('the window of the workspace', () => {
  test.each([
    ['personal', 60, {}],
    ['organization', 120, {}],
    ['personal', 7, { requests_per_minute: 7 }],
    ['organization', 150, { requests_per_minute: 150 }],
    ['personal', 1, { requests_per_minute: 1 }],
  ])('of a %s one lets exactly %i through in a minute', async (type, limit, override) => {
    await using world = await startWorld({ workspace: { type, ...override } })
    world.clock.set(NOON)
    for (let used = 1; used <= limit; used++) {
      const response = await get(world)
      expect(response.status).toBe(200)
      expect(rateOf(response)).toEqual({ limit, remaining: limit - used, reset: (NOON + MINUTE) / 1000 })
      await response.text()
    }
    world.clock.set(NOON + 10_500)
    const refused = await world.chat()
    expect(refused.status).toBe(429)
    const error = await errorOf(refused)
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error', param: null })
    expect(error.message).toContain(`${limit} requests per minute`)
    expect(error.message).toContain('50 s')
    expect(rateOf(refused)).toEqual({ limit, remaining: 0, reset: (NOON + MINUTE) / 1000 })
    // 49.5 s, rounded up.
    expect(refused.headers.get('retry-after')).toBe('50')
    expect(refused.headers.get('x-request-id')).toStartWith('chatcmpl-')
  })

  test('lets exactly the limit through of many at once', async () => {
    await using world = await startWorld()
    const found = await statuses(world, 100)
    expect(times(200, found)).toBe(60)
    expect(times(429, found)).toBe(40)
  })

  test('opens with the first request counted in it and lasts 60 s', async () => {
    await using world = await startWorld({ workspace: { requests_per_minute: 2 } })
    world.clock.set(NOON + 37_250)
    expect(await statuses(world, 2)).toEqual([200, 200])
    world.clock.set(NOON + 37_250 + MINUTE - 1)
    const refused = await get(world)
    expect(refused.status).toBe(429)
    // Never 0, however little is left.
    expect(refused.headers.get('retry-after')).toBe('1')
    world.clock.set(NOON + 37_250 + MINUTE)
    const next = await get(world)
    expect(next.status).toBe(200)
    expect(rateOf(next)).toEqual({
      limit: 2,
      remaining: 1,
      reset: Math.ceil((NOON + 37_250 + 2 * MINUTE) / 1000),
    })
  })

  test('is not used up by refusals: a 429 counts against nothing', async () => {
    await using world = await startWorld({
      workspace: { requests_per_minute: 2 },
      key: { requests_per_day: 5 },
    })
    world.clock.set(NOON)
    await statuses(world, 2)
    expect(times(429, await statuses(world, 10))).toBe(10)
    world.clock.set(NOON + MINUTE)
    // Two of the day's five have been used, and this is the third.
    expect(await (await get(world)).json()).toMatchObject({
      limits: { requests_per_day: { limit: 5, remaining: 2 } },
    })
  })

  test('is shared by its keys and not by another workspace', async () => {
    await using world = await startWorld({ workspace: { requests_per_minute: 3 } })
    const sibling = await world.operations.createKey(world.workspaceId, { name: 'sibling' })
    const elsewhere = await world.operations.createWorkspace({ name: 'elsewhere', type: 'personal' })
    const stranger = await world.operations.createKey(elsewhere.id, { name: 'stranger' })
    expect(await statuses(world, 2)).toEqual([200, 200])
    expect(await statuses(world, 1, sibling.key)).toEqual([200])
    expect(await statuses(world, 1, sibling.key)).toEqual([429])
    expect(await statuses(world, 1)).toEqual([429])
    expect(rateOf(await get(world, stranger.key))).toMatchObject({ limit: 60, remaining: 59 })
  })

  test('follows an override at once', async () => {
    await using world = await startWorld({ workspace: { requests_per_minute: 1 } })
    expect(await statuses(world, 1)).toEqual([200])
    expect(await statuses(world, 1)).toEqual([429])
    await world.operations.updateWorkspace(world.workspaceId, { requests_per_minute: 3 })
    expect(rateOf(await get(world))).toMatchObject({ limit: 3, remaining: 1 })
    await world.operations.updateWorkspace(world.workspaceId, { requests_per_minute: null })
    expect(rateOf(await get(world))).toMatchObject({ limit: 60, remaining: 57 })
  })
})

describe("the key's minute", () => {
  test('refuses this key and no other of the workspace', async () => {
    await using world = await startWorld({ key: { requests_per_minute: 2 } })
    world.clock.set(NOON)
    expect(rateOf(await get(world))).toMatchObject({ limit: 2, remaining: 1 })
    expect(rateOf(await get(world))).toMatchObject({ limit: 2, remaining: 0 })
    const refused = await get(world)
    expect(refused.status).toBe(429)
    expect((await errorOf(refused)).message).toContain("key's limit of 2 requests per minute")
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(refused.headers.get('x-should-retry')).toBe('true')
    const other = await world.operations.createKey(world.workspaceId, { name: 'other' })
    // Of the workspace's sixty, two went to the first key, none to its refusal.
    expect(rateOf(await get(world, other.key))).toMatchObject({ limit: 60, remaining: 57 })
    world.clock.set(NOON + MINUTE)
    expect(await statuses(world, 1)).toEqual([200])
  })

  test('takes nothing when the workspace refuses', async () => {
    await using world = await startWorld({
      workspace: { requests_per_minute: 1 },
      key: { requests_per_minute: 10 },
    })
    world.clock.set(NOON)
    await statuses(world, 1)
    expect(await statuses(world, 3)).toEqual([429, 429, 429])
    expect(await world.operations.key(world.keyId)).toMatchObject({ used: { requests_this_minute: 1 } })
  })
})

describe("the key's day", () => {
  test('is a UTC calendar day', async () => {
    await using world = await startWorld({ key: { requests_per_day: 2 } })
    world.clock.set('2026-11-20T23:59:50Z')
    expect(rateOf(await get(world))).toEqual({
      limit: 2,
      remaining: 1,
      reset: Date.parse('2026-11-21T00:00:00Z') / 1000,
    })
    await statuses(world, 1)
    world.clock.set('2026-11-20T23:59:58.999Z')
    const refused = await get(world)
    expect(refused.status).toBe(429)
    expect((await errorOf(refused)).message).toContain("key's limit of 2 requests per day")
    expect(refused.headers.get('retry-after')).toBe('2')
    world.clock.set('2026-11-21T00:00:00Z')
    expect(await statuses(world, 3)).toEqual(expect.arrayContaining([200, 200, 429]))
  })

  test('tells an SDK not to wait when midnight is far', async () => {
    await using world = await startWorld({ key: { requests_per_day: 1 } })
    world.clock.set(NOON)
    await statuses(world, 1)
    const refused = await get(world)
    expect(refused.headers.get('retry-after')).toBe(String(12 * 60 * 60))
    expect(refused.headers.get('x-should-retry')).toBe('false')
  })
})

test('the headers describe the window with the least remaining', async () => {
  await using world = await startWorld({
    workspace: { requests_per_minute: 5 },
    key: { requests_per_minute: 4, requests_per_day: 6 },
  })
  world.clock.set(NOON)
  const limits: number[] = []
  for (let i = 0; i < 4; i++) limits.push(rateOf(await get(world)).limit)
  expect(limits).toEqual([4, 4, 4, 4])
  world.clock.set(NOON + MINUTE)
  // Of the day two are left, of the minutes three and four.
  expect(rateOf(await get(world))).toEqual({ limit: 6, remaining: 1, reset: Date.parse('2026-11-21') / 1000 })
})

describe("the key's calls at once", () => {
  test('are refused above the limit and let through when one has ended', async () => {
    const gate = createGate()
    await using world = await startWorld({
      key: { concurrent_requests: 2 },
      provider: streams('Hello', gate, ' world'),
    })
    const open = [await world.chat({ stream: true }), await world.chat({ stream: true })]
    const refused = await world.chat()
    expect(refused.status).toBe(429)
    expect((await errorOf(refused)).message).toContain("key's limit of 2 requests at the same time")
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(rateOf(refused)).toMatchObject({ limit: 2, remaining: 0 })
    // What is no call to a model needs no slot, and the refusal was not counted.
    expect(rateOf(await world.request('GET', '/v1/models'))).toMatchObject({ limit: 60, remaining: 57 })
    gate.open()
    for (const response of open) await response.text()
    expect((await world.chat({ max_tokens: 5 })).status).toBe(200)
  })

  test('are free again after a call that failed', async () => {
    await using world = await startWorld({ key: { concurrent_requests: 1 } })
    for (let i = 0; i < 3; i++) {
      expect((await world.chat({ temperature: 3 })).status).toBe(400)
      expect((await world.chat({ max_tokens: 5 })).status).toBe(200)
    }
  })
})

test('a 429 reaches no provider and costs nothing', async () => {
  await using world = await startWorld({ workspace: { requests_per_minute: 1 } })
  await statuses(world, 1)
  for (const stream of [false, true]) {
    const response = await world.chat({ stream })
    expect(response.status).toBe(429)
    expect(response.headers.get('content-type')).toStartWith('application/json')
  }
  expect(world.provider.requests).toHaveLength(0)
  expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup'])
})
