import { describe, expect, test } from 'bun:test'
import { ASSUMED_TOKENS_PER_SECOND } from '../../../src/core/model.ts'
import { UNSEEN_FREE_MS } from '../../../src/pipeline/relay/unseenOutput.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { createGate, hang, openaiChunk, openaiUsage, stream } from '../../support/scriptedProvider.ts'
import { standardModel, startWorld, type World } from '../../support/world.ts'
import {
  COUNTED_PROMPT,
  cost,
  expectChargedOnce,
  expectLinesExplainCharge,
  nanoOf,
  onlyReceipt,
  openStream,
  startRequest,
} from './purse.ts'

const ROLE = openaiChunk({ role: 'assistant', content: '' })
const HELLO = openaiChunk({ content: 'Hello' })
/** Less than a lease, so that no hold runs out while the clock is set forward. */
const THOUGHT_MS = 20_000
const THOUGHT_TOKENS = (THOUGHT_MS / 1000) * ASSUMED_TOKENS_PER_SECOND

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
  // Nothing is sent to the caller before the content.
  const opening = shows ? openStream(world, body) : startRequest(world, { stream: true, ...body })
  await gate.reached
  world.clock.advance(THOUGHT_MS)
  gate.open()
  const caller = await opening
  if ('until' in caller) await caller.until('Hello')
  caller.leave()
  await (shows ? untilSettled(world) : world.settled())
}

/** Lets the time pass for which the report is awaited. */
async function untilSettled(world: World): Promise<void> {
  const settled = world.settled().then(() => true)
  while (!(await Promise.race([settled, Bun.sleep(20).then(() => false)]))) world.clock.advance(100)
}

describe.concurrent('who leaves a model that reasons out of sight', () => {
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

  test('pays for the time, less five seconds, where nothing was seen', async () => {
    await using world = await leaveThinker({ after: [] })
    const tokens = ((THOUGHT_MS - UNSEEN_FREE_MS) / 1000) * ASSUMED_TOKENS_PER_SECOND
    expect(await onlyReceipt(world)).toMatchObject({
      ending: 'client_left_before_answer',
      usage: { completion_tokens: tokens, reasoning_tokens: tokens, source: 'estimated' },
    })
    await expectChargedOnce(world, cost(COUNTED_PROMPT, tokens))
  })

  test('pays by the speed that the configuration assumes of the model', async () => {
    await using world = await leaveThinker({ model: { assumed_tokens_per_second: 200 } })
    expect((await onlyReceipt(world)).usage.reasoning_tokens).toBe((THOUGHT_MS / 1000) * 200)
  })

  test('pays for it although it asked not to reason, where the model always does', async () => {
    await using world = await leaveThinker({ body: { reasoning_effort: 'none' } })
    expect((await onlyReceipt(world)).usage.reasoning_tokens).toBe(THOUGHT_TOKENS)
  })

  test('pays by the report that comes within two seconds of its last text', async () => {
    const gate = createGate()
    const left = createGate()
    const usage = openaiUsage(9, 7_000)
    await using world = await startWorld({
      provider: stream([
        ROLE,
        HELLO,
        gate,
        left,
        openaiChunk({}, { finishReason: 'stop', more: { usage } }),
        hang(),
      ]),
      config: () => ({ models: [standardModel({ hidden_reasoning: 'always' })] }),
    })
    const caller = await openStream(world)
    await caller.until('Hello')
    await gate.reached
    gate.open()
    caller.leave()
    await left.reached
    left.open()
    await world.provider.connectionClosed()
    await world.settled()
    const receipt = await onlyReceipt(world)
    expect([receipt.ending, receipt.usage.source]).toEqual(['client_left', 'reported'])
    await expectChargedOnce(world, cost(9, 7_000))
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
    [
      'was asked not to reason',
      { model: { hidden_reasoning: 'on_request' }, body: { reasoning_effort: 'none' } },
    ],
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
    await untilSettled(world)
    const { reasoning_tokens: hidden, completion_tokens: made } = (await onlyReceipt(world)).usage
    // The text may not have arrived when its caller left.
    const unheard = THOUGHT_TOKENS - (UNSEEN_FREE_MS / 1000) * ASSUMED_TOKENS_PER_SECOND
    expect(hidden).toBeWithin(unheard, THOUGHT_TOKENS + ASSUMED_TOKENS_PER_SECOND)
    expect(made - hidden).toBeWithin(0, 2)
  })
})
