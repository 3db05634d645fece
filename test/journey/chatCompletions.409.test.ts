import { describe, expect, test } from 'bun:test'
import { errorOf, jsonOf, rateOf, streamOf } from '../support/readAnswer.ts'
import { createGate, inTurn, openaiError, streams } from '../support/scriptedProvider.ts'
import { startWorld } from '../support/world.ts'

const KEY = { 'idempotency-key': 'order-7' }

test('the same key with another body is idempotency_conflict, counted once and free', async () => {
  await using world = await startWorld()
  await (await world.chat({ max_tokens: 20 }, KEY)).text()
  const before = await world.balance()
  const response = await world.chat({ max_tokens: 21 }, KEY)
  expect(response.status).toBe(409)
  expect(await errorOf(response)).toMatchObject({
    code: 'idempotency_conflict',
    type: 'invalid_request_error',
    param: null,
  })
  expect(response.headers.get('x-request-id')).toStartWith('chatcmpl-')
  expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 58 })
  expect(world.provider.requests).toHaveLength(1)
  expect(await world.balance()).toEqual(before)
})

test('the same key with the same body gives the first answer again, counted and free', async () => {
  await using world = await startWorld()
  const first = await world.chat({ max_tokens: 20 }, KEY)
  const body = await first.text()
  const before = await world.balance()
  const again = await world.chat({ max_tokens: 20 }, KEY)
  expect(again.status).toBe(200)
  expect(await again.text()).toBe(body)
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type') ?? '')
  expect(again.headers.get('x-request-id')).toBe(first.headers.get('x-request-id') ?? '')
  expect(rateOf(again)).toMatchObject({ remaining: 58 })
  expect(world.provider.requests).toHaveLength(1)
  expect(await world.balance()).toEqual(before)
})

test('a stream is given again whole', async () => {
  await using world = await startWorld()
  const first = await streamOf(await world.chat({ stream: true }, KEY))
  const response = await world.chat({ stream: true }, KEY)
  expect(response.headers.get('content-type')).toStartWith('text/event-stream')
  expect((await streamOf(response)).text).toBe(first.text)
  expect(world.provider.requests).toHaveLength(1)
})

test('a twin waits for the first and gets its answer', async () => {
  const gate = createGate()
  await using world = await startWorld({ provider: streams('Hello', gate) })
  const first = world.chat({ max_tokens: 20 }, KEY)
  await gate.reached
  const twin = world.chat({ max_tokens: 20 }, KEY)
  const other = await world.chat({ max_tokens: 21 }, KEY)
  expect(other.status).toBe(409)
  gate.open()
  expect(await (await twin).text()).toBe(await (await first).text())
  expect(world.provider.requests).toHaveLength(1)
})

describe('a first call that failed frees its key', () => {
  test.each([
    ['at the provider', {}, 502],
    ['for its body', { temperature: 3 }, 400],
    ['for its model', { model: 'nobody' }, 404],
  ])('%s', async (_, body, status) => {
    await using world = await startWorld({
      provider: (request, ordinal) =>
        ordinal === 0 && status === 502 ? openaiError(404) : streams(`answer to ${request.method}`),
    })
    expect((await world.chat(body, KEY)).status).toBe(status)
    expect((await world.chat({ max_tokens: 20 }, KEY)).status).toBe(200)
  })

  test('and the same request may be sent again', async () => {
    await using world = await startWorld({ provider: inTurn(openaiError(404), streams('Hello')) })
    expect((await world.chat({ max_tokens: 20 }, KEY)).status).toBe(502)
    const body = await jsonOf(await world.chat({ max_tokens: 20 }, KEY))
    expect(body['choices']).toMatchObject([{ message: { content: 'Hello' } }])
  })
})

test('keys of two workspaces have nothing to do with each other', async () => {
  await using world = await startWorld()
  const elsewhere = await world.operations.createWorkspace({ name: 'elsewhere', type: 'personal' })
  await world.operations.credit(elsewhere.id, { amount_usd: '1' })
  const { key } = await world.operations.createKey(elsewhere.id, { name: 'stranger' })
  const mine = await jsonOf(await world.chat({ max_tokens: 20 }, KEY))
  const theirs = await world.chat({ max_tokens: 21 }, { ...KEY, authorization: `Bearer ${key}` })
  expect(theirs.status).toBe(200)
  expect((await jsonOf(theirs))['id']).not.toBe(mine['id'] as string)
})

test('a key is remembered for 24 hours', async () => {
  await using world = await startWorld()
  world.clock.set('2026-11-20T12:00:00Z')
  await (await world.chat({ max_tokens: 20 }, KEY)).text()
  world.clock.set('2026-11-21T11:59:59Z')
  expect((await world.chat({ max_tokens: 21 }, KEY)).status).toBe(409)
  world.clock.set('2026-11-21T12:00:01Z')
  expect((await world.chat({ max_tokens: 21 }, KEY)).status).toBe(200)
})

test.each([
  [255, 200],
  [256, 400],
])('a key of %i characters: %i', async (length, status) => {
  await using world = await startWorld()
  const response = await world.chat({ max_tokens: 20 }, { 'idempotency-key': 'k'.repeat(length) })
  expect(response.status).toBe(status)
  expect(rateOf(response)).toMatchObject({ remaining: 59 })
})
