import { expect, test } from 'bun:test'
import { TEST_LIMIT_MS } from '../../support/scale.ts'
import { answers, createGate, openaiUsage, streams } from '../../support/scriptedProvider.ts'
import { standardModel, startWorld } from '../../support/world.ts'
import { cost, nanoOf, usd } from './purse.ts'

const CALLS = 200
const TOKENS = 300

test(
  'all of 200 parallel calls of 300 tokens are served by twice what they cost',
  async () => {
    const gate = createGate()
    const each = cost(9, TOKENS)
    const balance = usd(2n * BigInt(CALLS) * nanoOf(each))
    const pieces = Array.from({ length: TOKENS }, () => ' word')
    await using world = await startWorld({
      provider: answers({ pieces: ['', gate, ...pieces], usage: openaiUsage(9, TOKENS) }),
      workspace: { requests_per_minute: 1_000 },
      balance,
    })
    const calls = Array.from({ length: CALLS }, (_, i) => world.chat({ stream: i % 2 === 0 }))
    await world.provider.until(({ requests }) => requests.length === CALLS)
    gate.open()
    const responses = await Promise.all(calls)
    const texts = await Promise.all(responses.map((response) => response.text()))
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(CALLS).fill(200))
    for (const text of texts) expect(text).toContain('"finish_reason":"stop"')
    await world.settled()
    expect(await world.balance()).toEqual({ balance: usd(BigInt(CALLS) * nanoOf(each)), held: '0.00' })
  },
  TEST_LIMIT_MS,
)

test('ten agents that always send a large max_tokens run in parallel on one dollar', async () => {
  const gate = createGate()
  await using world = await startWorld({
    provider: streams('Hello', gate, ' world'),
    config: () => ({
      models: [
        standardModel({
          max_output_tokens: 64_000,
          our_price: { input: 5, output: 25 },
          official_price: undefined,
        }),
      ],
    }),
    balance: '1',
  })
  const calls = Array.from({ length: 10 }, (_, i) => world.chat({ stream: i % 2 === 0, max_tokens: 32_000 }))
  await world.provider.until(({ requests }) => requests.length === 10)
  gate.open()
  const responses = await Promise.all(calls)
  expect(responses.map(({ status }) => status)).toEqual(Array<number>(10).fill(200))
  for (const response of responses) expect(await response.text()).toContain('"finish_reason":"stop"')
})

test('where all holds are full, a call that the balance could not pay to its end is a 402', async () => {
  const config = (holds: string) => () => ({
    holds,
    models: [
      standardModel({
        max_output_tokens: 64_000,
        our_price: { input: 5, output: 25 },
        official_price: undefined,
      }),
    ],
  })
  await using needed = await startWorld({ config: config('needed'), balance: '1' })
  expect((await needed.chat({ max_tokens: 64_000 })).status).toBe(200)
  await using full = await startWorld({ config: config('full'), balance: '1' })
  expect((await full.chat({ max_tokens: 64_000 })).status).toBe(402)
  expect(full.provider.requests).toHaveLength(0)
})
