import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/core/json.ts'
import { contentOf, errorOf, jsonOf, streamOf } from '../../support/readAnswer.ts'
import {
  openaiChunk,
  openaiCompletion,
  openaiUsageChunk,
  respond,
  sse,
  stream,
  type Act,
} from '../../support/scriptedProvider.ts'
import { startMisbehaving } from './misbehaviour.ts'

const DONE = sse('[DONE]')
const SURPLUS = Array.from({ length: 20_000 }, (_, index) => index)
const TEXT = 'six hundred bytes of an answer that nobody asked for '.repeat(12)

/** The same answer by providers of the three formats that have several choices. */
const FORMATS = ['openai-chat', 'mistral-chat', 'google-generate'] as const
type Format = (typeof FORMATS)[number]

function wholeBody(format: Format, indexes: readonly unknown[]): JsonObject {
  if (format !== 'google-generate') {
    const choices = indexes.map((index) => ({
      index,
      message: { role: 'assistant', content: index === 0 ? 'Hello' : TEXT },
      finish_reason: 'stop',
    }))
    return openaiCompletion('', { more: { choices } as unknown as JsonObject })
  }
  const candidates = indexes.map((index) => ({
    index,
    content: { role: 'model', parts: [{ text: index === 0 ? 'Hello' : TEXT }] },
    finishReason: 'STOP',
  }))
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 12, totalTokenCount: 21 }
  return { candidates, usageMetadata } as unknown as JsonObject
}

function streamed(format: Format, indexes: readonly unknown[]): Act {
  if (format === 'google-generate') return stream([wholeBody(format, indexes)])
  const choices = (delta: object, reason: string | null): JsonObject =>
    openaiChunk(
      {},
      {
        more: {
          choices: indexes.map((index) => ({ index, delta, finish_reason: reason })),
        } as unknown as JsonObject,
      },
    )
  const first = choices({ role: 'assistant', content: '' }, null)
  const texts = indexes.map((index) => ({
    index,
    delta: { content: index === 0 ? 'Hello' : TEXT },
    finish_reason: null,
  }))
  const said = openaiChunk({}, { more: { choices: texts } as unknown as JsonObject })
  // The surplus never finishes.
  return stream([first, said, openaiChunk({}, { finishReason: 'stop' }), openaiUsageChunk(), DONE])
}

function providerOf(format: Format): { wire: Format; quirks: JsonObject } {
  return { wire: format, quirks: { supports_n: true } }
}

describe.each(FORMATS)('a provider that speaks %s', (format) => {
  test.each<[string, readonly unknown[]]>([
    ['sends 20,000 choices where one was asked for', SURPLUS],
    ['sends 20,000 choices of the same index', [0, ...SURPLUS.map(() => 0)]],
    ['sends choices of negative and fractional indexes', [-1, 0.5, -0.5, 0, 1e300, 128]],
  ])('and %s has only the one relayed and charged as reported', async (_, indexes) => {
    await using world = await startMisbehaving(respond({ body: wholeBody(format, indexes) }), () =>
      providerOf(format),
    )
    const whole = await world.chat({ max_tokens: 20 })
    const text = await whole.clone().text()
    expect(text.length).toBeLessThan(1_000)
    expect((await jsonOf(whole))['choices']).toMatchObject([{ index: 0, message: { content: 'Hello' } }])

    world.provider.play(streamed(format, indexes))
    const gathered = await jsonOf(await world.chat())
    expect(gathered['choices']).toMatchObject([{ index: 0, message: { content: 'Hello' } }])
    const answer = await streamOf(await world.chat({ max_tokens: 20, stream: true }))
    expect(answer.done).toBe(true)
    expect(contentOf(answer)).toBe('Hello')
    expect(answer.text.length).toBeLessThan(2_000)
    await world.settled()
    const charges = (await world.ledger()).filter(({ kind }) => kind === 'charge')
    expect(charges.map(({ amount_usd: amount }) => amount)).toEqual(Array(3).fill('0.0000225'))
  })

  test('and sends nothing that was asked for is a 502, whole or streamed, and free', async () => {
    await using world = await startMisbehaving(respond({ body: wholeBody(format, [1, 2, -1]) }), () =>
      providerOf(format),
    )
    const whole = await world.chat({ max_tokens: 20 })
    world.provider.play(stream([wholeChunks(format), DONE]))
    for (const response of [whole, await world.chat(), await world.chat({ max_tokens: 20, stream: true })]) {
      expect(response.status).toBe(502)
      expect(await errorOf(response)).toMatchObject({ code: 'upstream_error' })
    }
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })
})

/** One frame of a stream in which there are only choices that nobody asked for. */
function wholeChunks(format: Format): JsonObject {
  if (format === 'google-generate') return wholeBody(format, [1, 2, -1])
  const choices = [1, 2, -1].map((index) => ({ index, delta: { content: TEXT }, finish_reason: 'stop' }))
  return openaiChunk({}, { more: { choices } as unknown as JsonObject })
}

test('of parallel calls each gives one choice, whatever more its provider sends', async () => {
  await using world = await startMisbehaving(respond({ body: wholeBody('openai-chat', SURPLUS) }), () => ({
    quirks: { supports_n: false },
  }))
  const body = await jsonOf(await world.chat({ n: 2, max_tokens: 20 }))
  expect(body['choices']).toMatchObject([
    { index: 0, message: { content: 'Hello' } },
    { index: 1, message: { content: 'Hello' } },
  ])
  world.provider.play(streamed('openai-chat', SURPLUS))
  const answer = await streamOf(await world.chat({ n: 2, max_tokens: 20, stream: true }))
  expect([contentOf(answer, 0), contentOf(answer, 1)]).toEqual(['Hello', 'Hello'])
  expect(answer.done).toBe(true)
})

describe('a stream without a finish reason', () => {
  const said = [openaiChunk({ role: 'assistant', content: '' }), openaiChunk({ content: 'Hello' })]

  test('that reports its usage and ends with [DONE] is whole and ends with stop', async () => {
    await using world = await startMisbehaving(stream([...said, openaiUsageChunk(), DONE]))
    const answer = await streamOf(await world.chat({ max_tokens: 20, stream: true }))
    expect(answer.done).toBe(true)
    expect(answer.chunks.at(-1)?.choices).toMatchObject([{ delta: {}, finish_reason: 'stop' }])
    expect((await jsonOf(await world.chat()))['choices']).toMatchObject([{ finish_reason: 'stop' }])
    await world.settled()
    expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '0.0000225' })
  })

  test('that reports its usage and ends without [DONE] is cut, and free', async () => {
    await using world = await startMisbehaving(stream([...said, openaiUsageChunk()]))
    const answer = await streamOf(await world.chat({ max_tokens: 20, stream: true }))
    expect(answer.done).toBe(false)
    expect(answer.error).toMatchObject({ code: 'upstream_error' })
    await world.settled()
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })
})
