import { describe, expect, test } from 'bun:test'
import { type RawCaller, ask, jsonOf, rawCaller } from '../support/rawCaller.ts'
import { type Act, createGate, hang, streams } from '../support/scriptedProvider.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { MESSAGES, MODEL, type World, startWorld } from '../support/world.ts'
import { COUNTED_PROMPT, cost, expectChargedOnce, onlyReceipt } from './money/purse.ts'

/** A whole chat request; `version` 1.0 neither keeps its connection nor takes chunks. */
function chat(world: World, more: Record<string, unknown> = {}, version = '1.1'): string {
  const body = JSON.stringify({ model: MODEL, messages: MESSAGES, ...more })
  const head = [
    `POST /v1/chat/completions HTTP/${version}`,
    ...(version === '1.1' ? ['host: 127.0.0.1'] : []),
    `authorization: Bearer ${world.secret}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

function get(path: string, world: World): string {
  return `GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${world.secret}\r\n\r\n`
}

async function nothingHeld(world: World): Promise<void> {
  await world.settled()
  expect((await world.balance()).held).toBe('0.00')
}

describe('one request after another on a connection', () => {
  test('gets its answer in turn, chats and streams among them', async () => {
    await using world = await startWorld()
    const caller = await rawCaller(world.gateway.port)
    caller.write(chat(world))
    await caller.until('"finish_reason"')
    caller.write(chat(world, { stream: true }))
    await caller.until('[DONE]\n\n\r\n0\r\n\r\n')
    caller.write(get('/v1/key', world))
    await caller.until('requests_per_minute')
    caller.write(get('/healthz', world))
    const text = await caller.until('"status":"ok"')
    expect(caller.statuses()).toEqual([200, 200, 200, 200])
    const order = ['chat.completion"', '[DONE]', 'requests_per_minute', '"status":"ok"']
    const places = order.map((piece) => text.indexOf(piece))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    caller.close()
  })

  test('may come in one packet where each is answered at once', async () => {
    await using world = await startWorld()
    const caller = await rawCaller(world.gateway.port)
    caller.write(get('/healthz', world) + get('/nothing', world) + get('/api/v1/public/models', world))
    await caller.until(MODEL)
    expect(caller.statuses()).toEqual([200, 404, 200])
    caller.close()
  })
})

/** The call that had begun is over: no answer, nothing held, nothing charged but its prompt. */
async function expectCallLeft(world: World, caller: RawCaller): Promise<void> {
  await caller.closed
  expect(caller.text()).not.toContain('chat.completion')
  await nothingHeld(world)
  const receipt = await onlyReceipt(world)
  expect(receipt.ending).toBe('client_left_before_answer')
  await expectChargedOnce(world, cost(COUNTED_PROMPT, 0))
}

// The runtime (Bun 1.4) ends a connection whose caller sends on while an answer is due, without a word to us: RFC
// 9112, section 9.3.2, leaves it to the client to repeat what was not answered. What we promise is the money.
describe('a request sent while an answer is due ends the connection', () => {
  const WAYS: [string, Act, Record<string, unknown>][] = [
    ['a whole answer', hang(), {}],
    ['a stream', hang(), { stream: true }],
  ]

  test.each(WAYS)(
    '%s: the first call ends as one whose caller left, the second is none',
    async (_, act, body) => {
      await using world = await startWorld({ provider: act })
      const caller = await rawCaller(world.gateway.port)
      caller.write(chat(world, body))
      await world.provider.request()
      caller.write(chat(world, body))
      await expectCallLeft(world, caller)
      expect(world.provider.requests.length).toBe(1)
    },
    TEST_LIMIT_MS,
  )

  test(
    'a stream that has begun is charged as far as it came, and does not look whole',
    async () => {
      const gate = createGate()
      await using world = await startWorld({ provider: streams('Hello', ' world', gate) })
      const caller = await rawCaller(world.gateway.port)
      caller.write(chat(world, { stream: true }))
      await caller.until(' world')
      caller.write(get('/v1/key', world))
      await caller.closed
      expect(caller.text()).not.toContain('[DONE]')
      expect(caller.text()).not.toEndWith('0\r\n\r\n')
      await nothingHeld(world)
      const receipt = await onlyReceipt(world)
      expect(receipt.ending).toBe('client_left')
      await expectChargedOnce(world, receipt.charge_usd)
    },
    TEST_LIMIT_MS,
  )

  test('both in one packet are never answered in the other’s place', async () => {
    await using world = await startWorld()
    const caller = await rawCaller(world.gateway.port)
    caller.write(chat(world) + get('/healthz', world))
    await caller.closed
    expect(caller.text()).toBe('')
    await nothingHeld(world)
  })
})

// The runtime closes a connection whose caller has closed its sending side: that one still reads cannot be told from
// one that has gone. So who wants an answer keeps its side open, and who does not is charged like one that left.
describe('a caller that closes its sending side before its answer', () => {
  test.each([{}, { stream: true }])(
    'has left: %j pays for the prompt, and nothing stays held',
    async (body) => {
      await using world = await startWorld({ provider: hang() })
      const caller = await rawCaller(world.gateway.port)
      caller.write(chat(world, body))
      await world.provider.request()
      caller.finish()
      await world.provider.connectionClosed()
      await expectCallLeft(world, caller)
    },
    TEST_LIMIT_MS,
  )

  test('with its last byte is charged no more than the prompt', async () => {
    for (const version of ['1.0', '1.1']) {
      await using world = await startWorld({ provider: hang() })
      const caller = await rawCaller(world.gateway.port)
      caller.write(chat(world, {}, version))
      caller.finish()
      await caller.closed
      await nothingHeld(world)
      const charged = (await world.ledger()).filter(({ kind }) => kind === 'charge')
      const sent = world.provider.requests.length > 0
      expect(charged.map(({ amount_usd: amount }) => amount)).toEqual(sent ? [cost(COUNTED_PROMPT, 0)] : [])
    }
  })

  test('hears what is answered at once', async () => {
    await using world = await startWorld()
    const caller = await rawCaller(world.gateway.port)
    caller.write(get('/healthz', world))
    caller.finish()
    await caller.closed
    expect(caller.statuses()).toEqual([200])
  })
})

describe('an HTTP/1.0 client', () => {
  test('gets a whole chat completion, and then the end of its connection', async () => {
    const gate = createGate()
    await using world = await startWorld({ provider: streams('Hello', gate, ' world') })
    const answer = ask(world.gateway.port, chat(world, {}, '1.0'))
    await gate.reached
    gate.open()
    expect(jsonOf(await answer)).toMatchObject({ choices: [{ message: { content: 'Hello world' } }] })
  })

  test('gets a stream without chunks, ended by the end of its connection', async () => {
    await using world = await startWorld()
    const answer = await ask(world.gateway.port, chat(world, { stream: true }, '1.0'))
    expect(answer).toStartWith('HTTP/1.1 200 ')
    expect(answer).not.toMatch(/transfer-encoding/i)
    expect(answer).toEndWith('data: [DONE]\n\n')
    await nothingHeld(world)
  })
})
