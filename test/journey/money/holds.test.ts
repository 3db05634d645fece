import { expect, test } from 'bun:test'
import { contentOf, errorOf, jsonOf, readStream, streamOf } from '../../support/readAnswer.ts'
import {
  answers,
  createGate,
  inOrder,
  openaiCompletion,
  openaiUsage,
  respond,
  streams,
  type Act,
} from '../../support/scriptedProvider.ts'
import { standardModel, startWorld } from '../../support/world.ts'
import { cost, expectLinesExplainCharge, nanoOf, openStream, receiptOf, usd } from './purse.ts'

/** What a hold assumes of an answer whose length nobody limits. */
const ASSUMED_TOKENS = 512

/** The last token of an answer; all others are the same. */
const LAST = ' end'

/** Streams so many tokens, one a chunk, and reports them. */
function tokens(count: number, ...acts: readonly Act[]): Act {
  const pieces = Array.from({ length: count }, (_, index) => (index < count - 1 ? ' word' : LAST))
  return answers({ pieces: [...pieces, ...acts], usage: openaiUsage(9, count) })
}

test('a hold is no larger than what the caller may use: all of max_tokens', async () => {
  const gate = createGate()
  await using world = await startWorld({ provider: inOrder(gate, streams('Hello')) })
  const answer = world.chat({ max_tokens: 1000 })
  await gate.reached
  const { held } = await world.balance()
  expect(nanoOf(held)).toBeGreaterThanOrEqual(nanoOf(cost(9, 1000)))
  expect(nanoOf(held)).toBeLessThan(nanoOf(cost(40, 1000)))
  gate.open()
  await answer
})

/** Of which no hold of these answers is a hundredth, so that they have to grow. */
const SMALL_BALANCE = '0.1'

test('without max_tokens a hold begins with what is usual, and grows with the stream', async () => {
  const count = 2000
  await using world = await startWorld({ provider: tokens(count), balance: SMALL_BALANCE })
  const answer = await streamOf(await world.chat({ stream: true }))
  expect(answer.done).toBe(true)
  expect(contentOf(answer)).toEndWith(LAST)
  await world.settled()
  const ledger = await world.ledger()
  const [, hold, ...extensions] = ledger.filter(({ kind }) => kind !== 'release' && kind !== 'charge')
  expect(nanoOf(hold?.amount_usd ?? '')).toBeLessThan(nanoOf(cost(40, ASSUMED_TOKENS)))
  expect(extensions.length).toBeGreaterThan(1)
  expect(extensions.every(({ kind }) => kind === 'extend')).toBe(true)
  // What was held was enough for what was charged, and all of it was given back.
  const held = [hold, ...extensions].reduce((sum, line) => sum + nanoOf(line?.amount_usd ?? '0'), 0n)
  expect(held).toBeGreaterThanOrEqual(nanoOf(cost(9, count)))
  expect(ledger.slice(-2)).toEqual([
    { kind: 'release', amount_usd: usd(held) },
    { kind: 'charge', amount_usd: cost(9, count) },
  ])
  expect((await world.balance()).held).toBe('0.00')
})

test('a whole answer without max_tokens grows its hold in the same way', async () => {
  const count = 1500
  await using world = await startWorld({ provider: tokens(count), balance: SMALL_BALANCE })
  const response = await world.chat()
  expect((await jsonOf(response))['choices']).toMatchObject([{ finish_reason: 'stop' }])
  const kinds = (await world.ledger()).map(({ kind }) => kind)
  expect(kinds).toContain('extend')
  expect((await world.ledger()).at(-1)?.amount_usd).toBe(cost(9, count))
})

// Enough for the first hold and about 190 tokens more, of 4,000.
const BALANCE = '0.00107'

test('where all that it may write is small beside the balance, that is held at once, and nothing grows', async () => {
  await using world = await startWorld({ provider: tokens(2000) })
  await streamOf(await world.chat({ stream: true }))
  await world.settled()
  const ledger = await world.ledger()
  expect(ledger.map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release', 'charge'])
  expect(nanoOf(ledger[1]?.amount_usd ?? '')).toBeGreaterThanOrEqual(nanoOf(cost(9, 8192)))
})

test('a stream whose hold cannot grow ends with length: paid, and never beyond the balance', async () => {
  await using world = await startWorld({ provider: tokens(4000), balance: BALANCE })
  const response = await world.chat({ stream: true })
  const answer = await streamOf(response)
  expect(answer.error).toBeUndefined()
  expect(answer.done).toBe(true)
  const last = answer.chunks.at(-1)
  expect(last?.choices).toMatchObject([{ index: 0, delta: {}, finish_reason: 'length' }])
  expect(contentOf(answer).split(' word').length).toBeGreaterThan(ASSUMED_TOKENS)
  expect(contentOf(answer)).not.toContain(LAST)
  await world.provider.abortSeen()
  await world.settled()

  const receipt = await receiptOf(world, response)
  expect(receipt).toMatchObject({ ending: 'hold_exhausted', status: 200, usage: { source: 'estimated' } })
  expectLinesExplainCharge(receipt)
  const { balance, held } = await world.balance()
  expect(held).toBe('0.00')
  expect(nanoOf(balance)).toBeGreaterThanOrEqual(0n)
  expect(nanoOf(balance) + nanoOf(receipt.charge_usd)).toBe(nanoOf(BALANCE))
  expect(nanoOf(receipt.charge_usd)).toBeGreaterThan(nanoOf(cost(1, ASSUMED_TOKENS)))
})

test('a whole answer whose hold cannot grow ends with length too', async () => {
  await using world = await startWorld({ provider: tokens(4000), balance: BALANCE })
  const response = await world.chat()
  expect(response.status).toBe(200)
  expect((await jsonOf(response))['choices']).toMatchObject([{ finish_reason: 'length' }])
  expect((await receiptOf(world, response)).ending).toBe('hold_exhausted')
  expect(nanoOf((await world.balance()).balance)).toBeGreaterThanOrEqual(0n)
})

test("a key's spend limit stops the growth of a hold as the balance does", async () => {
  await using world = await startWorld({ provider: tokens(4000), key: { monthly_spend_usd: BALANCE } })
  const response = await world.chat({ stream: true })
  expect((await streamOf(response)).chunks.at(-1)?.choices).toMatchObject([{ finish_reason: 'length' }])
  await world.settled()
  const spent = 10_000_000_000n - nanoOf((await world.balance()).balance)
  expect(spent).toBeLessThan(nanoOf(cost(0, 2000)))
  const refused = await world.chat({ max_tokens: 1000 })
  expect(refused.status).toBe(402)
  expect((await errorOf(refused)).code).toBe('spend_limit_exceeded')
})

test('n choices whose hold cannot grow all end with length', async () => {
  await using world = await startWorld({ provider: tokens(3000), balance: '0.0018' })
  const answer = await streamOf(await world.chat({ stream: true, n: 2 }))
  expect(answer.done).toBe(true)
  const finishes = answer.chunks.flatMap(({ choices }) => choices).filter((c) => c.finish_reason !== null)
  expect(finishes.map(({ index, finish_reason: reason }) => [index, reason])).toEqual([
    [0, 'length'],
    [1, 'length'],
  ])
})

test('ten parallel streams without max_tokens all finish on twice what they cost', async () => {
  const count = 600
  const parallel = 10
  const balance = usd(nanoOf(cost(9, count)) * BigInt(parallel) * 2n)
  const gate = createGate()
  await using world = await startWorld({ provider: tokens(count, gate), balance })
  const callers = await Promise.all(Array.from({ length: parallel }, () => openStream(world)))
  await Promise.all(callers.map((caller) => caller.until(LAST)))
  // All of them hold now the most they ever will.
  const { held } = await world.balance()
  expect(nanoOf(held)).toBeGreaterThanOrEqual(nanoOf(cost(9, count)) * BigInt(parallel))
  expect(nanoOf(held)).toBeLessThanOrEqual(nanoOf(balance))
  gate.open()
  for (const caller of callers) {
    const answer = readStream(await caller.rest())
    expect(answer.done).toBe(true)
    expect(answer.chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
  }
  await world.settled()
  const charges = (await world.ledger()).filter(({ kind }) => kind === 'charge')
  expect(charges.map((line) => line.amount_usd)).toEqual(Array<string>(parallel).fill(cost(9, count)))
  expect(await world.balance()).toEqual({ balance: usd(nanoOf(balance) / 2n), held: '0.00' })
})

test('a balance that is too small is a 402 that names what is needed and what there is', async () => {
  await using world = await startWorld({ balance: '0.0001' })
  for (const body of [{ max_tokens: 1000 }, {}, { stream: true }]) {
    const response = await world.chat(body)
    expect(response.status).toBe(402)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 'insufficient_balance', type: 'payment_error', param: null })
    const [needed = '', available = ''] = Array.from(
      error.message.matchAll(/\$(\d+\.\d+)/g),
      ([, usd]) => usd,
    )
    expect(available).toBe('0.0001')
    expect(nanoOf(needed)).toBeGreaterThan(nanoOf(cost(1, ASSUMED_TOKENS)))
    expect(response.headers.get('retry-after')).toBeNull()
  }
  expect(world.provider.requests).toHaveLength(0)
  expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup'])
})

test('a balance that exactly covers the hold is enough; a nano-dollar less is not', async () => {
  await using poor = await startWorld({ balance: '0.00001' })
  const { message } = await errorOf(await poor.chat({ max_tokens: 100 }))
  const needed = /needs \$(\d+\.\d+)/.exec(message)?.[1] ?? ''
  await using exact = await startWorld({ balance: needed })
  expect((await exact.chat({ max_tokens: 100 })).status).toBe(200)
  await using short = await startWorld({ balance: usd(nanoOf(needed) - 1n) })
  expect((await short.chat({ max_tokens: 100 })).status).toBe(402)
})

test('a 402 that only calls in flight cause says so and when to retry; then it passes', async () => {
  const gate = createGate()
  await using world = await startWorld({ provider: inOrder(gate, streams('Hello')), balance: '0.002' })
  const first = world.chat({ max_tokens: 1000 })
  await gate.reached
  const refused = await world.chat({ max_tokens: 1000 })
  expect(refused.status).toBe(402)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  const error = await errorOf(refused)
  expect(error.code).toBe('insufficient_balance')
  expect(error.message).toContain('calls in flight')
  const [needed = '', available = ''] = Array.from(error.message.matchAll(/\$(\d+\.\d+)/g), ([, usd]) => usd)
  expect(nanoOf(needed)).toBeGreaterThan(nanoOf(available))
  expect(nanoOf(available)).toBe(nanoOf('0.002') - nanoOf((await world.balance()).held))
  gate.open()
  expect((await first).status).toBe(200)
  await world.settled()
  expect((await world.chat({ max_tokens: 1000 })).status).toBe(200)
})

test('usage above the hold is charged down to what other calls hold; the rest is written off', async () => {
  // The provider counts far more of the prompt than was held for it.
  const gate = createGate()
  const greedy = answers({ pieces: ['Hello'], usage: openaiUsage(6000, 12) })
  await using world = await startWorld({
    provider: (request) =>
      request.text.includes('"max_tokens":400') ? inOrder(gate, streams('Hello')) : greedy,
    balance: '0.001',
  })
  const other = world.chat({ max_tokens: 400 })
  await gate.reached
  const { held } = await world.balance()
  const response = await world.chat({ max_tokens: 100 })
  expect(response.status).toBe(200)
  const receipt = await receiptOf(world, response)
  expect(nanoOf(receipt.charge_usd)).toBe(nanoOf('0.001') - nanoOf(held))
  expect(nanoOf(receipt.charge_usd) + nanoOf(receipt.writeoff_usd)).toBe(nanoOf(cost(6000, 12)))
  expectLinesExplainCharge(receipt)
  gate.open()
  expect((await other).status).toBe(200)
  await world.settled()
  expect(nanoOf((await world.balance()).balance)).toBe(nanoOf(held) - nanoOf(cost(9, 12)))
})

/** As a provider that keeps to the limit that it is given. */
function limited(count: number): Act {
  const pieces = Array.from({ length: count }, () => 'word')
  return answers({ pieces, usage: openaiUsage(9, count), finishReason: 'length' })
}

test.each([{}, { max_tokens: 32_000 }, { stream: true }, { stream: true, max_tokens: 32_000 }])(
  'a request leaves with the output limit that the balance can pay, and its receipt says that the balance ended it: %j',
  async (body) => {
    await using world = await startWorld({
      provider: limited(600),
      config: () => ({ models: [standardModel({ max_output_tokens: 64_000 })] }),
      balance: BALANCE,
    })
    const response = await world.chat(body)
    expect(await response.text()).toContain('"finish_reason":"length"')
    await world.settled()
    const { body: sent } = await world.provider.request()
    const limit = (sent as { max_tokens: number }).max_tokens
    expect(limit).toBeGreaterThan(ASSUMED_TOKENS)
    // The prompt is held a little too high, so the limit is a little too low.
    expect(nanoOf(cost(0, limit))).toBeLessThan(nanoOf(BALANCE))
    expect(nanoOf(cost(40, limit))).toBeGreaterThan(nanoOf(BALANCE))
    const receipt = await receiptOf(world, response)
    expect(receipt).toMatchObject({ ending: 'hold_exhausted', writeoff_usd: '0.00' })
    expect(receipt.charge_usd).toBe(cost(9, 600))
  },
)

test('a balance that can pay all of it sets no limit of its own', async () => {
  await using world = await startWorld({ provider: tokens(20) })
  await (await world.chat({ stream: true })).text()
  await (await world.chat({ stream: true, max_tokens: 700 })).text()
  const sent = world.provider.requests.map(({ body }) => (body as { max_tokens?: number }).max_tokens)
  expect(sent).toEqual([undefined, 700])
})

test('an answer of long tokens, such as lines of dashes, comes whole and is paid', async () => {
  const pieces = [
    ...Array.from({ length: 2_000 }, () => ' word'),
    ...Array.from({ length: 3_000 }, () => '-'.repeat(64)),
  ]
  await using world = await startWorld({ provider: answers({ pieces, usage: openaiUsage(9, 5_000) }) })
  const answer = await streamOf(await world.chat({ stream: true }))
  expect([answer.error, answer.done]).toEqual([undefined, true])
  await world.settled()
  expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: cost(9, 5_000) })
})

/** One piece of text, far beyond any first hold, and all of it reported. */
const HUGE = 'word'.repeat(4_000)

test.each(['a stream', 'JSON, although a stream was asked for'])(
  'a huge piece is not passed on before the hold covers it: %s',
  async (how) => {
    const usage = openaiUsage(9, 4_000)
    const act =
      how === 'a stream'
        ? answers({ pieces: [HUGE], usage })
        : respond({ body: openaiCompletion(HUGE, { usage }) })
    await using rich = await startWorld({ provider: act, balance: SMALL_BALANCE })
    const whole = await streamOf(await rich.chat({ stream: true }))
    expect([whole.error, whole.done, contentOf(whole)]).toEqual([undefined, true, HUGE])
    await rich.settled()
    expect((await rich.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: cost(9, 4_000) })

    await using poor = await startWorld({ provider: act, balance: BALANCE })
    const cut = await streamOf(await poor.chat({ stream: true }))
    expect(cut.chunks.at(-1)?.choices).toMatchObject([{ finish_reason: 'length' }])
    expect(contentOf(cut).length).toBeGreaterThan(4 * ASSUMED_TOKENS)
    expect(nanoOf(cost(0, contentOf(cut).length / 4))).toBeLessThanOrEqual(nanoOf(BALANCE))
    await poor.settled()
    expect(nanoOf((await poor.balance()).balance)).toBeGreaterThanOrEqual(0n)
  },
)
