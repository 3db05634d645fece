import { expect, test } from 'bun:test'
import { openaiError, streams } from '../../support/scriptedProvider.ts'
import { type RoutingWorld, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello')
const NAMES = ['a', 'b', 'c']

function startWeighted(): Promise<RoutingWorld> {
  return startRoutingWorld({
    providers: { a: FINE, b: FINE, c: FINE },
    model: { strategy: 'weighted' },
  })
}

/** Which provider answers a request with these fields. */
async function providerFor(world: RoutingWorld, fields: Readonly<Record<string, unknown>>): Promise<string> {
  const receipt = await world.receiptOf(await world.chat({ max_tokens: 20, ...fields }))
  return receipt.provider ?? ''
}

test.each(['user', 'prompt_cache_key'])(
  'one %s stays with one provider, several are spread',
  async (field) => {
    await using world = await startWeighted()
    const chosen = new Map<string, string>()
    for (let i = 0; i < 24; i++) chosen.set(`key-${i}`, await providerFor(world, { [field]: `key-${i}` }))
    expect([...new Set(chosen.values())].toSorted()).toEqual(NAMES)
    for (const [key, name] of chosen) expect(await providerFor(world, { [field]: key })).toBe(name)
  },
)

test('prompt_cache_key is stronger than user: it names the cache', async () => {
  await using world = await startWeighted()
  const names = new Set<string>()
  for (let i = 0; i < 12; i++) {
    names.add(await providerFor(world, { prompt_cache_key: 'the same', user: `user-${i}` }))
  }
  expect(names.size).toBe(1)
})

test('a provider that falls out moves its own users only, and they come back to it', async () => {
  await using world = await startWeighted()
  const users = Array.from({ length: 18 }, (_, i) => `user-${i}`)
  const before = new Map<string, string>()
  for (const user of users) before.set(user, await providerFor(world, { user }))

  world.provider('b').play(openaiError(503, {}, { 'retry-after': '30' }))
  for (const user of users) {
    const now = await providerFor(world, { user })
    if (before.get(user) === 'b') expect(now).not.toBe('b')
    else expect(now).toBe(before.get(user) ?? '')
  }

  world.provider('b').play(FINE)
  world.clock.advance(30_000)
  for (const user of users) expect(await providerFor(world, { user })).toBe(before.get(user) ?? '')
})
