import { describe, expect, test } from 'bun:test'
import { STRIKES_TO_OPEN } from '../../../src/upstream/routing/streak.ts'
import { contentOf, jsonOf, streamOf } from '../../support/readAnswer.ts'
import {
  type Act,
  close,
  openaiChunk,
  openaiUsageChunk,
  sse,
  startScriptedProvider,
  stream,
  streams,
} from '../../support/scriptedProvider.ts'
import { receiptOf } from '../money/purse.ts'
import { MODEL, type World, standardConfig, standardModel, startWorld } from '../../support/world.ts'

// What the caller has seen decides: until content has left for it, another target answers in place of one that fails.

const OTHER = 'acme/other'
const ROLE = openaiChunk({ role: 'assistant', content: '' })
const HELLO = openaiChunk({ content: 'Hel' })
const OVERLOADED = sse({ error: { message: 'Overloaded.', type: 'server_error' } }, { event: 'error' })

/** Two targets: the first does this, the second says "Hello world" and takes no `seed`. */
async function worldOf(first: Act, body: (world: World) => Promise<void>): Promise<void> {
  await using second = await startScriptedProvider(streams('Hello', ' world'))
  await using world = await startWorld({
    provider: first,
    config(scripted) {
      const { acme } = standardConfig(scripted)['providers'] as { acme: object }
      const beta = { ...acme, base_url: second.baseUrl, quirks: { drop_fields: ['seed'] } }
      return {
        providers: { acme, beta },
        models: [
          standardModel({
            targets: [
              { provider: 'acme', model: 'upstream-chat-1' },
              { provider: 'beta', model: 'upstream-chat-2' },
            ],
          }),
          standardModel({ id: OTHER, aliases: [] }),
        ],
      }
    },
  })
  await body(world)
}

const BEFORE: readonly [string, Act][] = [
  ['an error', stream([ROLE, OVERLOADED])],
  ['a cut', stream([ROLE, close()])],
  ['an end without a reason', stream([ROLE, sse('[DONE]')])],
  ['a report and a cut', stream([ROLE, openaiUsageChunk(), close()])],
]

describe('a stream that fails before its first content is answered by the next target', () => {
  test.each(BEFORE)('%s', async (_, first) => {
    await worldOf(first, async (world) => {
      const response = await world.chat({ stream: true, seed: 7 })
      expect(response.headers.get('x-tollgate-dropped-fields')).toBe('seed')
      const answer = await streamOf(response)
      expect([answer.done, contentOf(answer)]).toEqual([true, 'Hello world'])
      const roles = answer.chunks.flatMap(({ choices }) => choices).filter(({ delta }) => 'role' in delta)
      expect(roles).toHaveLength(1)
      await world.settled()
      await expectAnsweredBySecond(world)
    })
  })

  test('and not after it', async () => {
    await worldOf(stream([ROLE, HELLO, OVERLOADED]), async (world) => {
      const answer = await streamOf(await world.chat({ stream: true }))
      expect([answer.done, contentOf(answer)]).toEqual([false, 'Hel'])
      expect(answer.error).not.toBeUndefined()
      await world.settled()
      expect((await world.balance()).balance).toBe('10.00')
    })
  })
})

/** So many events without content that they are handed over before it: as after 15 s, the headers have left. */
const HANDED_OVER = Array.from({ length: 1_001 }, () =>
  sse({ choices: [{ index: 0, delta: {}, logprobs: { content: [] }, finish_reason: null }] }),
)

describe('a stream that fails after its headers and before its first content', () => {
  test.each([
    ['an error', OVERLOADED],
    ['a cut', close()],
  ] as const)(
    'is answered by a target of the same model that leaves out the same fields: %s',
    async (_, end) => {
      await worldOf(stream([ROLE, ...HANDED_OVER, openaiUsageChunk(), end]), async (world) => {
        const answer = await streamOf(await world.chat({ stream: true }))
        expect([answer.done, contentOf(answer)]).toEqual([true, 'Hello world'])
        const deltas = answer.chunks.flatMap(({ choices }) => choices).map(({ delta }) => delta)
        expect(deltas.filter((delta) => 'role' in delta)).toHaveLength(1)
        expect(deltas.length).toBeLessThan(10)
        await world.settled()
        await expectAnsweredBySecond(world)
      })
    },
  )

  test.each([
    ['leaves out other fields', { seed: 7 }],
    ['is of another model', { model: OTHER, models: [MODEL] }],
  ])('is not answered by a target that %s: it ends with an error, free', async (_, more) => {
    await worldOf(stream([ROLE, ...HANDED_OVER, OVERLOADED]), async (world) => {
      const answer = await streamOf(await world.chat({ stream: true, ...more }))
      expect([answer.done, contentOf(answer)]).toEqual([false, ''])
      expect(answer.error).not.toBeUndefined()
      await world.settled()
      expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
      const { data } = await world.operations.requests({})
      expect(data).toMatchObject([{ ending: 'provider_failed', provider: 'acme', charge_usd: '0.00' }])
    })
  })
})

test('a stream with megabytes before its content is the caller’s all the same, so that it fills no memory', async () => {
  const logprobs = { content: [{ token: 'x'.repeat(400_000), logprob: 0, bytes: null, top_logprobs: [] }] }
  const large = sse({ choices: [{ index: 0, delta: {}, logprobs, finish_reason: null }] })
  await worldOf(stream([ROLE, large, large, large, OVERLOADED]), async (world) => {
    const response = await world.chat({ stream: true })
    expect(response.status).toBe(200)
    expect((await streamOf(response)).error).not.toBeUndefined()
  })
})

test('where no other target can answer, each attempt is one strike', async () => {
  await using world = await startWorld({ provider: stream([ROLE, ...HANDED_OVER, OVERLOADED]) })
  while (world.provider.requests.length < STRIKES_TO_OPEN) {
    const response = await world.chat({ stream: true })
    expect(response.status).toBe(200)
    expect((await streamOf(response)).error).not.toBeUndefined()
    await world.settled()
  }
  expect((await world.chat({ stream: true })).status).toBe(503)
})

describe('an answer that its caller wants whole, and that is asked as a stream, has every fallback to its end', () => {
  test.each([...BEFORE, ['a cut behind text', stream([ROLE, HELLO, close()])] as const])(
    '%s',
    async (_, first) => {
      await worldOf(first, async (world) => {
        const response = await world.chat({ seed: 7 })
        expect([response.status, response.headers.get('x-tollgate-dropped-fields')]).toEqual([200, 'seed'])
        expect((await jsonOf(response))['choices']).toMatchObject([{ message: { content: 'Hello world' } }])
        await expectAnsweredBySecond(world)
      })
    },
  )

  test('and where all fail, it is the failure of the last', async () => {
    await using world = await startWorld({ provider: stream([ROLE, HELLO, close()]) })
    const response = await world.chat()
    expect(response.status).toBe(502)
    await world.settled()
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })
})

/** Charged once, for the answer of the second target; the attempt at the first is in the receipt. */
async function expectAnsweredBySecond(world: World): Promise<void> {
  const { data } = await world.operations.requests({})
  expect(data).toMatchObject([{ ending: 'completed', provider: 'beta', charge_usd: '0.0000225' }])
  const { attempts } = await receiptOf(world, data[0]?.id ?? '')
  const outcomes = attempts.map(({ outcome }) => outcome)
  expect(outcomes.length).toBeGreaterThanOrEqual(2)
  expect([outcomes.indexOf('answered'), outcomes.at(-1)]).toEqual([outcomes.length - 1, 'answered'])
}
