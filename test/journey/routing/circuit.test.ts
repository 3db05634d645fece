import { describe, expect, test } from 'bun:test'
import { OPEN_FIRST_MS } from '../../../src/upstream/routing/circuit.ts'
import { STRIKES_TO_OPEN } from '../../../src/upstream/routing/streak.ts'
import { checkedFetch } from '../../support/checkedFetch.ts'
import { errorOf } from '../../support/readAnswer.ts'
import { createGate, inOrder, openaiError, reset, respond, streams } from '../../support/scriptedProvider.ts'
import { attemptsOf, type RoutingWorld, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello')
const SHORT = { max_tokens: 20 }

/** Fails until the circuit of `first` is open for the workspace, with the clock standing still. */
async function open(world: RoutingWorld): Promise<void> {
  world.clock.set(Date.now())
  world.provider('first').play(openaiError(500))
  while ((await world.health())['first']?.routes[0]?.circuit !== 'open_for_some')
    await (await world.chat(SHORT)).text()
}

describe('a target that fails', () => {
  test('is called no more once its circuit is open, and everybody is served by the other', async () => {
    await using world = await startRoutingWorld({ providers: { first: FINE, second: FINE } })
    await open(world)
    const calls = world.counts()['first']
    expect(calls).toBe(STRIKES_TO_OPEN)
    const responses = await Promise.all(Array.from({ length: 30 }, () => world.chat(SHORT)))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(world.counts()['first']).toBe(calls as number)
  })

  test('gets one probe at a time when its time is over, and is back with the first good one', async () => {
    await using world = await startRoutingWorld({ providers: { first: FINE, second: FINE } })
    await open(world)
    const before = world.counts()['first'] ?? 0
    const gate = createGate()
    world.provider('first').play(inOrder(gate, FINE))
    world.clock.advance(OPEN_FIRST_MS)
    const probe = world.chat(SHORT)
    await gate.reached
    await Promise.all(Array.from({ length: 10 }, () => world.chat(SHORT)))
    expect(world.counts()['first']).toBe(before + 1)
    expect((await world.health())['first']?.routes[0]?.circuit).toBe('open_for_some')
    gate.open()
    expect((await world.receiptOf(await probe)).provider).toBe('first')
    await world.chat(SHORT)
    expect(world.counts()['first']).toBe(before + 2)
    expect((await world.health())['first']?.routes[0]?.circuit).toBe('closed')
  })

  test('waits twice as long after a probe that failed; its caller is served by the other', async () => {
    await using world = await startRoutingWorld({ providers: { first: FINE, second: FINE } })
    await open(world)
    const before = world.counts()['first'] ?? 0
    world.clock.advance(OPEN_FIRST_MS)
    expect((await world.chat(SHORT)).status).toBe(200)
    expect(world.counts()['first']).toBe(before + 1)
    world.clock.advance(OPEN_FIRST_MS)
    await world.chat(SHORT)
    expect(world.counts()['first']).toBe(before + 1)
    world.clock.advance(OPEN_FIRST_MS)
    await world.chat(SHORT)
    expect(world.counts()['first']).toBe(before + 2)
  })

  test('and stands alone is a 503 with the time of its probe, and nothing is held or sent', async () => {
    await using world = await startRoutingWorld({ providers: { first: FINE } })
    await open(world)
    const before = world.counts()['first'] ?? 0
    world.clock.advance(2_500)
    const response = await world.chat(SHORT)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('8')
    expect(await errorOf(response)).toMatchObject({ code: 'service_unavailable' })
    expect(world.counts()['first']).toBe(before)
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
    world.provider('first').play(FINE)
    world.clock.advance(7_500)
    expect((await world.chat(SHORT)).status).toBe(200)
  })

  test('in mid-answer each time is left alone, too', async () => {
    await using world = await startRoutingWorld({
      providers: { first: streams('Hel', reset()), second: FINE },
    })
    world.clock.set(Date.now())
    for (let i = 0; i < STRIKES_TO_OPEN; i++) await (await world.chat({ stream: true })).text()
    await world.settled()
    expect(world.counts()).toEqual({ first: STRIKES_TO_OPEN, second: 0 })
    await (await world.chat({ stream: true })).text()
    expect(world.counts()).toEqual({ first: STRIKES_TO_OPEN, second: 1 })
  })
})

test('callers who leave do a target no harm, also when they were its probe', async () => {
  await using world = await startRoutingWorld({ providers: { first: FINE, second: FINE } })
  await open(world)
  world.clock.advance(OPEN_FIRST_MS)
  for (let i = 0; i < STRIKES_TO_OPEN + 1; i++) {
    const gate = createGate()
    world.provider('first').play(gate)
    const leaving = new AbortController()
    const call = checkedFetch(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'acme/chat-1',
        messages: [{ role: 'user', content: 'x' }],
        max_tokens: 5,
      }),
      signal: leaving.signal,
    }).catch(() => 'left')
    await gate.reached
    leaving.abort()
    expect(await call).toBe('left')
    await world.settled()
  }
  world.provider('first').play(FINE)
  expect((await world.receiptOf(await world.chat(SHORT))).provider).toBe('first')
})

test('a model that a prompt makes write what is of no use takes its target from that workspace alone, and costs nothing', async () => {
  const malformed = {
    candidates: [{ index: 0, content: { parts: [] }, finishReason: 'MALFORMED_FUNCTION_CALL' }],
    usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
  }
  await using world = await startRoutingWorld({
    providers: { first: respond({ body: malformed }) },
    settings: { first: { wire: 'google-generate' } },
  })
  world.clock.set(Date.now())
  for (let i = 0; i < STRIKES_TO_OPEN; i++) {
    const response = await world.chat({ ...SHORT, stream: i % 2 === 1 })
    expect(response.status).toBe(502)
    expect(await world.receiptOf(response)).toMatchObject({ charge_usd: '0.00' })
  }
  expect((await world.chat(SHORT)).status).toBe(503)
  const other = await world.another('other')
  const response = await other.chat(SHORT)
  expect(response.status).toBe(502)
  expect(attemptsOf(await world.receiptOf(response))).toEqual(['first malformed_output'])
  const { first } = await world.health()
  expect(first?.routes[0]).toMatchObject({ circuit: 'open_for_some' })
})

test('while no target can be called, a refused call holds nothing and leaves no record, but is counted and asked for its money', async () => {
  await using world = await startRoutingWorld({ providers: { first: FINE } })
  await open(world)
  const before = {
    lines: (await world.ledger()).length,
    records: (await world.operations.requests({})).data.length,
  }
  const response = await world.chat(SHORT)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, String(OPEN_FIRST_MS / 1000)])
  const next = await world.chat({ ...SHORT, stream: true })
  const remaining = (of: Response) => Number(of.headers.get('x-ratelimit-remaining'))
  expect([next.status, remaining(next)]).toEqual([503, remaining(response) - 1])
  await world.settled()
  expect((await world.ledger()).length).toBe(before.lines)
  expect((await world.operations.requests({})).data.length).toBe(before.records)
  await world.operations.credit(world.workspaceId, {
    amount_usd: `-${(await world.balance()).balance}`,
  })
  expect((await world.chat(SHORT)).status).toBe(402)
})
