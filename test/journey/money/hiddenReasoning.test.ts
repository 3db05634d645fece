import { describe, expect, test } from 'bun:test'
import { TOKENS_PER_SECOND_DEFAULT } from '../../../src/pipeline/relay/hiddenReasoning.ts'
import { SPEEDS_MIN } from '../../../src/upstream/routing/speed.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import {
  type Act,
  answers,
  createGate,
  hang,
  openaiChunk,
  openaiUsage,
  stream,
} from '../../support/scriptedProvider.ts'
import { standardModel, startWorld, type World } from '../../support/world.ts'
import {
  COUNTED_PROMPT,
  cost,
  expectChargedOnce,
  expectLinesExplainCharge,
  nanoOf,
  onlyReceipt,
  openStream,
  receiptOf,
  startRequest,
} from './purse.ts'

const ROLE = openaiChunk({ role: 'assistant', content: '' })
const HELLO = openaiChunk({ content: 'Hello' })
/** Less than a lease, so that no hold runs out while the clock is set forward. */
const THOUGHT_MS = 20_000
const THOUGHT_TOKENS = (THOUGHT_MS / 1000) * TOKENS_PER_SECOND_DEFAULT

interface Thinking {
  readonly body?: Readonly<Record<string, unknown>>
  /** What shows before the model has thought. */
  readonly before?: readonly JsonObject[]
  /** What shows when it has. */
  readonly after?: readonly JsonObject[]
  readonly model?: Readonly<Record<string, unknown>>
  readonly balance?: string
}

/** A world whose provider thinks for 20 seconds before it says "Hello" and then falls silent; its caller leaves. */
async function leaveThinker({
  body,
  before = [],
  after = [HELLO],
  model,
  balance,
}: Thinking): Promise<World> {
  const gate = createGate()
  const silence = createGate()
  const world = await startWorld({
    provider: stream([ROLE, ...before, gate, ...after, silence, hang()]),
    config: () => ({ models: [standardModel({ hidden_reasoning: 'always', ...model })] }),
    ...(balance !== undefined && { balance }),
  })
  await leave(world, gate, { shows: after.length > 0, ...(body && { body }) })
  return world
}

async function leave(
  world: World,
  gate: ReturnType<typeof createGate>,
  {
    body,
    shows = true,
  }: { readonly body?: Readonly<Record<string, unknown>>; readonly shows?: boolean } = {},
): Promise<void> {
  world.clock.set(world.clock.now())
  const caller = await openStream(world, body)
  await gate.reached
  world.clock.advance(THOUGHT_MS)
  gate.open()
  if (shows) await caller.until('Hello')
  const closed = world.provider.connectionsAccepted - world.provider.connectionsOpen
  caller.leave()
  await world.provider.connectionClosed(closed + 1)
  await world.settled()
}

describe('who leaves a model that reasons out of sight', () => {
  test('pays for the time it reasoned, marked estimated, under reasoning tokens', async () => {
    await using world = await leaveThinker({})
    const receipt = await onlyReceipt(world)
    expect(receipt).toMatchObject({
      ending: 'client_left',
      usage: {
        prompt_tokens: COUNTED_PROMPT,
        completion_tokens: THOUGHT_TOKENS + 1,
        reasoning_tokens: THOUGHT_TOKENS,
        source: 'estimated',
      },
    })
    expectLinesExplainCharge(receipt)
    await expectChargedOnce(world, cost(COUNTED_PROMPT, THOUGHT_TOKENS + 1))
  })

  test.each<[string, JsonObject]>([
    ['in a summary', openaiChunk({ reasoning_content: 'Hello' })],
    ['in a tool call', openaiChunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'Hello' } }] })],
  ])('pays for it also where the first that shows is %s', async (_, first) => {
    await using world = await leaveThinker({ after: [first] })
    const { usage } = await onlyReceipt(world)
    expect(usage.reasoning_tokens).toBeWithin(THOUGHT_TOKENS - 5, THOUGHT_TOKENS + 1)
  })

  test('pays for reasoning that showed once', async () => {
    const before = [openaiChunk({ reasoning_content: 'So, hm. '.repeat(100) })]
    await using world = await leaveThinker({ before })
    const { completion_tokens: made, reasoning_tokens: hidden } = (await onlyReceipt(world)).usage
    expect(hidden).toBeWithin(1, THOUGHT_TOKENS)
    expect(made).toBeWithin(THOUGHT_TOKENS * 0.7, THOUGHT_TOKENS * 1.3)
  })

  test('pays for each choice', async () => {
    await using world = await leaveThinker({ body: { n: 2 } })
    expect((await onlyReceipt(world)).usage.reasoning_tokens).toBe(2 * THOUGHT_TOKENS)
  })

  test('never pays for more than it asked for', async () => {
    await using world = await leaveThinker({ body: { max_tokens: 100 } })
    expect((await onlyReceipt(world)).usage).toMatchObject({ completion_tokens: 100, reasoning_tokens: 99 })
  })

  test('never pays for more than its hold covers', async () => {
    await using world = await leaveThinker({
      model: { max_output_tokens: 64_000, assumed_output_tokens: 64 },
      balance: '0.0025',
    })
    const receipt = await onlyReceipt(world)
    expect(receipt.usage.reasoning_tokens).toBeWithin(1, THOUGHT_TOKENS)
    expect(nanoOf(receipt.charge_usd)).toBeLessThanOrEqual(nanoOf(receipt.hold_usd))
    expect(receipt.writeoff_usd).toBe('0.00')
  })

  test('pays for the prompt alone where nothing was seen', async () => {
    await using world = await leaveThinker({ after: [] })
    expect((await onlyReceipt(world)).ending).toBe('client_left')
    await expectChargedOnce(world, cost(COUNTED_PROMPT, 0))
  })

  test('pays by the report where there was one', async () => {
    const usage = openaiUsage(9, 7)
    await using world = await leaveThinker({
      after: [openaiChunk({ content: 'Hello' }, { more: { usage } })],
    })
    expect((await onlyReceipt(world)).usage.source).toBe('reported')
    await expectChargedOnce(world, cost(9, 7))
  })

  test.each<[string, Thinking]>([
    ['shows its reasoning', { model: { hidden_reasoning: 'never' } }],
    ['was not asked to reason', { model: { hidden_reasoning: 'on_request' } }],
    ['was asked not to reason', { body: { reasoning_effort: 'none' } }],
  ])('pays for what it saw where the model %s', async (_, thinking) => {
    await using world = await leaveThinker(thinking)
    expect((await onlyReceipt(world)).usage).toMatchObject({ completion_tokens: 1, reasoning_tokens: 0 })
  })

  test('pays for it while a whole answer is gathered, too', async () => {
    const gate = createGate()
    const seen = createGate()
    await using world = await startWorld({
      provider: stream([ROLE, gate, HELLO, seen, hang()]),
      config: () => ({ models: [standardModel({ hidden_reasoning: 'always' })] }),
    })
    world.clock.set(world.clock.now())
    const caller = startRequest(world, {})
    await gate.reached
    world.clock.advance(THOUGHT_MS)
    gate.open()
    await seen.reached
    caller.leave()
    await world.provider.connectionClosed()
    await world.settled()
    const { reasoning_tokens: hidden, completion_tokens: made } = (await onlyReceipt(world)).usage
    // The text may not have arrived when its caller left: then the prompt is all that is paid.
    expect([0, THOUGHT_TOKENS]).toContain(hidden)
    expect(made).toBe(hidden === 0 ? 0 : THOUGHT_TOKENS + 1)
  })
})

test('a model whose speed is learnt from whole answers is charged by that', async () => {
  const perSecond = 100
  const gate = createGate()
  let asked = 0
  /** Thinks as long as its tokens take, and reports them. */
  const whole: Act = {
    async play(turn) {
      world.clock.advance(10_000)
      await answers({ pieces: ['Hm.'], usage: openaiUsage(9, 10 * perSecond) }).play(turn)
    },
  }
  await using world = await startWorld({
    provider: () => (asked++ < SPEEDS_MIN ? whole : stream([ROLE, gate, HELLO, hang()])),
    config: () => ({ models: [standardModel({ hidden_reasoning: 'always' })] }),
  })
  world.clock.set(world.clock.now())
  for (let i = 0; i < SPEEDS_MIN; i++) await (await world.chat({ stream: true })).text()
  await leave(world, gate)
  const { data } = await world.operations.requests({})
  const left = data.find(({ ending }) => ending === 'client_left')
  const { usage } = await receiptOf(world, left?.id ?? '')
  expect(usage.reasoning_tokens).toBe((THOUGHT_MS / 1000) * perSecond)
})
