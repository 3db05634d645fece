import { describe, expect, test } from 'bun:test'
import { inOrder, openaiError, pause, streams } from '../../support/scriptedProvider.ts'
import { attemptsOf, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello', ' world')
const SHORT = { max_tokens: 20 }

function targets(...list: readonly Readonly<Record<string, unknown>>[]): { targets: unknown[] } {
  return { targets: list.map((target) => ({ model: 'm', ...target })) }
}

describe('priority', () => {
  test('the lowest number is called, the next one only when it fails', async () => {
    await using world = await startRoutingWorld({
      providers: { first: FINE, second: FINE, third: FINE },
      model: targets(
        { provider: 'first', priority: 2 },
        { provider: 'second', priority: 0 },
        { provider: 'third', priority: 1 },
      ),
    })
    for (let i = 0; i < 3; i++) expect((await world.chat(SHORT)).status).toBe(200)
    expect(world.counts()).toEqual({ first: 0, second: 3, third: 0 })
    world.provider('second').play(openaiError(404))
    const response = await world.chat({ stream: true })
    expect(attemptsOf(await world.receiptOf(response))).toEqual(['second not_found', 'third answered'])
  })

  test('targets of the same number are called in the order of the configuration, whoever asks', async () => {
    await using world = await startRoutingWorld({ providers: { first: FINE, second: FINE } })
    for (const user of ['ada', 'bob', 'eve', undefined]) await world.chat({ ...SHORT, user })
    expect(world.counts()).toEqual({ first: 4, second: 0 })
  })
})

test('weighted: calls are shared out as the weights say', async () => {
  await using world = await startRoutingWorld({
    providers: { big: FINE, small: FINE },
    model: {
      strategy: 'weighted',
      ...targets({ provider: 'big', weight: 9 }, { provider: 'small', weight: 1 }),
    },
  })
  const calls = 300
  for (let i = 0; i < calls / 20; i++) await Promise.all(Array.from({ length: 20 }, () => world.chat(SHORT)))
  const { big = 0, small = 0 } = world.counts()
  expect(big + small).toBe(calls)
  // Five standard deviations: 300 × 0.1 ± 26.
  expect(small).toBeWithin(4, 57)
})

test('cheapest: what costs us least is called first, then the next', async () => {
  await using world = await startRoutingWorld({
    providers: { dear: FINE, cheap: FINE, middle: FINE },
    model: {
      strategy: 'cheapest',
      ...targets(
        { provider: 'dear', cost: { input: 3, output: 3 } },
        { provider: 'cheap', cost: { input: 1, output: 1 } },
        { provider: 'middle', cost: { input: 2, output: 2 } },
      ),
    },
  })
  await world.chat(SHORT)
  expect(world.counts()).toEqual({ dear: 0, cheap: 1, middle: 0 })
  world.provider('cheap').play(openaiError(404))
  const response = await world.chat(SHORT)
  expect(attemptsOf(await world.receiptOf(response))).toEqual(['cheap not_found', 'middle answered'])
})

test('fastest: each target is measured once, then the one whose first event came first is called', async () => {
  await using world = await startRoutingWorld({
    providers: { slow: inOrder(pause(400), FINE), quick: FINE, slower: inOrder(pause(600), FINE) },
    model: { strategy: 'fastest' },
  })
  for (let i = 0; i < 3; i++) await (await world.chat({ stream: true })).text()
  expect(world.counts()).toEqual({ slow: 1, quick: 1, slower: 1 })
  for (let i = 0; i < 5; i++) await (await world.chat({ stream: true })).text()
  expect(world.counts()).toEqual({ slow: 1, quick: 6, slower: 1 })
  const { slow, quick } = await world.health()
  expect(slow?.routes[0]?.first_event_ms?.p50).toBeGreaterThanOrEqual(400)
  expect(quick?.routes[0]?.first_event_ms?.samples).toBe(6)
})
