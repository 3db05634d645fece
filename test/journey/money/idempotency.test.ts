import { expect, test } from 'bun:test'
import type { KeyId } from '../../../src/core/id.ts'
import { errorOf, jsonOf, rateOf, readStream } from '../../support/readAnswer.ts'
import {
  createGate,
  hang,
  inOrder,
  inTurn,
  openaiChunk,
  openaiError,
  respond,
  stream,
  streams,
} from '../../support/scriptedProvider.ts'
import { standardModel, startWorld, type World } from '../../support/world.ts'
import { cost, openStream, receiptOf } from './purse.ts'

const KEY = { 'idempotency-key': 'order-4711' }
const CALLERS = 10
const HOUR_MS = 3_600_000

const BODIES = {
  'one body': { max_tokens: 20 },
  'one body without max_tokens': {},
  'a stream': { max_tokens: 20, stream: true, stream_options: { include_usage: true } },
}

async function chargesOf(world: World): Promise<string[]> {
  const lines = await world.ledger()
  return lines.filter(({ kind }) => kind === 'charge').map((line) => line.amount_usd)
}

for (const [what, body] of Object.entries(BODIES)) {
  test(`ten parallel requests with one key for ${what}: one call, one charge, the same bytes`, async () => {
    const gate = createGate()
    await using world = await startWorld({ provider: inOrder(gate, streams('Hello', ' world')) })
    const answers = Array.from({ length: CALLERS }, () => world.chat(body, KEY))
    await gate.reached
    gate.open()
    const responses = await Promise.all(answers)
    const texts = await Promise.all(responses.map((response) => response.text()))
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(CALLERS).fill(200))
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toContain('Hello')
    // One completion under one id; the twins say that they are replays.
    expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(1)
    expect(new Set(responses.map(({ headers }) => headers.get('content-type'))).size).toBe(1)
    const replayed = responses.map(({ headers }) => headers.get('idempotent-replayed'))
    expect(replayed.filter((value) => value === 'true')).toHaveLength(CALLERS - 1)
    await world.settled()
    expect(world.provider.requests).toHaveLength(1)
    expect(await chargesOf(world)).toEqual([cost(9, 12)])
    expect((await world.balance()).held).toBe('0.00')
    // Each of them has used one of the minute's requests.
    const next = await world.request('GET', '/v1/models')
    expect(rateOf(next).remaining).toBe(60 - CALLERS - 1)
  })

  test(`a key that comes again gets ${what} again, for nothing`, async () => {
    await using world = await startWorld()
    const first = await world.chat(body, KEY)
    const text = await first.text()
    const second = await world.chat(body, KEY)
    expect(second.status).toBe(200)
    expect(await second.text()).toBe(text)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(second.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'))
    expect(rateOf(second).remaining).toBe(rateOf(first).remaining - 1)
    await world.settled()
    expect(world.provider.requests).toHaveLength(1)
    expect(await chargesOf(world)).toEqual([cost(9, 12)])
    expect((await receiptOf(world, second)).charge_usd).toBe(cost(9, 12))
  })

  test(`a failed first call for ${what} frees its key`, async () => {
    await using world = await startWorld({ provider: respond({ body: {} }) })
    const failed = await world.chat(body, KEY)
    expect(failed.status).toBe(502)
    world.provider.play(streams('Hello', ' world'))
    const second = await world.chat(body, KEY)
    expect(second.status).toBe(200)
    expect(second.headers.get('idempotent-replayed')).toBeNull()
    expect(await second.text()).toContain('Hello')
    await world.settled()
    expect(await chargesOf(world)).toEqual([cost(9, 12)])
  })
}

test('a streamed replay is a whole stream in the order of the contract', async () => {
  await using world = await startWorld()
  await (await world.chat({ stream: true }, KEY)).text()
  const replay = await world.chat({ stream: true }, KEY)
  expect(replay.headers.get('content-type')).toStartWith('text/event-stream')
  const answer = readStream(await replay.text())
  expect(answer.done).toBe(true)
  expect(answer.chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, null, 'stop'])
})

test('the same key with another body is a 409, during the first call and after it', async () => {
  const gate = createGate()
  await using world = await startWorld({ provider: inOrder(gate, streams('Hello')) })
  const first = world.chat({ max_tokens: 20 }, KEY)
  await gate.reached
  for (const when of ['during', 'after']) {
    if (when === 'after') {
      gate.open()
      expect((await first).status).toBe(200)
    }
    const other = await world.chat({ max_tokens: 21 }, KEY)
    expect(other.status).toBe(409)
    expect(await errorOf(other)).toMatchObject({
      code: 'idempotency_conflict',
      type: 'invalid_request_error',
      param: null,
    })
    expect(rateOf(other).remaining).toBeGreaterThanOrEqual(0)
  }
  await world.settled()
  expect(world.provider.requests).toHaveLength(1)
  expect(await chargesOf(world)).toEqual([cost(9, 12)])
})

test('a key belongs to its workspace: another one may use the same', async () => {
  await using world = await startWorld()
  await (await world.chat({ max_tokens: 20 }, KEY)).text()
  const other = await world.operations.createWorkspace({ name: 'other', type: 'personal' })
  await world.operations.credit(other.id, { amount_usd: '1' })
  const { key } = await world.operations.createKey(other.id, { name: 'other' })
  const response = await world.chat({ max_tokens: 30 }, { ...KEY, authorization: `Bearer ${key}` })
  expect(response.status).toBe(200)
  expect(response.headers.get('idempotent-replayed')).toBeNull()
  expect(world.provider.requests).toHaveLength(2)
})

test('an answer is kept for 24 hours and then forgotten', async () => {
  await using world = await startWorld()
  world.clock.set('2026-11-20T12:00:00Z')
  const first = await (await world.chat({ max_tokens: 20 }, KEY)).text()
  world.clock.advance(24 * HOUR_MS - 1)
  const kept = await world.chat({ max_tokens: 20 }, KEY)
  expect(await kept.text()).toBe(first)
  expect(world.provider.requests).toHaveLength(1)
  world.clock.advance(1)
  const forgotten = await world.chat({ max_tokens: 20 }, KEY)
  expect(await forgotten.text()).not.toBe(first)
  expect(forgotten.headers.get('idempotent-replayed')).toBeNull()
  await world.settled()
  expect(world.provider.requests).toHaveLength(2)
  expect(await chargesOf(world)).toEqual([cost(9, 12), cost(9, 12)])
})

test('requests that wait for a first call that fails fail too, may be retried, and nobody pays', async () => {
  const gate = createGate()
  await using world = await startWorld({ provider: inOrder(gate, openaiError(401)) })
  const answers = Array.from({ length: 3 }, () => world.chat({ max_tokens: 20 }, KEY))
  await gate.reached
  await counted(world, 3)
  gate.open()
  const statuses: number[] = []
  for (const response of await Promise.all(answers)) {
    statuses.push(response.status)
    if (response.status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    await errorOf(response)
  }
  expect(statuses.toSorted((a, b) => a - b)).toEqual([502, 503, 503])
  await world.settled()
  expect(world.provider.requests).toHaveLength(1)
  expect(await chargesOf(world)).toEqual([])
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

test('an answer that its caller left is not kept: the key is free again', async () => {
  const abandoned = stream([
    openaiChunk({ role: 'assistant', content: '' }),
    openaiChunk({ content: 'Hello' }),
    hang(),
  ])
  await using world = await startWorld({ provider: inTurn(abandoned, streams('Hello', ' world')) })
  const caller = await openStream(world, { max_tokens: 20 }, KEY)
  await caller.until('Hello')
  caller.leave()
  await world.provider.abortSeen()
  await world.settled()
  const second = await openStream(world, { max_tokens: 20 }, KEY)
  expect(second.response.headers.get('idempotent-replayed')).toBeNull()
  expect(readStream(await second.rest()).done).toBe(true)
})

test('a stream that broke off is not kept either', async () => {
  const broken = stream([
    openaiChunk({ role: 'assistant', content: '' }),
    openaiChunk({ content: 'Hello' }),
    { error: { message: 'scripted' } },
  ])
  await using world = await startWorld({ provider: inTurn(broken, streams('Hello', ' world')) })
  expect(readStream(await (await world.chat({ stream: true }, KEY)).text()).error?.code).toBe(
    'upstream_error',
  )
  const second = await world.chat({ stream: true }, KEY)
  expect(readStream(await second.text()).done).toBe(true)
  await world.settled()
  expect(await chargesOf(world)).toEqual([cost(9, 12)])
})

test.each([
  ['an unknown model', { model: 'nobody/nothing' }, 404],
  ['an invalid body', { temperature: 9 }, 400],
])('a request refused for %s uses no key', async (_, mistake, status) => {
  await using world = await startWorld()
  expect((await world.chat({ max_tokens: 20, ...mistake }, KEY)).status).toBe(status)
  const corrected = await world.chat({ max_tokens: 20 }, KEY)
  expect(corrected.status).toBe(200)
  expect((await jsonOf(corrected))['object']).toBe('chat.completion')
})

test('a request refused for want of money uses no key', async () => {
  await using world = await startWorld({ balance: '0' })
  expect((await world.chat({ max_tokens: 20 }, KEY)).status).toBe(402)
  await world.operations.credit(world.workspaceId, { amount_usd: '1' })
  expect((await world.chat({ max_tokens: 20 }, KEY)).status).toBe(200)
})

test('an answer that is too long to keep frees its key when the call ends', async () => {
  const megabyte = 'x'.repeat(1024 * 1024)
  const long = streams(...Array<string>(5).fill(megabyte))
  await using world = await startWorld({
    provider: inTurn(long, streams('short')),
    config: () => ({ models: [standardModel({ context_length: 400_000, max_output_tokens: 200_000 })] }),
  })
  for (const body of [{}, { stream: true }]) {
    const key = { 'idempotency-key': JSON.stringify(body) }
    world.provider.play(long)
    expect(await (await world.chat(body, key)).text()).toContain(megabyte)
    await world.settled()
    world.provider.play(streams('short'))
    const second = await world.chat(body, key)
    expect(second.status).toBe(200)
    expect(await second.text()).toContain('short')
  }
})

test('without a key two equal requests are two calls and two charges', async () => {
  await using world = await startWorld()
  const ids = new Set<unknown>()
  for (let i = 0; i < 2; i++) ids.add((await jsonOf(await world.chat({ max_tokens: 20 })))['id'])
  expect(ids.size).toBe(2)
  expect(await chargesOf(world)).toEqual([cost(9, 12), cost(9, 12)])
})

/** Resolves when so many requests of the key have been counted: a twin is counted once it waits. */
async function counted(world: World, requests: number): Promise<void> {
  const { books } = world.gateway.store
  for (;;) {
    const { minuteUsed } = await books.keyStanding(world.keyId as KeyId, world.clock.now())
    if (minuteUsed >= requests) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}
