import { expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { errorOf, rateOf } from '../support/readAnswer.ts'
import { createGate, hang, streams } from '../support/scriptedProvider.ts'
import { MESSAGES, MODEL, type World, startWorld } from '../support/world.ts'

/** Plants a bug: something of the store throws what nobody foresaw. */
function plantBug(world: World, part: 'admit' | 'settle'): void {
  const till = world.gateway.store.till as unknown as Record<string, unknown>
  till[part] = () => Promise.reject(new TypeError('secret detail in /srv/tollgate/till.ts'))
}

test('a bug of ours is internal_error without a word of what it was', async () => {
  await using world = await startWorld()
  plantBug(world, 'admit')
  for (const response of [await world.chat(), await world.request('GET', '/v1/models')]) {
    expect(response.status).toBe(500)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 'internal_error', type: 'server_error', param: null })
    expect(error.message).not.toContain('secret')
  }
  expect(world.provider.requests).toHaveLength(0)
})

test('a bug in the middle of a stream ends it as no whole answer ends', async () => {
  const gate = createGate()
  await using world = await startWorld({ provider: streams('Hello', gate) })
  const response = await world.chat({ stream: true })
  await gate.reached
  plantBug(world, 'settle')
  gate.open()
  const text = await response.text()
  expect(response.status).toBe(200)
  expect(text).toContain('"code":"internal_error"')
  expect(text).not.toContain('[DONE]')
  expect(text).not.toContain('secret')
  expect(text).not.toContain('"finish_reason":"stop"')
})

test('a caller that leaves before its answer is no error of ours', async () => {
  await using world = await startWorld({ provider: hang() })
  const leaving = new AbortController()
  const pending = checkedFetch(`${world.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.secret}` },
    body: JSON.stringify({ model: MODEL, messages: MESSAGES, max_tokens: 20 }),
    signal: leaving.signal,
  }).catch(() => undefined)
  await world.provider.request()
  leaving.abort()
  await pending
  await world.provider.abortSeen()
  await world.settled()
  const receipts = await world.operations.requests({ limit: '1' })
  expect(receipts.data).toMatchObject([{ ending: 'client_left_before_answer' }])
  expect((await world.balance()).held).toBe('0.00')
  const metrics = await (await fetch(`${world.url}/metrics`)).text()
  expect(metrics).toContain('{path="/v1/chat/completions",status="499"} 1')
  expect(metrics).not.toContain('status="500"')
  expect(rateOf(await world.request('GET', '/v1/models'))).toMatchObject({ remaining: 58 })
}, 30_000)
