import { describe, expect, test } from 'bun:test'
import { isJsonObject } from '../../../src/core/json.ts'
import { mustSkip, sharedPostgres } from '../../support/postgres.ts'
import { contentOf, streamOf } from '../../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../../support/scale.ts'
import { type Act, answers, createGate, inOrder, openaiUsage } from '../../support/scriptedProvider.ts'
import { type World, standardModel, startWorld } from '../../support/world.ts'
import { cost, nanoOf, usd } from './purse.ts'

const CALLS = 60
/** Of each answer that a provider gives which keeps to no limit. */
const TOKENS = 8_000
const WORD = 'word'
/** What a balance pays: some first holds, and hardly more. */
const BALANCE = usd(BigInt(CALLS / 2) * nanoOf(cost(60, 512)))

const ENGINES = [
  { name: 'sqlite', skipped: false, database: (): Promise<{ databaseUrl?: string }> => Promise.resolve({}) },
  {
    name: 'postgres',
    skipped: mustSkip('greedy calls on Postgres'),
    database: async () => ({ databaseUrl: await (await sharedPostgres()).createDatabase() }),
  },
]

/** All that its caller is owed, in pieces of this many tokens. */
function inPieces(tokensEach: number): Act {
  const pieces = Array.from({ length: TOKENS / tokensEach }, () => WORD.repeat(tokensEach))
  return answers({ pieces, usage: openaiUsage(9, TOKENS) })
}

/** Tokens of what the callers got together. */
async function tokensGot(responses: readonly Response[]): Promise<number> {
  let characters = 0
  for (const response of responses) {
    if (response.status !== 200) {
      expect(response.status).toBe(402)
      await response.text()
    } else if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
      const answer = await streamOf(response)
      expect([answer.error, answer.done]).toEqual([undefined, true])
      characters += contentOf(answer).length
    } else {
      const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
      characters += choices[0]?.message.content.length ?? 0
    }
  }
  return characters / WORD.length
}

async function expectSound(world: World): Promise<void> {
  await world.settled()
  const { balance, held } = await world.balance()
  expect(held).toBe('0.00')
  expect(nanoOf(balance)).toBeGreaterThanOrEqual(0n)
  for await (const found of world.gateway.store.books.verify()) {
    expect(found).toMatchObject({ ledgerBalance: found.balance, openHolds: 0n, brokenAt: null })
  }
}

/** Thinks for as long as it may, shows nothing of it, and reports it. */
const THINKER: Act = {
  async play(turn) {
    const body = turn.request?.body
    const limit = isJsonObject(body) && typeof body.max_tokens === 'number' ? body.max_tokens : 64_000
    const details = { completion_tokens_details: { reasoning_tokens: limit - 1 } }
    await answers({ pieces: ['Hm.'], usage: openaiUsage(9, limit, details) }).play(turn)
  },
}

test('calls that reason out of sight cost the house at most three times what they held', async () => {
  const gate = createGate()
  await using world = await startWorld({
    provider: inOrder(gate, THINKER),
    config: () => ({ models: [standardModel({ max_output_tokens: 64_000, hidden_reasoning: 'always' })] }),
    balance: '0.05',
  })
  const calls = Array.from({ length: 30 }, (_, i) => world.chat({ stream: i % 2 === 0 }))
  await world.provider.until(({ requests }) => requests.length > 5)
  gate.open()
  for (const response of await Promise.all(calls)) await response.text()
  await world.settled()
  const { data } = await world.operations.requests({ limit: '100' })
  expect(data.length).toBeGreaterThan(5)
  for (const { hold_usd: hold, writeoff_usd: writeoff } of data) {
    expect(nanoOf(writeoff)).toBeLessThanOrEqual(3n * nanoOf(hold))
  }
  await expectSound(world)
})

// Beside each other: a call whose balance others hold waits for them for seconds.
describe.each(ENGINES)('60 greedy calls at once on $name', ({ skipped, database }) => {
  test.concurrent.skipIf(skipped).each([1, 100, TOKENS])(
    'get no more than the balance pays, in pieces of %d tokens',
    async (tokensEach) => {
      const gate = createGate()
      await using world = await startWorld({
        ...(await database()),
        provider: inOrder(gate, inPieces(tokensEach)),
        config: () => ({ models: [standardModel({ max_output_tokens: 64_000 })] }),
        workspace: { requests_per_minute: 1_000 },
        balance: BALANCE,
      })
      const calls = Array.from({ length: CALLS }, (_, i) =>
        world.chat({ stream: i % 2 === 0, ...(i % 3 === 0 && { max_tokens: 32_000 }) }),
      )
      await gate.reached
      gate.open()
      const responses = await Promise.all(calls)
      const got = await tokensGot(responses)
      expect(got).toBeGreaterThan(512)
      expect(nanoOf(cost(0, got))).toBeLessThanOrEqual(nanoOf(BALANCE))
      await expectSound(world)
    },
    TEST_LIMIT_MS,
  )
})
