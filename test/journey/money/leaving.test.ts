import { expect, test } from 'bun:test'
import { ASSUMED_TOKENS_PER_SECOND } from '../../../src/core/model.ts'
import {
  createGate,
  hang,
  inOrder,
  inTurn,
  openaiChunk,
  openaiError,
  openaiUsage,
  openaiUsageChunk,
  pause,
  refuse,
  reset,
  sse,
  stream,
  type Act,
} from '../../support/scriptedProvider.ts'
import { standardConfig, standardModel, startWorld, type World } from '../../support/world.ts'
import {
  COUNTED_HELLO_WORLD,
  COUNTED_PROMPT,
  cost,
  expectChargedOnce,
  expectLinesExplainCharge,
  onlyReceipt,
  openStream,
  startRequest,
  usd,
} from './purse.ts'

/** How soon the provider is left after its caller has left; a machine that stalls for so long gets another try. */
const ABORT_WITHIN_MS = 1000
/** The same where the report of what was said may still come: two seconds, looked at once a second. */
const REPORT_WITHIN_MS = ABORT_WITHIN_MS + 3_000
const AGAIN = { retry: 2 }

const ROLE = openaiChunk({ role: 'assistant', content: '' })
const HELLO = openaiChunk({ content: 'Hello' })
const WORLD = openaiChunk({ content: ' world' })
const FINISH = openaiChunk({}, { finishReason: 'stop' })

/** Lets the caller go and waits until the provider has noticed and the books are closed. */
async function leave(world: World, hangUp: () => void, withinMs = ABORT_WITHIN_MS): Promise<void> {
  const leftAt = performance.now()
  hangUp()
  await world.provider.connectionClosed()
  expect(performance.now() - leftAt).toBeLessThan(withinMs)
  await world.settled()
}

test.concurrent(
  'who reads the answer and leaves before the usage pays for what it got, marked estimated',
  async () => {
    await using world = await startWorld({ provider: stream([ROLE, HELLO, WORLD, hang()]) })
    const caller = await openStream(world)
    await caller.until(' world')
    await leave(world, caller.leave, REPORT_WITHIN_MS)
    const receipt = await onlyReceipt(world)
    expect(receipt).toMatchObject({
      ending: 'client_left',
      status: 200,
      usage: {
        prompt_tokens: COUNTED_PROMPT,
        completion_tokens: COUNTED_HELLO_WORLD,
        source: 'estimated',
      },
    })
    expectLinesExplainCharge(receipt)
    await expectChargedOnce(world, cost(COUNTED_PROMPT, COUNTED_HELLO_WORLD))
  },
  AGAIN,
)

test.concurrent(
  'leaving between the finish of the answer and its usage does not make it free',
  async () => {
    const gate = createGate()
    await using world = await startWorld({ provider: stream([ROLE, HELLO, WORLD, FINISH, gate, hang()]) })
    const caller = await openStream(world)
    await caller.until(' world')
    await gate.reached
    await leave(world, caller.leave, REPORT_WITHIN_MS)
    expect((await onlyReceipt(world)).usage.source).toBe('estimated')
    await expectChargedOnce(world, cost(COUNTED_PROMPT, COUNTED_HELLO_WORLD))
  },
  AGAIN,
)

test.concurrent(
  'who leaves after the provider has told its usage pays by it',
  async () => {
    const usage = openaiUsage(9, 7)
    await using world = await startWorld({
      provider: stream([ROLE, HELLO, openaiChunk({ content: ' world' }, { more: { usage } }), hang()]),
    })
    const caller = await openStream(world)
    await caller.until(' world')
    await leave(world, caller.leave)
    expect((await onlyReceipt(world)).usage).toMatchObject({ completion_tokens: 7, source: 'reported' })
    await expectChargedOnce(world, cost(9, 7))
  },
  AGAIN,
)

test.concurrent(
  'a provider that goes on talking is left within a second',
  async () => {
    const talk = Array.from({ length: 200 }, () => [HELLO, pause(50)]).flat()
    await using world = await startWorld({ provider: stream([ROLE, ...talk, hang()]) })
    const caller = await openStream(world)
    await caller.until('Hello')
    await leave(world, caller.leave)
    expect((await onlyReceipt(world)).usage.source).toBe('estimated')
  },
  AGAIN,
)

test.concurrent(
  "who leaves never pays for more than the model's maximum",
  async () => {
    const words = Array.from({ length: 50 }, () => openaiChunk({ content: ' word' }))
    await using world = await startWorld({
      provider: stream([ROLE, ...words, openaiChunk({ content: ' last' }), hang()]),
      config: () => ({ models: [standardModel({ max_output_tokens: 8 })] }),
    })
    const caller = await openStream(world)
    await caller.until(' last')
    await leave(world, caller.leave, REPORT_WITHIN_MS)
    expect((await onlyReceipt(world)).usage.completion_tokens).toBe(8)
    await expectChargedOnce(world, cost(COUNTED_PROMPT, 8))
  },
  AGAIN,
)

const BEFORE_ANSWER: [string, Act, Record<string, unknown>][] = [
  ['a stream', hang(), { stream: true }],
  ['a stream whose headers are in', hang({ at: 'body' }), { stream: true }],
  ['a stream that has said nothing yet', stream([ROLE, hang()]), { stream: true }],
  ['one body', hang(), { max_tokens: 20 }],
  ['one body without max_tokens', hang(), {}],
]
test.concurrent.each(BEFORE_ANSWER)(
  'who leaves while waiting for %s pays for the prompt alone',
  async (_, act, body) => {
    await using world = await startWorld({ provider: act })
    const caller = startRequest(world, body)
    await world.provider.request()
    await leave(world, caller.leave)
    expect(await caller.outcome).toBe('left')
    const receipt = await onlyReceipt(world)
    expect(receipt).toMatchObject({
      ending: 'client_left_before_answer',
      status: 499,
      provider: 'acme',
      upstream_model: 'upstream-chat-1',
      usage: { prompt_tokens: COUNTED_PROMPT, completion_tokens: 0, source: 'estimated' },
      attempts: [
        {
          provider: 'acme',
          outcome: 'client_left',
          status: null,
          reason: 'The client left before the provider answered.',
        },
      ],
    })
    expect(receipt.lines.map((line) => line.class)).toEqual(['input'])
    expectLinesExplainCharge(receipt)
    await expectChargedOnce(world, cost(COUNTED_PROMPT, 0))
  },
  AGAIN,
)

test.concurrent(
  'who leaves while an answer that was asked whole comes is let go of, and its provider too',
  async () => {
    const begun = createGate()
    const headers = { 'content-type': 'application/json' }
    await using world = await startWorld({ provider: stream(['{"choices":[', begun], { headers }) })
    const caller = startRequest(world, { max_tokens: 20 })
    await begun.reached
    await leave(world, caller.leave)
    expect(await caller.outcome).toBe('left')
    expect(await onlyReceipt(world)).toMatchObject({ ending: 'client_left_before_answer', status: 499 })
  },
  AGAIN,
)

test.concurrent('who leaves an answer that was asked whole pays for the time that it was made in, less five seconds', async () => {
  const tokensOf = async (waitedMs: number, body: Record<string, unknown>): Promise<number> => {
    await using world = await startWorld({ provider: hang() })
    world.clock.set(world.clock.now())
    const caller = startRequest(world, { max_tokens: 2_000, ...body })
    await world.provider.request()
    world.clock.advance(waitedMs)
    caller.leave()
    expect(await caller.outcome).toBe('left')
    await world.settled()
    const receipt = await onlyReceipt(world)
    expect(receipt).toMatchObject({ ending: 'client_left_before_answer', status: 499, writeoff_usd: '0.00' })
    expect(receipt.usage).toMatchObject({ source: 'estimated', reasoning_tokens: 0 })
    expectLinesExplainCharge(receipt)
    const { completion_tokens: made } = receipt.usage
    await expectChargedOnce(world, cost(COUNTED_PROMPT, made))
    return made
  }
  expect(await tokensOf(5_000, {})).toBe(0)
  expect(await tokensOf(15_000, {})).toBe(10 * ASSUMED_TOKENS_PER_SECOND)
  expect(await tokensOf(15_000, { n: 2 })).toBe(2 * 10 * ASSUMED_TOKENS_PER_SECOND)
  expect(await tokensOf(15_000, { max_tokens: 100 })).toBe(100)
  // A stream would have shown it.
  expect(await tokensOf(15_000, { stream: true })).toBe(0)
})

test.concurrent(
  'who leaves while the whole answer is being gathered pays for what there was of it',
  async () => {
    const gate = createGate()
    await using world = await startWorld({ provider: stream([ROLE, HELLO, WORLD, gate, hang()]) })
    const caller = startRequest(world, {})
    await gate.reached
    // The first event has been waited for and the rest is on its way: what arrived counts, no more.
    await leave(world, caller.leave, REPORT_WITHIN_MS)
    expect(await caller.outcome).toBe('left')
    const receipt = await onlyReceipt(world)
    expect(receipt).toMatchObject({ ending: 'client_left', status: 499 })
    expect(receipt.usage).toMatchObject({ prompt_tokens: COUNTED_PROMPT, source: 'estimated' })
    expect(receipt.usage.completion_tokens).toBeLessThanOrEqual(COUNTED_HELLO_WORLD)
    expectLinesExplainCharge(receipt)
    await expectChargedOnce(world, receipt.charge_usd)
  },
  AGAIN,
)

test.concurrent(
  'who leaves before anything was sent pays nothing',
  async () => {
    for (const body of [{ stream: true }, { max_tokens: 20 }]) {
      await using world = await startWorld({
        provider: hang({ at: 'accept' }),
        // Nobody answers the TLS handshake: the request waits to be sent.
        config: (provider) =>
          withAcme(provider, {
            base_url: `https://127.0.0.1:${provider.port}/v1`,
            timeouts: { connect: '30s' },
          }),
      })
      const caller = startRequest(world, body)
      await world.provider.until(({ connectionsAccepted }) => connectionsAccepted === 1)
      await leave(world, caller.leave)
      expect(await caller.outcome).toBe('left')
      expect(await onlyReceipt(world)).toMatchObject({
        ending: 'client_left_before_answer',
        charge_usd: '0.00',
        lines: [],
        provider: null,
        attempts: [{ provider: 'acme', outcome: 'client_left' }],
      })
      expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release'])
    }
  },
  AGAIN,
)

test.concurrent('who leaves between two tries of an unreachable provider pays nothing', async () => {
  await using world = await startWorld({
    config: (provider) => withAcme(provider, { base_url: `${refuse()}/v1` }),
  })
  const caller = startRequest(world, { max_tokens: 20 })
  caller.leave()
  expect(await caller.outcome).toBe('left')
  await world.settled()
  expect((await world.ledger()).some(({ kind }) => kind === 'charge')).toBe(false)
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

test.concurrent(
  'who leaves while a fallback is asked pays for the prompt at the model that is asked',
  async () => {
    const dear = { input: 5, output: 15 }
    await using world = await startWorld({
      provider: inTurn(openaiError(400, { code: 'context_length_exceeded' }), hang()),
      config: () => ({
        models: [
          standardModel(),
          standardModel({ id: 'acme/dear', aliases: [], context_length: 256_000, our_price: dear }),
        ],
      }),
    })
    const caller = startRequest(world, { models: ['acme/dear'] })
    await world.provider.request(1)
    await leave(world, caller.leave)
    expect(await onlyReceipt(world)).toMatchObject({
      ending: 'client_left_before_answer',
      model: 'acme/dear',
      provider: 'acme',
      attempts: [{ outcome: 'too_large' }, { outcome: 'client_left' }],
    })
    await expectChargedOnce(world, usd(BigInt(COUNTED_PROMPT) * 5000n))
  },
  AGAIN,
)

test.concurrent('n choices by parallel calls: who leaves pays for every prompt that was sent', async () => {
  await using world = await startWorld({
    provider: hang(),
    config: (provider) => withAcme(provider, { quirks: { supports_n: false } }),
  })
  const caller = startRequest(world, { n: 3, stream: true })
  await world.provider.request(2)
  caller.leave()
  expect(await caller.outcome).toBe('left')
  await world.provider.connectionClosed(3)
  await world.settled()
  await expectChargedOnce(world, cost(3 * COUNTED_PROMPT, 0))
})

test.concurrent('n choices by parallel calls: who leaves in mid-answer pays for all that was made', async () => {
  const gates = [createGate(), createGate()]
  await using world = await startWorld({
    provider: (_, ordinal) => stream([ROLE, HELLO, WORLD, gates[ordinal] ?? hang(), hang()]),
    config: (provider) => withAcme(provider, { quirks: { supports_n: false } }),
  })
  const caller = await openStream(world, { n: 2 })
  await caller.until(' world')
  while (caller.text().split(' world').length < 3) await caller.until(caller.text() + 'data')
  caller.leave()
  await world.provider.connectionClosed(2)
  await world.settled()
  await expectChargedOnce(world, cost(2 * COUNTED_PROMPT, 2 * COUNTED_HELLO_WORLD))
})

test.concurrent('a provider that fails after it has told its usage costs nothing', async () => {
  const usage = openaiUsage(9, 7)
  for (const body of [{ stream: true }, {}]) {
    await using world = await startWorld({
      provider: stream([ROLE, openaiChunk({ content: 'Hello' }, { more: { usage } }), reset()]),
    })
    await (await world.chat(body)).text()
    await world.settled()
    expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release'])
  }
})

test.concurrent('n choices by parallel calls: one that fails makes all of them free', async () => {
  const gate = createGate()
  await using world = await startWorld({
    provider: (_, ordinal) => stream(ordinal === 1 ? [ROLE, HELLO, gate, reset()] : [ROLE, HELLO, hang()]),
    config: (provider) => withAcme(provider, { quirks: { supports_n: false } }),
  })
  const caller = await openStream(world, { n: 3 })
  await caller.until('Hello')
  gate.open()
  const text = await caller.rest()
  expect(text).toContain('"error"')
  expect(text).not.toContain('[DONE]')
  await world.settled()
  expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release'])
})

test.concurrent('who hangs up once all is said and done has paid for it once', async () => {
  await using world = await startWorld({
    provider: stream([ROLE, HELLO, WORLD, FINISH, openaiUsageChunk(openaiUsage(9, 12)), sse('[DONE]')]),
  })
  const caller = await openStream(world)
  await caller.until('[DONE]')
  caller.leave()
  await world.settled()
  expect((await onlyReceipt(world)).usage.source).toBe('reported')
  await expectChargedOnce(world, cost(9, 12))
})

test.concurrent('who leaves while the provider waits to be tried again is not answered, and not charged twice', async () => {
  const gate = createGate()
  await using world = await startWorld({ provider: inOrder(gate, reset()) })
  const caller = startRequest(world, { max_tokens: 20 })
  await gate.reached
  gate.open()
  await world.provider.connectionClosed()
  caller.leave()
  expect(await caller.outcome).toBe('left')
  await world.settled()
  const receipt = await onlyReceipt(world)
  expect(receipt.provider).toBe('acme')
  expect(receipt.attempts[0]?.outcome).toBe('connection')
  // The provider may have worked on the first try: the prompt is paid, once.
  await expectChargedOnce(world, cost(COUNTED_PROMPT, 0))
})

function withAcme(
  provider: World['provider'],
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const config = standardConfig(provider)
  const { acme } = config['providers'] as { acme: object }
  return { ...config, providers: { acme: { ...acme, ...changes } } }
}
