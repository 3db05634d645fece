import { describe, expect, test } from 'bun:test'
import { rawCaller } from '../support/rawCaller.ts'
import { MESSAGES, MODEL, type World, startWorld } from '../support/world.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const BODY = JSON.stringify({ model: MODEL, max_tokens: 5, messages: MESSAGES })

/** A call whose body has begun, but not ended. */
async function begin(world: World, headers = '') {
  const caller = await rawCaller(Number(new URL(world.url).port))
  caller.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.secret}\r\n${headers}content-length: ${BODY.length}\r\n\r\n`,
  )
  caller.write(BODY.slice(0, 10))
  return {
    async status(): Promise<number> {
      caller.write(BODY.slice(10))
      await caller.until('\r\n\r\n')
      const [status] = caller.statuses()
      caller.close()
      return status ?? 0
    },
  }
}

/** Resolves when the gateway has the room for so many bodies that have begun. */
async function untilBegun(world: World, bodies: number): Promise<void> {
  const begun = `tollgate_request_body_bytes ${bodies * BODY.length}\n`
  while (!(await (await fetch(`${world.url}/metrics`)).text()).includes(begun)) await Bun.sleep(5)
}

describe('a request whose body takes long', () => {
  test('counts in the window in which it is admitted: slow bodies get no more answers than quick ones', async () => {
    await using world = await startWorld({ key: { requests_per_minute: 5 } })
    world.clock.set(NOON)
    const calls = await Promise.all(Array.from({ length: 12 }, () => begin(world)))
    await untilBegun(world, 12)
    world.clock.set(NOON + 90_000)
    const slow = await Promise.all(calls.map((call) => call.status()))
    expect(slow.toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(5).fill(200),
      ...Array<number>(7).fill(429),
    ])
    expect((await world.chat()).status).toBe(429)
  })

  test('does not open an older window: what the quick ones used up stays used up', async () => {
    await using world = await startWorld({ key: { requests_per_minute: 2 } })
    world.clock.set(NOON)
    const call = await begin(world)
    await untilBegun(world, 1)
    world.clock.set(NOON + 90_000)
    for (const status of [200, 200, 429]) expect((await world.chat()).status).toBe(status)
    expect(await call.status()).toBe(429)
    expect((await world.chat()).status).toBe(429)
  })

  test('begins with its admission, lease and receipt too, and runs once for its Idempotency-Key', async () => {
    await using world = await startWorld()
    world.clock.set(NOON)
    const key = 'idempotency-key: once\r\n'
    const [first, second] = [await begin(world, key), await begin(world, key)]
    await untilBegun(world, 2)
    world.clock.set(NOON + 90_000)
    expect(await Promise.all([first.status(), second.status()])).toEqual([200, 200])
    expect(world.provider.requests).toHaveLength(1)
    const { data } = await world.operations.requests({})
    expect(data.map(({ created }) => created)).toEqual([(NOON + 90_000) / 1_000])
  })

  test('whose key was revoked meanwhile is not answered', async () => {
    await using world = await startWorld()
    world.clock.set(NOON)
    const call = await begin(world)
    await untilBegun(world, 1)
    await world.operations.revokeKey(world.keyId)
    world.clock.set(NOON + 5_000)
    expect(await call.status()).toBe(401)
    expect(world.provider.requests).toHaveLength(0)
  })
})
