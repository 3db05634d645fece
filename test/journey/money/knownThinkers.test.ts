import { expect, test } from 'bun:test'
import { isJsonObject } from '../../../src/core/json.ts'
import {
  type Act,
  answers,
  createGate,
  inOrder,
  openaiUsage,
  respond,
  sse,
  stream,
} from '../../support/scriptedProvider.ts'
import { startWorld } from '../../support/world.ts'
import { nanoOf } from './purse.ts'

/** What a model thinks unseen where its limit allows it. */
const THOUGHT_TOKENS = 20_000
/** In holds: what calls with unseen output can lose (docs/operations.md#write-offs). */
const LOSS_MOST = 3n

/** Claude thinks without showing it, as much as it may, and says a word. */
const thinker: Act = {
  async play(turn) {
    const body = turn.request?.body
    const asked = isJsonObject(body) ? body : {}
    const limit = typeof asked.max_tokens === 'number' ? asked.max_tokens : THOUGHT_TOKENS
    const usage = { input_tokens: 9, output_tokens: Math.min(limit, THOUGHT_TOKENS) }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' }
    const event = (type: string, more: object): string => sse({ type, ...more }, { event: type })
    const act =
      asked.stream === true
        ? stream([
            event('message_start', {
              message: { ...message, content: [], usage: { input_tokens: 9, output_tokens: 1 } },
            }),
            event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
            event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hm.' } }),
            event('content_block_stop', { index: 0 }),
            event('message_delta', { delta: { stop_reason: 'end_turn' }, usage }),
            event('message_stop', {}),
          ])
        : respond({
            body: { ...message, content: [{ type: 'text', text: 'Hm.' }], stop_reason: 'end_turn', usage },
          })
    await act.play(turn)
  },
}

interface Held {
  /** How many calls came to the provider, and how many did not. */
  readonly arrived: number
  readonly refused: number
  /** In nano-dollars, while all that arrived were under way. */
  readonly held: bigint
  /** In nano-dollars, when all had ended. */
  readonly lost: bigint
}

/** Plain calls to a known model, at the same time. The provider answers when each has arrived or was refused. */
async function callAtOnce(
  provider: string,
  model: string,
  calls: number,
  balance: string,
  act: Act,
): Promise<Held> {
  const gate = createGate()
  const count = { arrived: 0, refused: 0 }
  const arrive: Act = { play: async () => void (count.arrived += 1) }
  await using world = await startWorld({
    provider: inOrder(arrive, gate, act),
    config: ({ baseUrl }) => ({
      providers: { [provider]: { base_url: baseUrl, api_key: 'provider-secret' } },
      models: [model],
    }),
    balance,
  })
  const all = Array.from({ length: calls }, async () => {
    const answer = await world.chat({ model })
    if (answer.status !== 200) count.refused += 1
    await answer.text()
  })
  const isDecided = (): boolean => count.arrived + count.refused === calls
  while (!isDecided()) await new Promise((resolve) => setImmediate(resolve))
  const held = nanoOf((await world.balance()).held)
  gate.open()
  await Promise.all(all)
  await world.settled()
  const { data } = await world.operations.requests({ limit: '100' })
  const lost = data.reduce((sum, { writeoff_usd: writeoff }) => sum + nanoOf(writeoff), 0n)
  return { ...count, held, lost }
}

test.each(['claude-sonnet-5', 'claude-opus-5'])(
  'simultaneous plain calls to %s lose at most three times their holds',
  async (model) => {
    const { arrived, held, lost } = await callAtOnce('anthropic', model, 10, '0.30', thinker)
    expect(arrived).toBeGreaterThan(1)
    expect({ lost, isPromised: lost <= LOSS_MOST * held }).toEqual({ lost, isPromised: true })
  },
)

test('a balance pays many simultaneous plain calls to GPT-5.4: they are not held as if it reasoned', async () => {
  const act = answers({ pieces: ['Hello'], usage: openaiUsage(9, 12) })
  expect(await callAtOnce('openai', 'gpt-5.4', 40, '2', act)).toMatchObject({ refused: 0, lost: 0n })
})
