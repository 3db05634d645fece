import { describe, expect, test } from 'bun:test'
import { StoreUnavailable } from '../../../src/core/ports/till.ts'
import { SETTLEMENT_PATIENCE_MS } from '../../../src/pipeline/settle/settle.ts'
import { checkedFetch } from '../../support/checkedFetch.ts'
import { errorOf } from '../../support/readAnswer.ts'
import { createGate, openaiChunk, hang, pause, stream } from '../../support/scriptedProvider.ts'
import { MESSAGES, type World, startWorld } from '../../support/world.ts'
import { expectLinesExplainCharge, onlyReceipt, openStream } from './purse.ts'

/** What an agent sends back after the model has called a tool that is no function. */
const CUSTOM_CALL = [
  ...MESSAGES,
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin Patch' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'Done' },
]
const WITHOUT_USAGE = [
  openaiChunk({ role: 'assistant', content: '' }),
  openaiChunk({ content: 'Hello' }),
  openaiChunk({}, { finishReason: 'stop' }),
]

/** A provider whose caller leaves is left at the next text. */
const GOES_ON = [pause(500), openaiChunk({ content: ' again' }), hang()]

/** Of which no hold is a hundredth: it has to grow. */
const SMALL_BALANCE = '0.01'

/** The store throws, once, what no one foresaw. */
function failOnce(world: World, part: 'settle' | 'extend'): void {
  const till = world.gateway.store.till as unknown as Record<string, unknown>
  const real = till[part]
  till[part] = () => {
    till[part] = real
    return Promise.reject(new TypeError('nobody foresaw this'))
  }
}

/** The store is away for longer than a settlement waits, once. */
function awayOnce(world: World): void {
  const till = world.gateway.store.till as unknown as Record<string, unknown>
  const real = till['settle']
  till['settle'] = () => {
    till['settle'] = real
    world.clock.advance(SETTLEMENT_PATIENCE_MS)
    return Promise.reject(new StoreUnavailable('scripted'))
  }
}

async function faultsOf(world: World): Promise<string[]> {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return Array.from(
    text.matchAll(/^tollgate_gateway_failures_total\{at="(\w+)"\} [1-9]\d*$/gm),
    ([, at]) => at ?? '',
  )
}

/** Nothing stays held, and there is one receipt. */
async function expectOver(world: World): Promise<void> {
  await world.settled()
  while ((await world.operations.requests({})).data.length === 0) await Bun.sleep(5)
  expect((await world.balance()).held).toBe('0.00')
}

describe('a call of a custom tool in the history, answered without a usage report', () => {
  test.each([true, false])('is counted and charged (streamed: %p)', async (streamed) => {
    await using world = await startWorld({ provider: stream(WITHOUT_USAGE) })
    const response = await world.chat({ messages: CUSTOM_CALL, stream: streamed })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Hello')
    await expectOver(world)
    const receipt = await onlyReceipt(world)
    expect(receipt).toMatchObject({ ending: 'completed', usage: { source: 'estimated' } })
    expect(receipt.usage.prompt_tokens).toBeGreaterThan(10)
    expectLinesExplainCharge(receipt)
    expect(await faultsOf(world)).toEqual([])
  })

  test('whose caller leaves is counted and charged', async () => {
    await using world = await startWorld({ provider: stream([...WITHOUT_USAGE.slice(0, 2), ...GOES_ON]) })
    const caller = await openStream(world, { messages: CUSTOM_CALL })
    await caller.until('Hello')
    caller.leave()
    await expectOver(world)
    expect(await onlyReceipt(world)).toMatchObject({ ending: 'client_left', usage: { source: 'estimated' } })
  })
})

describe('a fault of ours ends its call, which is free, and no other', () => {
  test('in the settlement of a whole answer: a 500', async () => {
    await using world = await startWorld()
    failOnce(world, 'settle')
    const response = await world.chat()
    expect(response.status).toBe(500)
    expect(await errorOf(response)).toMatchObject({ code: 'internal_error' })
    await expectOver(world)
    expect(await onlyReceipt(world)).toMatchObject({ ending: 'gateway_failed', charge_usd: '0.00' })
    expect((await world.chat()).status).toBe(200)
  })

  test('in the settlement of a stream: its last event is an error', async () => {
    await using world = await startWorld()
    failOnce(world, 'settle')
    const text = await (await world.chat({ stream: true })).text()
    expect(text).toContain('"code":"internal_error"')
    expect(text).not.toContain('[DONE]')
    await expectOver(world)
    expect(await onlyReceipt(world)).toMatchObject({ ending: 'gateway_failed', charge_usd: '0.00' })
    expect(await faultsOf(world)).toEqual(['answer'])
  })

  test('in the settlement of a call whose caller has left', async () => {
    await using world = await startWorld({ provider: stream([...WITHOUT_USAGE.slice(0, 2), ...GOES_ON]) })
    const caller = await openStream(world)
    await caller.until('Hello')
    failOnce(world, 'settle')
    caller.leave()
    await expectOver(world)
    expect(await onlyReceipt(world)).toMatchObject({ ending: 'gateway_failed', charge_usd: '0.00' })
    expect(await faultsOf(world)).toEqual(['settlement'])
  })

  test.each([true, false])('where its hold should grow (streamed: %p)', async (streamed) => {
    const gate = createGate()
    const provider = stream([
      openaiChunk({ role: 'assistant', content: '' }),
      gate,
      openaiChunk({ content: 'x'.repeat(3_000) }),
      hang(),
    ])
    await using world = await startWorld({ provider, balance: SMALL_BALANCE })
    const { key: other } = await world.operations.createKey(world.workspaceId, { name: 'other' })
    const pending = world.chat({ stream: streamed })
    await gate.reached
    failOnce(world, 'extend')
    gate.open()
    const response = await pending
    expect(await response.text()).toContain('"code":"internal_error"')
    expect(response.status).toBe(streamed ? 200 : 500)
    await expectOver(world)
    expect(await onlyReceipt(world)).toMatchObject({ ending: 'gateway_failed', charge_usd: '0.00' })
    const headers = { authorization: `Bearer ${other}` }
    expect((await checkedFetch(`${world.url}/v1/credits`, { headers })).status).toBe(200)
  })
})

describe('an answer whose settlement is lost is not charged and not kept: its Idempotency-Key is free again', () => {
  const KEY = { 'idempotency-key': 'once' }
  const LOSSES: [string, (world: World) => void, string][] = [
    ['a fault of ours', (world) => failOnce(world, 'settle'), 'internal_error'],
    ['a store that is away', awayOnce, 'service_unavailable'],
  ]
  const cases = LOSSES.flatMap(([by, lose, code]) =>
    [true, false].map(
      (streamed) => [`${by}, ${streamed ? 'streamed' : 'whole'}`, lose, code, streamed] as const,
    ),
  )

  test.each(cases)('by %s', async (_, lose, code, streamed) => {
    await using world = await startWorld()
    world.clock.set(Date.now())
    lose(world)
    const response = await world.chat({ stream: streamed, max_tokens: 20 }, KEY)
    const text = await response.text()
    expect(text).toContain(`"code":"${code}"`)
    expect(text).not.toContain('[DONE]')
    await expectOver(world)
    expect(await onlyReceipt(world)).toMatchObject({
      ending: 'gateway_failed',
      charge_usd: '0.00',
      lines: [],
    })
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
    // An outage of the store is told as one, and is no fault of the gateway.
    if (lose === awayOnce) expect(await faultsOf(world)).toEqual([])

    const again = await world.chat({ stream: streamed, max_tokens: 20 }, KEY)
    expect(again.status).toBe(200)
    expect(again.headers.get('idempotent-replayed')).toBeNull()
    expect(await again.text()).toContain('Hello')
    await world.settled()
    expect(world.provider.requests).toHaveLength(2)
    expect((await world.ledger()).filter(({ kind }) => kind === 'charge')).toHaveLength(1)
  })
})
