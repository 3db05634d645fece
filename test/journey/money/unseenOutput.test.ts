import { describe, expect, test } from 'bun:test'
import { isJsonObject } from '../../../src/core/json.ts'
import type { ReceiptView } from '../../../src/operations/receipt.ts'
import { TEST_LIMIT_MS } from '../../support/scale.ts'
import {
  type Act,
  type Script,
  createGate,
  inOrder,
  openaiChunk,
  openaiUsage,
  openaiUsageChunk,
  sse,
  stream,
  streams,
} from '../../support/scriptedProvider.ts'
import { type World, standardConfig, standardModel, startWorld } from '../../support/world.ts'
import { nanoOf } from './purse.ts'

const CALLS = 30
const TOOLS = [{ type: 'function', function: { name: 'write', parameters: { type: 'object' } } }]

/** A tool call in one piece, of so many tokens or as many as it may have, and its report in the same breath. */
function callsWhole(tokens = Infinity): Act {
  return {
    async play(turn) {
      const body = turn.request?.body
      const limit = isJsonObject(body) && typeof body.max_tokens === 'number' ? body.max_tokens : 64_000
      const written = Math.min(tokens, limit)
      const call = { name: 'write', arguments: `{"text":"${'word'.repeat(written)}"}` }
      const frames = [
        openaiChunk({
          role: 'assistant',
          tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }],
        }),
        openaiChunk({}, { finishReason: 'tool_calls' }),
        openaiUsageChunk(openaiUsage(9, written)),
        sse('[DONE]'),
      ]
      await stream(frames, { coalesce: true }).play(turn)
    },
  }
}

/** A provider behind a small balance whose answers may be long. */
function startPoorWorld(provider: Script, quirks: Readonly<Record<string, unknown>> = {}): Promise<World> {
  return startWorld({
    provider,
    config: (scripted) => {
      const { acme } = standardConfig(scripted)['providers'] as { acme: object }
      return {
        providers: { acme: { ...acme, quirks } },
        models: [standardModel({ max_output_tokens: 64_000 })],
      }
    },
    balance: '0.05',
  })
}

/** Calls at once, half of them streamed, that are all admitted before the first is answered. */
async function manyAtOnce(
  world: World,
  gate: { readonly open: () => void },
  more: object = { tools: TOOLS },
): Promise<readonly ReceiptView[]> {
  const before = world.provider.requests.length
  const calls = Array.from({ length: CALLS }, (_, i) => world.chat({ stream: i % 2 === 0, ...more }))
  await world.provider.until(({ requests }) => requests.length > before + 5)
  gate.open()
  for (const response of await Promise.all(calls)) await response.text()
  await world.settled()
  const { data } = await world.operations.requests({ limit: '100' })
  return data
}

function expectBounded(receipts: readonly ReceiptView[]): void {
  for (const { hold_usd: hold, writeoff_usd: writeoff } of receipts) {
    expect(nanoOf(writeoff)).toBeLessThanOrEqual(3n * nanoOf(hold))
  }
}

async function expectSound(world: World): Promise<void> {
  const { balance, held } = await world.balance()
  expect(held).toBe('0.00')
  expect(nanoOf(balance)).toBeGreaterThanOrEqual(0n)
  for await (const found of world.gateway.store.books.verify()) {
    expect(found).toMatchObject({ ledgerBalance: found.balance, openHolds: 0n, brokenAt: null })
  }
}

describe('tool arguments in one piece', () => {
  test(
    'cost the house at most three times what was held, where their provider is said to send them so',
    async () => {
      const gate = createGate()
      await using world = await startPoorWorld(inOrder(gate, callsWhole()), { whole_tool_calls: true })
      const receipts = await manyAtOnce(world, gate)
      expect(receipts.length).toBeGreaterThan(5)
      expectBounded(receipts)
      await expectSound(world)
    },
    TEST_LIMIT_MS,
  )

  test('raise the hold of calls that may make them, and of no others', async () => {
    await using world = await startPoorWorld(streams('Hello'), { whole_tool_calls: true })
    for (const body of [{}, { tools: TOOLS, tool_choice: 'none' }, { tools: TOOLS }]) {
      await (await world.chat(body)).text()
    }
    await world.settled()
    const { data } = await world.operations.requests({})
    const holds = data.map(({ hold_usd: hold }) => nanoOf(hold)).toReversed()
    expect(holds).toHaveLength(3)
    const [plain = 0n, forbidden = 0n, offered = 0n] = holds
    expect(forbidden).toBeLessThan(2n * plain)
    expect(offered).toBeGreaterThan(5n * plain)
  })
})

test('a long prompt takes nothing from the output of a model that reasons out of sight', async () => {
  await using world = await startWorld({
    provider: streams('Hello'),
    config: () => ({
      models: [
        standardModel({ context_length: 200_000, max_output_tokens: 64_000, hidden_reasoning: 'always' }),
      ],
    }),
    balance: '1',
  })
  const content = 'word '.repeat(100_000)
  await (await world.chat({ messages: [{ role: 'user', content }], max_tokens: 32_000 })).text()
  expect(world.provider.requests[0]?.body).toMatchObject({ max_tokens: 32_000 })
})
