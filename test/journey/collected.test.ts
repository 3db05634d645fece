import { edenGC, fullGC, heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { MESSAGES, MODEL, type World, startWorld } from '../support/world.ts'

/** Callers that call at the same time, and how often each calls each endpoint, whole and streamed. */
const CALLERS = 4
const ROUNDS = 12
/** A quarter of the calls: those under way when the runtime collects by itself count as old from then on. */
const LEFT_MAX = (CALLERS * ROUNDS * 6) / 4

const ENGINES = [
  { name: 'sqlite', skipped: false, database: (): Promise<{ databaseUrl?: string }> => Promise.resolve({}) },
  {
    name: 'postgres',
    skipped: mustSkip('calls leave nothing behind on Postgres'),
    database: async () => ({ databaseUrl: await (await sharedPostgres()).createDatabase() }),
  },
]
/** Of what would refuse so many calls. */
const UNLIMITED = {
  workspace: { requests_per_minute: 1_000_000 },
  key: { requests_per_minute: 1_000_000 },
}
const BODIES = [
  ['/v1/chat/completions', { messages: MESSAGES }],
  ['/v1/messages', { messages: MESSAGES, max_tokens: 100 }],
  ['/v1/responses', { input: 'Say hello' }],
] as const

/** Requests that the heap still has, with all that belongs to their calls. */
function requestsAlive(): number {
  return heapStats().objectTypeCounts['BunRequest'] ?? 0
}

for (const { name, skipped, database } of ENGINES) {
  describe.skipIf(skipped)(name, () => {
    test(
      'what a call leaves behind is gone when new objects are collected, whole or streamed',
      async () => {
        await using world = await startWorld({ ...(await database()), balance: '1000', ...UNLIMITED })
        await callOften(world, 1)
        fullGC()
        const before = requestsAlive()
        await callOften(world, ROUNDS)
        edenGC()
        expect(requestsAlive() - before).toBeLessThan(LEFT_MAX)
      },
      TEST_LIMIT_MS,
    )
  })
}

async function callOften(world: World, rounds: number): Promise<void> {
  async function callAll(): Promise<void> {
    for (let round = 0; round < rounds; round++)
      for (const [path, body] of BODIES)
        for (const stream of [false, true]) {
          const response = await world.request('POST', path, { model: MODEL, stream, ...body })
          expect(response.status).toBe(200)
          await response.text()
        }
  }
  await Promise.all(Array.from({ length: CALLERS }, callAll))
}
