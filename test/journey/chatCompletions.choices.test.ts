import { describe, expect, test } from 'bun:test'
import { isJsonObject } from '../../src/core/json.ts'
import { contentOf, errorOf, jsonOf, streamOf } from '../support/readAnswer.ts'
import {
  type Script,
  type ScriptedProvider,
  close,
  createGate,
  openaiChunk,
  openaiCompletion,
  openaiError,
  openaiUsageChunk,
  pause,
  respond,
  sse,
  stream,
  streams,
} from '../support/scriptedProvider.ts'
import { MODEL, type World, standardConfig, startWorld } from '../support/world.ts'

/** A provider that refuses `n`: the gateway makes parallel calls. */
function withoutN(provider: ScriptedProvider): Record<string, unknown> {
  const { providers } = standardConfig(provider) as { providers: { acme: object } }
  return { providers: { acme: { ...providers.acme, quirks: { supports_n: false } } } }
}

const KINDS = [
  { name: 'a provider with n', config: standardConfig, calls: 1, usage: { prompt: 9, completion: 12 } },
  { name: 'a provider without n', config: withoutN, calls: 3, usage: { prompt: 27, completion: 36 } },
]

function worldOf(config: (provider: ScriptedProvider) => object, provider?: Script): Promise<World> {
  return startWorld({
    config: (own) => config(own) as Record<string, unknown>,
    ...(provider && { provider }),
  })
}

describe.each(KINDS)('n choices of $name', ({ config, calls, usage }) => {
  const wholeUsage = {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
  }
  const charge = { 1: '0.0000225', 3: '0.0000675' }[calls] ?? ''

  test('come whole with increasing index, one id and all of their usage', async () => {
    await using world = await worldOf(config)
    const response = await world.chat({ n: 3, max_tokens: 20 })
    const body = await jsonOf(response)
    const choices = body['choices'] as { index: number; message: { content: string } }[]
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2])
    for (const { message } of choices) expect(message.content).toBe('Hello world')
    expect(body['id']).toBe(response.headers.get('x-request-id') ?? '')
    expect(body['usage']).toMatchObject(wholeUsage)
    expect(world.provider.requests).toHaveLength(calls)
    expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: charge })
  })

  test('come whole without max_tokens too', async () => {
    await using world = await worldOf(config)
    const body = await jsonOf(await world.chat({ n: 3 }))
    expect(body['choices']).toMatchObject([{ index: 0 }, { index: 1 }, { index: 2 }])
    expect(body['usage']).toMatchObject(wholeUsage)
  })

  test('come as a stream: each with one role chunk, its text, one finish, and one [DONE] for all', async () => {
    await using world = await worldOf(config)
    const answer = await streamOf(
      await world.chat({ n: 3, stream: true, stream_options: { include_usage: true } }),
    )
    expect(answer.done).toBe(true)
    expect(new Set(answer.chunks.map(({ id }) => id)).size).toBe(1)
    for (const index of [0, 1, 2]) {
      const own = answer.chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index)
      expect(own[0]?.delta).toEqual({ role: 'assistant', content: '' })
      expect(own.filter(({ delta }) => 'role' in delta)).toHaveLength(1)
      expect(own.filter(({ finish_reason: finish }) => finish !== null)).toHaveLength(1)
      expect(own.at(-1)).toMatchObject({ delta: {}, finish_reason: 'stop' })
      expect(contentOf(answer, index)).toBe('Hello world')
    }
    expect(answer.chunks.at(-1)).toMatchObject({ choices: [], usage: wholeUsage })
    expect(answer.chunks.filter((chunk) => chunk['usage'] !== null)).toHaveLength(1)
    expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: charge })
  })

  test('are counted as one request and hold once', async () => {
    await using world = await worldOf(config)
    const response = await world.chat({ n: 3, max_tokens: 20 })
    expect(response.headers.get('x-ratelimit-remaining')).toBe('59')
    const kinds = (await world.ledger()).map(({ kind }) => kind)
    expect(kinds).toEqual(['topup', 'hold', 'release', 'charge'])
  })

  test('are one of one when n is 1, null or absent', async () => {
    await using world = await worldOf(config)
    for (const n of [1, null, undefined]) {
      const body = await jsonOf(await world.chat({ n, max_tokens: 20 }))
      expect(body['choices']).toHaveLength(1)
    }
    expect(world.provider.requests).toHaveLength(3)
    for (const request of world.provider.requests) expect(request.body).not.toHaveProperty('n')
  })
})

test('a provider with n is asked for n, one without is not', async () => {
  await using having = await worldOf(standardConfig)
  await having.chat({ n: 2, max_tokens: 20 })
  expect((await having.provider.request()).body).toMatchObject({ n: 2 })
  await using lacking = await worldOf(withoutN)
  await lacking.chat({ n: 2, max_tokens: 20 })
  expect(lacking.provider.requests).toHaveLength(2)
  for (const request of lacking.provider.requests) expect(request.body).not.toHaveProperty('n')
})

test('parallel calls keep their place, whichever is first to answer', async () => {
  const gates = [createGate(), createGate()]
  const texts = ['first', 'second']
  await using world = await worldOf(withoutN, (_, ordinal) => ({
    async play(turn) {
      await gates[ordinal]?.play(turn)
      await respond({ body: openaiCompletion(texts[ordinal] ?? '') }).play(turn)
    },
  }))
  const pending = world.chat({ n: 2, max_tokens: 20 })
  await Promise.all(gates.map((gate) => gate.reached))
  gates[1]?.open()
  gates[0]?.open()
  const body = await jsonOf(await pending)
  const choices = body['choices'] as { index: number; message: { content: string } }[]
  expect(choices.map(({ index }) => index)).toEqual([0, 1])
  expect(choices.map(({ message }) => message.content).toSorted()).toEqual(['first', 'second'])
})

test('of parallel calls one that fails makes the answer fail, and nothing is charged', async () => {
  await using world = await worldOf(withoutN, (_, ordinal) =>
    ordinal === 1 ? openaiError(400, { message: 'no' }) : streams('Hello'),
  )
  const response = await world.chat({ n: 3, max_tokens: 20 })
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({ code: 'invalid_request' })
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

test('of parallel streams one that breaks off ends all: an error event, no [DONE]', async () => {
  const gate = createGate()
  await using world = await worldOf(withoutN, (_, ordinal) =>
    ordinal === 1 ? streams('Hello', gate, close()) : streams('Hello', gate, ' world'),
  )
  const response = await world.chat({ n: 2, stream: true })
  await gate.reached
  gate.open()
  const answer = await streamOf(response)
  expect(answer.done).toBe(false)
  expect(answer.error).toMatchObject({ code: 'upstream_error' })
  await world.settled()
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

/** Answers with one choice, however many were asked for. */
const oneChoice: Script = ({ body }) =>
  isJsonObject(body) && body['stream'] === true
    ? stream([
        openaiChunk({ role: 'assistant', content: 'Hello' }),
        openaiChunk({ content: ' world' }),
        openaiChunk({}, { finishReason: 'stop' }),
        openaiUsageChunk(),
        sse('[DONE]'),
      ])
    : respond({ body: openaiCompletion('Hello world') })

describe('choices that a provider leaves out are made by further calls, each of which pays for its prompt', () => {
  test.each([
    ['asked whole', { max_tokens: 20 }],
    ['gathered', {}],
  ])('%s', async (_, body) => {
    await using world = await startWorld({ provider: oneChoice })
    const response = await world.chat({ n: 3, ...body })
    const { choices, usage } = await jsonOf(response)
    expect(choices).toMatchObject([0, 1, 2].map((index) => ({ index, message: { content: 'Hello world' } })))
    expect(usage).toMatchObject({ prompt_tokens: 27, completion_tokens: 36 })
    expect(world.provider.requests.map((request) => isJsonObject(request.body) && request.body['n'])).toEqual(
      [3, undefined, undefined],
    )
    expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '0.0000675' })
    expect((await world.balance()).held).toBe('0.00')
  })

  test('streamed', async () => {
    await using world = await startWorld({ provider: oneChoice })
    const answer = await streamOf(
      await world.chat({ n: 3, stream: true, stream_options: { include_usage: true } }),
    )
    expect(answer.done).toBe(true)
    for (const index of [0, 1, 2]) expect(contentOf(answer, index)).toBe('Hello world')
    await world.settled()
    expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '0.0000675' })
    expect((await world.balance()).held).toBe('0.00')
  })

  test.each([true, false])(
    'and where one of these calls fails, the answer does (streamed: %p)',
    async (streamed) => {
      await using world = await startWorld({
        provider: (request, ordinal) => (ordinal === 0 ? oneChoice(request, 0) : openaiError(400)),
      })
      const response = await world.chat({ n: 2, ...(streamed ? { stream: true } : { max_tokens: 20 }) })
      expect(response.status).toBe(streamed ? 200 : 400)
      expect(await response.text()).not.toContain('[DONE]')
      await world.settled()
      expect((await world.balance()).held).toBe('0.00')
    },
  )
})

test('128 choices are the most', async () => {
  await using world = await startWorld()
  const body = await jsonOf(await world.chat({ model: MODEL, n: 128, max_tokens: 1 }))
  expect(body['choices']).toHaveLength(128)
  const refused = await world.chat({ n: 129, max_tokens: 1 })
  expect(refused.status).toBe(400)
  expect(await errorOf(refused)).toMatchObject({ param: 'n' })
})

/** Counts how many of its calls are open at the same time; each takes a moment. */
function crowded(): { script: Script; most: () => number } {
  let open = 0
  let most = 0
  return {
    most: () => most,
    script: () => ({
      async play(turn) {
        most = Math.max(most, ++open)
        await pause(20).play(turn)
        open -= 1
        await streams('Hello').play(turn)
      },
    }),
  }
}

describe.each([true, false])('the parallel calls of one request (streamed: %p)', (stream) => {
  test.each([
    [20, undefined, 8],
    [6, 2, 2],
    [4, 1, 1],
  ] as const)(
    '%p choices, with a key for %p concurrent requests, are at most %p at the same time',
    async (n, concurrent_requests, most) => {
      const crowd = crowded()
      await using world = await startWorld({
        provider: crowd.script,
        config: (own) => withoutN(own),
        ...(concurrent_requests && { key: { concurrent_requests } }),
      })
      const response = await world.chat({ n, max_tokens: 20, stream })
      expect(response.status).toBe(200)
      if (stream) expect((await streamOf(response)).done).toBe(true)
      else expect((await jsonOf(response))['choices']).toHaveLength(n)
      expect([crowd.most(), world.provider.requests.length]).toEqual([most, n])
      await world.settled()
      expect((await world.balance()).held).toBe('0.00')
    },
  )

  test('wait for a rate limit that the others have passed, and cool no key for anyone', async () => {
    let calls = 0
    await using world = await worldOf(withoutN, () =>
      ++calls === 3 ? openaiError(429, {}, { 'retry-after-ms': '300' }) : streams('Hello'),
    )
    const response = await world.chat({ n: 4, max_tokens: 20, stream })
    expect(response.status).toBe(200)
    if (stream) expect((await streamOf(response)).done).toBe(true)
    else expect((await jsonOf(response))['choices']).toHaveLength(4)
    expect(world.provider.requests).toHaveLength(5)
    await world.settled()
    // Four prompts and answers: what was refused was not worked on.
    expect((await world.ledger()).at(-1)).toMatchObject({ kind: 'charge', amount_usd: '0.00009' })
    const metrics = await (await fetch(`${world.url}/metrics`)).text()
    expect(metrics).toContain('tollgate_upstream_failures_total{kind="rate_limited"} 1')
    expect((await world.chat({ max_tokens: 20 })).status).toBe(200)
  })
})
