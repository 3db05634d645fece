import { expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { jsonOf, rateOf } from '../support/readAnswer.ts'
import {
  inOrder,
  openaiCompletion,
  openaiUsage,
  respond,
  streams,
  createGate,
} from '../support/scriptedProvider.ts'
import { MESSAGES, MODEL, standardModel, startWorld } from '../support/world.ts'

/** The tokenizer starts when it is first asked, and takes its time on a loaded machine. */
const TOKENIZER_PATIENCE_MS = 30_000

test('a completion has the fields of the contract, and its own', async () => {
  await using world = await startWorld()
  const before = Math.floor(Date.now() / 1000)
  const response = await world.chat({ max_tokens: 20 })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toStartWith('application/json')
  const body = await jsonOf(response)
  expect(Object.keys(body).toSorted()).toEqual(['choices', 'created', 'id', 'model', 'object', 'usage'])
  expect(body['id']).toMatch(/^chatcmpl-[0-9A-Z]{26}$/)
  expect(body['id']).toBe(response.headers.get('x-request-id') ?? '')
  expect(body['object']).toBe('chat.completion')
  expect(body['created']).toBeInteger()
  expect(body['created'] as number).toBeWithin(before, Math.floor(Date.now() / 1000) + 1)
  expect(body['model']).toBe(MODEL)
  expect(body['choices']).toEqual([
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello world', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ])
  expect(body['usage']).toMatchObject({ prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 })
})

test('what the provider calls the answer and its model reaches nobody', async () => {
  await using world = await startWorld()
  const text = await (await world.chat({ max_tokens: 20 })).text()
  expect(text).not.toContain('upstream-chat-1')
  expect(text).not.toContain('chatcmpl-scripted')
})

test.each(['stop', 'length', 'content_filter', 'function_call', 'tool_calls'])(
  'a choice that ended with %s says so',
  async (reason) => {
    const call = { name: 'f', arguments: '{}' }
    const made = {
      stop: { content: 'Hello' },
      length: { content: 'Hel' },
      content_filter: { content: 'Hel' },
      function_call: { content: null, function_call: call },
      tool_calls: { content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
    }[reason]
    const body = openaiCompletion('', {
      more: { choices: [{ index: 0, message: { role: 'assistant', ...made }, finish_reason: reason }] },
    })
    await using world = await startWorld({ provider: respond({ body }) })
    const answer = await jsonOf(await world.chat({ max_tokens: 20 }))
    expect(answer['choices']).toMatchObject([{ finish_reason: reason, message: made }])
  },
)

test('the provider gets the model by its own name, the messages and our credential, not the key', async () => {
  await using world = await startWorld()
  await world.chat({ max_tokens: 20 })
  const sent = await world.provider.request()
  expect(sent.method).toBe('POST')
  expect(sent.path).toBe('/v1/chat/completions')
  expect(sent.headers['authorization']).toBe('Bearer provider-secret')
  expect(sent.body).toEqual({ model: 'upstream-chat-1', messages: MESSAGES, max_tokens: 20 })
  expect(JSON.stringify(sent)).not.toContain(world.secret)
})

test('an answer without max_tokens is whole too, and is charged its usage once', async () => {
  await using world = await startWorld()
  const answer = await jsonOf(await world.chat())
  expect(answer['choices']).toMatchObject([
    { message: { role: 'assistant', content: 'Hello world' }, finish_reason: 'stop' },
  ])
  // 9 × $0.50 + 12 × $1.50 per million
  expect(await world.balance()).toEqual({ balance: '9.9999775', held: '0.00' })
  const kinds = (await world.ledger()).map(({ kind }) => kind)
  expect(kinds).toEqual(['topup', 'hold', 'release', 'charge'])
})

test('cached and reasoning tokens are told and priced by their own', async () => {
  const usage = openaiUsage(1000, 100, {
    prompt_tokens_details: { cached_tokens: 400 },
    completion_tokens_details: { reasoning_tokens: 60 },
  })
  await using world = await startWorld({ provider: respond({ body: openaiCompletion('Hi', { usage }) }) })
  const body = await jsonOf(await world.chat({ max_tokens: 200 }))
  expect(body['usage']).toMatchObject({
    prompt_tokens: 1000,
    completion_tokens: 100,
    total_tokens: 1100,
    prompt_tokens_details: { cached_tokens: 400 },
    completion_tokens_details: { reasoning_tokens: 60 },
  })
  // 600 × $0.50 + 400 × $0.25 + 100 × $1.50 per million
  expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '0.00055' })
})

test(
  'an answer whose provider reports no usage is counted, told and charged',
  async () => {
    await using world = await startWorld({
      provider: respond({ body: openaiCompletion('Hello world', { usage: null }) }),
    })
    const body = await jsonOf(await world.chat({ max_tokens: 20 }))
    const usage = body['usage'] as Record<string, number>
    expect(usage['prompt_tokens']).toBeGreaterThan(0)
    expect(usage['completion_tokens']).toBeGreaterThan(0)
    expect(usage['total_tokens']).toBe((usage['prompt_tokens'] ?? 0) + (usage['completion_tokens'] ?? 0))
    expect((await world.ledger()).at(-1)?.kind).toBe('charge')
  },
  TOKENIZER_PATIENCE_MS,
)

test('an alias is answered under the canonical id', async () => {
  await using world = await startWorld()
  const body = await jsonOf(await world.chat({ model: 'acme/chat', max_tokens: 5 }))
  expect(body['model']).toBe(MODEL)
})

test('a deprecated model answers and says when it became so and when it ends', async () => {
  await using world = await startWorld({
    config: () => ({ models: [standardModel({ deprecated: { at: '2026-01-01', sunset: '2099-12-31' } })] }),
  })
  for (const stream of [false, true]) {
    const response = await world.chat({ max_tokens: 5, stream })
    expect(response.status).toBe(200)
    expect(response.headers.get('deprecation')).toBe(`@${Date.UTC(2026, 0, 1) / 1000}`)
    expect(response.headers.get('sunset')).toBe('Thu, 31 Dec 2099 00:00:00 GMT')
    await response.text()
  }
})

test('a deprecated model without an end date has no Sunset; any other model has neither header', async () => {
  await using world = await startWorld({
    config: () => ({
      models: [
        standardModel({ deprecated: { at: '2026-01-01' } }),
        standardModel({ id: 'acme/chat-2', aliases: [] }),
      ],
    }),
  })
  const old = await world.chat({ max_tokens: 5 })
  expect(old.headers.get('deprecation')).toStartWith('@')
  expect(old.headers.get('sunset')).toBeNull()
  const current = await world.chat({ model: 'acme/chat-2', max_tokens: 5 })
  expect(current.headers.get('deprecation')).toBeNull()
  expect(current.headers.get('sunset')).toBeNull()
})

test('a successful answer tells the window it was counted in', async () => {
  await using world = await startWorld()
  world.clock.set('2026-11-20T12:00:00Z')
  for (const stream of [false, true]) {
    const response = await world.chat({ max_tokens: 5, stream })
    expect(rateOf(response)).toEqual({
      limit: 60,
      remaining: stream ? 58 : 59,
      reset: Date.parse('2026-11-20T12:01:00Z') / 1000,
    })
    expect(response.headers.get('retry-after')).toBeNull()
    await response.text()
  }
})

test('a call that is slow to answer is not cut by us', async () => {
  const gate = createGate()
  await using world = await startWorld({ provider: inOrder(gate, streams('at last')) })
  const pending = world.chat({ max_tokens: 5 })
  await gate.reached
  gate.open()
  expect((await pending).status).toBe(200)
})

test.each([
  ['no content type', ''],
  ['another content type', 'text/plain'],
  ['a charset', 'application/json; charset=utf-8'],
])('a JSON body with %s is read all the same', async (_, contentType) => {
  await using world = await startWorld()
  const body = new TextEncoder().encode(JSON.stringify({ model: MODEL, messages: MESSAGES, max_tokens: 5 }))
  const response = await checkedFetch(`${world.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.secret}`,
      ...(contentType !== '' && { 'content-type': contentType }),
    },
    body,
  })
  expect(response.status).toBe(200)
})

test('the scheme is read without regard to case', async () => {
  await using world = await startWorld()
  const response = await world.chat({ max_tokens: 5 }, { authorization: `bearer ${world.secret}` })
  expect(response.status).toBe(200)
})
