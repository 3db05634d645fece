import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { checkedFetch } from '../support/checkedFetch.ts'
import { contentOf, errorOf, jsonOf, readerOf, readStream, streamOf } from '../support/readAnswer.ts'
import {
  answers,
  close,
  comment,
  createGate,
  hang,
  openaiChunk,
  openaiUsageChunk,
  reset,
  respond,
  openaiCompletion,
  sse,
  stream,
  streams,
} from '../support/scriptedProvider.ts'
import { MODEL, startWorld } from '../support/world.ts'
import { receiptOf } from '../support/receiptOf.ts'

describe('a stream', () => {
  test('has the role first, then the text, then an empty delta with the finish, then [DONE]', async () => {
    await using world = await startWorld()
    const response = await world.chat({ stream: true })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    expect(response.headers.get('cache-control')).toContain('no-cache')
    const { chunks, events, done } = await streamOf(response)
    expect(done).toBe(true)
    expect(events.filter((event) => event === '[DONE]')).toHaveLength(1)
    expect(chunks.map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
      [expect.objectContaining({ index: 0, delta: { content: 'Hello' }, finish_reason: null })],
      [expect.objectContaining({ index: 0, delta: { content: ' world' }, finish_reason: null })],
      [expect.objectContaining({ index: 0, delta: {}, finish_reason: 'stop' })],
    ])
  })

  test('has one id, created and model in all chunks: the id of the request', async () => {
    await using world = await startWorld()
    const response = await world.chat({ stream: true, model: 'acme/chat' })
    const { chunks } = await streamOf(response)
    const id = response.headers.get('x-request-id')
    expect(id).toMatch(/^chatcmpl-[0-9A-Z]{26}$/)
    expect(new Set(chunks.map((chunk) => chunk.id))).toEqual(new Set([id ?? '']))
    expect(new Set(chunks.map((chunk) => chunk.created)).size).toBe(1)
    expect(chunks[0]?.created).toBeInteger()
    for (const chunk of chunks) {
      expect(chunk.object).toBe('chat.completion.chunk')
      expect(chunk.model).toBe(MODEL)
      expect(chunk).not.toHaveProperty('usage')
    }
  })

  test.each([undefined, null, {}, { include_usage: false }, { include_usage: null }])(
    'has no usage under stream_options %j',
    async (options) => {
      await using world = await startWorld()
      const { chunks, done } = await streamOf(await world.chat({ stream: true, stream_options: options }))
      expect(done).toBe(true)
      for (const chunk of chunks) expect(chunk).not.toHaveProperty('usage')
    },
  )

  test('tells usage in a last chunk without choices when asked, and null before it', async () => {
    await using world = await startWorld()
    const answer = await streamOf(await world.chat({ stream: true, stream_options: { include_usage: true } }))
    const last = answer.chunks.at(-1)
    expect(last?.choices).toEqual([])
    expect(last?.['usage']).toMatchObject({ prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 })
    expect(last?.id).toBe(answer.chunks[0]?.id ?? '')
    expect(answer.chunks.length).toBe(5)
    for (const chunk of answer.chunks.slice(0, -1)) expect(chunk['usage']).toBeNull()
    expect(answer.events.at(-1)).toBe('[DONE]')
  })

  test('is charged its usage, asked for or not', async () => {
    await using world = await startWorld()
    await streamOf(await world.chat({ stream: true }))
    const sent = await world.provider.request()
    expect(sent.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '0.0000225' })
  })

  test('is charged before [DONE] is sent', async () => {
    await using world = await startWorld()
    const response = await world.chat({ stream: true })
    const { done } = await streamOf(response)
    expect(done).toBe(true)
    const receipt = await receiptOf(world.operations, response.headers.get('x-request-id') ?? '')
    expect(receipt.charge_usd).toBe('0.0000225')
  })

  test('begins while the provider is still at it', async () => {
    const gate = createGate()
    await using world = await startWorld({ provider: streams('Hello', gate, ' world') })
    const reading = readerOf(await world.chat({ stream: true }))
    expect(await reading.until('Hello')).not.toContain('[DONE]')
    gate.open()
    const text = await reading.rest()
    expect(text).toEndWith('data: [DONE]\n\n')
  })

  test('comes of a provider that answers whole, too', async () => {
    await using world = await startWorld({ provider: respond({ body: openaiCompletion('Hello world') }) })
    const answer = await streamOf(await world.chat({ stream: true }))
    expect(contentOf(answer)).toBe('Hello world')
    expect(answer.chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(answer.chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
    expect(answer.done).toBe(true)
  })

  test('has one role chunk, whether the provider sends none or one with every chunk', async () => {
    for (const role of [{}, { role: 'assistant' }]) {
      await using world = await startWorld({
        provider: stream([
          openaiChunk({ ...role, content: 'a' }),
          openaiChunk({ ...role, content: 'b' }),
          openaiChunk({ ...role, content: '' }, { finishReason: 'stop' }),
          openaiUsageChunk(),
          sse('[DONE]'),
        ]),
      })
      const answer = await streamOf(await world.chat({ stream: true }))
      const roles = answer.chunks.filter((chunk) => 'role' in (chunk.choices[0]?.delta ?? {}))
      expect(roles).toEqual([answer.chunks[0]] as typeof roles)
      expect(contentOf(answer)).toBe('ab')
      expect(answer.chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
    }
  })

  test.each(['stop', 'length', 'content_filter'])('ends with finish_reason %s', async (finishReason) => {
    await using world = await startWorld({ provider: answers({ pieces: ['Hel'], finishReason }) })
    const answer = await streamOf(await world.chat({ stream: true }))
    expect(answer.chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: finishReason })
    expect(answer.done).toBe(true)
  })

  test('passes no comment of the provider on', async () => {
    await using world = await startWorld({
      provider: streams('Hello', { play: (turn) => turn.body(comment('PROVIDER PROCESSING')) }, ' world'),
    })
    const answer = await streamOf(await world.chat({ stream: true }))
    expect(answer.text).not.toContain('PROCESSING')
    expect(contentOf(answer)).toBe('Hello world')
  })
})

test('silence of 10 s is filled with comments, a shorter one is not', async () => {
  const [long, short] = [createGate(), createGate()]
  await using world = await startWorld({
    provider: (_, ordinal) => streams('Hello', ordinal === 0 ? long : short, ' world'),
  })
  const start = Date.parse('2026-11-20T12:00:00Z')
  world.clock.set(start)
  const silent = readerOf(await world.chat({ stream: true }))
  await silent.until('Hello')
  world.clock.set(start + 1)
  const other = readerOf(await world.chat({ stream: true }))
  await other.until('Hello')
  world.clock.set(start + 10_000)
  await silent.until('\n\n: keep-alive\n\n')
  long.open()
  short.open()
  const text = await silent.rest()
  expect(text).toContain('\n\n: keep-alive\n\ndata: ')
  expect(readStream(text).done).toBe(true)
  expect(contentOf(readStream(text))).toBe('Hello world')
  expect(await other.rest()).not.toContain('keep-alive')
})

describe('a stream that its provider breaks off', () => {
  test.each([
    ['by closing', close()],
    ['by a reset', reset()],
    ['with an error event', stream([])],
  ])('%s ends with one error event, without a finish and without [DONE]', async (how, ending) => {
    const broken =
      how === 'with an error event'
        ? stream([
            openaiChunk({ role: 'assistant', content: 'Hello' }),
            { error: { message: 'secret detail sk-1234567890abcdef', type: 'server_error', code: null } },
          ])
        : streams('Hello', ending)
    await using world = await startWorld({ provider: broken })
    const response = await world.chat({ stream: true })
    expect(response.status).toBe(200)
    const answer = await streamOf(response)
    expect(contentOf(answer)).toBe('Hello')
    expect(answer.done).toBe(false)
    const failed = answer.events.filter((event) => event.includes('"error":'))
    expect(failed).toEqual([answer.events.at(-1) ?? ''])
    // A chunk like those before it, so that a client that knows nothing else can read it.
    const { id, object, created, model } = answer.chunks[0] as unknown as JsonObject
    expect(JSON.parse(failed[0] ?? '')).toEqual({
      id,
      object,
      created,
      model,
      choices: [],
      error: answer.error,
    })
    expect(answer.error).toMatchObject({ code: 'upstream_error', type: 'upstream_error', param: null })
    expect(answer.text).not.toContain('secret detail')
    for (const chunk of answer.chunks) expect(chunk.choices[0]?.finish_reason).toBeNull()
    await world.settled()
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })

  test('before its first event is an ordinary error with its own status', async () => {
    await using world = await startWorld({ provider: stream([close()]) })
    const response = await world.chat({ stream: true })
    expect(response.status).toBe(502)
    expect(await errorOf(response)).toMatchObject({ code: 'upstream_error' })
  })

  test('after headers and comments, before any event, is an ordinary error too', async () => {
    const gate = createGate()
    await using world = await startWorld({ provider: stream([comment('wait'), gate, close()]) })
    const pending = world.chat({ stream: true })
    await gate.reached
    gate.open()
    const response = await pending
    expect(response.status).toBe(502)
    expect(await errorOf(response)).toMatchObject({ code: 'upstream_error' })
  })

  test('without [DONE] but with its finish is whole', async () => {
    await using world = await startWorld({
      provider: stream([openaiChunk({ content: 'Hi' }), openaiChunk({}, { finishReason: 'stop' })]),
    })
    const answer = await streamOf(await world.chat({ stream: true, max_tokens: 5 }))
    expect(answer.done).toBe(true)
  }, 30_000)

  test('is a 502 for a caller that wants it whole, and costs nothing', async () => {
    await using world = await startWorld({ provider: streams('Hello', close()) })
    const response = await world.chat()
    expect(response.status).toBe(502)
    expect(await errorOf(response)).toMatchObject({ code: 'upstream_error', type: 'upstream_error' })
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })
})

test('a caller that leaves ends the call to the provider', async () => {
  await using world = await startWorld({ provider: streams('Hello', hang()) })
  const leaving = new AbortController()
  const response = await checkedFetch(`${world.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.secret}` },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }], stream: true }),
    signal: leaving.signal,
  })
  await readerOf(response).until('Hello')
  leaving.abort()
  await world.provider.abortSeen()
  await world.settled()
  expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release', 'charge'])
}, 30_000)

test('a client that asks for a whole answer never sees an event stream', async () => {
  await using world = await startWorld()
  for (const streamed of [undefined, null, false]) {
    const response = await world.chat({ stream: streamed })
    expect(response.headers.get('content-type')).toStartWith('application/json')
    expect(await jsonOf(response)).toHaveProperty('object', 'chat.completion')
  }
})
