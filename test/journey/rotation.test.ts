import { expect, test } from 'bun:test'
import { startWorld } from '../support/world.ts'

test('a rotated key and its successor share one window and one monthly spend, and one revocation ends one of them', async () => {
  await using world = await startWorld({
    key: { requests_per_minute: 4, monthly_spend_usd: '5.00' },
  })
  const old = (await world.operations.keys(world.workspaceId, {})).data[0]
  if (!old) throw new Error('no key')
  const rotated = await world.operations.rotateKey(old.id, { overlap_seconds: 600 })
  const ask = (key: string): Promise<Response> => world.chat({}, { authorization: `Bearer ${key}` })
  const remaining: (string | null)[] = []
  for (const key of [world.secret, rotated.key, world.secret]) {
    const response = await ask(key)
    expect(response.status).toBe(200)
    remaining.push(response.headers.get('x-ratelimit-remaining'))
    await response.text()
  }
  expect(remaining).toEqual(['3', '2', '1'])
  await world.settled()
  const [mine, theirs] = [await world.operations.key(old.id), await world.operations.key(rotated.id)]
  expect(mine.used).toEqual(theirs.used)
  expect(mine.used.requests_this_minute).toBe(3)

  await world.operations.revokeKey(rotated.id)
  expect((await ask(world.secret)).status).toBe(200)
  expect((await ask(rotated.key)).status).toBe(401)
})
