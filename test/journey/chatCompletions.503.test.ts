import { describe, expect, test } from 'bun:test'
import { errorOf, rateOf, streamOf } from '../support/readAnswer.ts'
import { createGate, openaiError, streams } from '../support/scriptedProvider.ts'
import { startWorld } from '../support/world.ts'

describe('a provider that has too much to do', () => {
  test.each([
    ['says 429', openaiError(429, { message: 'org-Acme is rate limited' }, { 'retry-after': '7' }), '7'],
    ['says 503', openaiError(503, {}, { 'retry-after': '9' }), '9'],
    ['says 529', openaiError(529, { type: 'overloaded_error' }, { 'retry-after': '3' }), '3'],
  ])('and %s is a 503 that says when to come again', async (_, provider, wait) => {
    await using world = await startWorld({ provider })
    for (const body of [{ max_tokens: 20 }, {}, { stream: true }]) {
      const response = await world.chat(body)
      expect(response.status).toBe(503)
      const error = await errorOf(response)
      expect(error).toMatchObject({ code: 'service_unavailable', type: 'service_unavailable', param: null })
      expect(error.message).not.toContain('Acme')
      expect(response.headers.get('retry-after')).toBe(wait)
      expect(response.headers.get('x-request-id')).toStartWith('chatcmpl-')
      expect(rateOf(response).limit).toBe(60)
    }
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })

  test('and asks for a day is a 503 with a wait that is worth something', async () => {
    await using world = await startWorld({ provider: openaiError(429, {}, { 'retry-after': '86400' }) })
    const response = await world.chat()
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeWithin(1, 3601)
  })

  test('and names no time is a 503 with a time of ours', async () => {
    await using world = await startWorld({ provider: openaiError(429) })
    const response = await world.chat()
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(world.provider.requests).toHaveLength(2)
  })
})

test('a store that is away is a 503 with Retry-After, and nothing is served unpaid', async () => {
  await using world = await startWorld()
  await world.gateway.store.close()
  for (const response of [await world.chat(), await world.request('GET', '/v1/models')]) {
    expect(response.status).toBe(503)
    expect(await errorOf(response)).toMatchObject({ code: 'service_unavailable' })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(world.provider.requests).toHaveLength(0)
  expect((await fetch(`${world.url}/readyz`)).status).toBe(503)
  expect((await fetch(`${world.url}/healthz`)).status).toBe(200)
})

test('a server that shuts down refuses new calls and finishes those in flight', async () => {
  const gate = createGate()
  await using world = await startWorld({ provider: streams('Hello', gate, ' world') })
  const open = await world.chat({ stream: true })
  await gate.reached
  const stopping = world.gateway.stop()
  for (const late of [
    await world.chat(),
    await world.chat({ stream: true }),
    await world.request('GET', '/v1/models'),
  ]) {
    expect(late.status).toBe(503)
    expect(await errorOf(late)).toMatchObject({ code: 'service_unavailable', type: 'service_unavailable' })
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await fetch(`${world.url}/readyz`)).status).toBe(503)
  gate.open()
  expect((await streamOf(open)).done).toBe(true)
  await stopping
  const door = await fetch(`${world.url}/healthz`).then(
    () => 'open',
    () => 'closed',
  )
  expect(door).toBe('closed')
})

test('a server that shuts down waits for a call no longer than its drain time', async () => {
  const gate = createGate()
  await using world = await startWorld({
    provider: streams('Hello', gate),
    config: () => ({ server: { drain: '50ms' } }),
  })
  const open = await world.chat({ stream: true })
  await gate.reached
  await world.gateway.stop()
  const cut = await open.text().catch(() => '')
  expect(cut).not.toContain('[DONE]')
})
