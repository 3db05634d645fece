import { expect, test } from 'bun:test'
import { OPEN_FIRST_MS, OPEN_MAX_MS } from '../../../src/upstream/routing/circuit.ts'
import { STRIKES_TO_OPEN } from '../../../src/upstream/routing/streak.ts'
import { openaiError, streams } from '../../support/scriptedProvider.ts'
import { startRoutingWorld } from '../routing/routingWorld.ts'
import { runAllSick, runOneSick } from './chaos.ts'

const FINE = streams('Hello')
const PATIENCE_MS = 120_000

test(
  'with two healthy targets of three every caller is served and charged once',
  async () => {
    const { calls, answered, counts } = await runOneSick({ seed: 'one sick', waves: 15, callsPerWave: 16 })
    expect(answered).toBe(calls)
    // The sick one was tried again and again: the chaos was one.
    expect(counts['sick']).toBeGreaterThan(10)
  },
  PATIENCE_MS,
)

test(
  'with no healthy target callers hear our words only, and pay for whole answers only',
  async () => {
    const { calls, answered, statuses } = await runAllSick({ seed: 'all sick', waves: 16, callsPerWave: 16 })
    expect(answered).toBeWithin(1, calls)
    for (const status of [200, 400, 502]) expect(statuses.get(status)).toBeGreaterThan(0)
  },
  PATIENCE_MS,
)

test('under load an open circuit lets through its probes and nothing else, and one good probe ends it', async () => {
  await using world = await startRoutingWorld({ providers: { sick: openaiError(500), well: FINE } })
  const noon = Date.UTC(2026, 10, 20, 12)
  world.clock.set(noon)
  const load = async (): Promise<void> => {
    for (const response of await Promise.all(
      Array.from({ length: 8 }, () => world.chat({ max_tokens: 20 })),
    )) {
      expect(response.status).toBe(200)
      await response.text()
    }
  }
  const countOf = (): number => world.counts()['sick'] ?? 0
  while ((await world.health())['sick']?.routes[0]?.circuit !== 'open_for_some') await load()
  // Those of the last wave were under way together, and each may have tried twice.
  expect(countOf()).toBeLessThanOrEqual(STRIKES_TO_OPEN - 1 + 2 * 8)

  let wait = OPEN_FIRST_MS
  for (let probes = 0; probes < 5; probes++) {
    const before = countOf()
    for (const part of [0.25, 0.5, 0.24]) {
      world.clock.advance(wait * part)
      await load()
      expect(countOf()).toBe(before)
    }
    world.clock.advance(wait * 0.02)
    await load()
    expect(countOf()).toBe(before + 1)
    // The probe came 1 % late, and the wait is counted from its failure.
    wait = Math.min(wait * 2, OPEN_MAX_MS)
  }

  world.provider('sick').play(FINE)
  world.clock.advance(wait)
  const before = countOf()
  await load()
  expect(countOf()).toBeGreaterThan(before)
  expect((await world.health())['sick']?.routes[0]?.circuit).toBe('closed')
  const well = world.counts()['well']
  await load()
  expect(world.counts()['well']).toBe(well as number)
})
