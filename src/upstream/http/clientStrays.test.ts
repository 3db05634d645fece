import { expect, test } from 'bun:test'
import { failureOf, scriptedCalls, textOf } from '../../../test/support/scriptedCalls.ts'
import {
  createGate,
  inOrder,
  inTurn,
  raw,
  respond,
  startScriptedProvider,
  stopReading,
} from '../../../test/support/scriptedProvider.ts'
import type { Connection } from './connection.ts'
import { DISTRUST_MS, Pool } from './pool.ts'

const calls = scriptedCalls()

const STRAY = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray'
/** Fills the buffers between the two, so that most of it stays unsent while the other does not read. */
const LARGE = 'x'.repeat(16 << 20)

test('an origin that sends what nobody asked for gets a fresh connection for each call, others do not', async () => {
  const gate = createGate()
  await calls.play(inOrder(respond({ body: 'first' }), gate, raw(STRAY)))
  expect(await textOf(calls.post())).toBe('first')
  gate.open()
  await calls.provider.connectionClosed()

  calls.provider.play(respond({ body: 'own' }))
  for (let call = 1; call <= 3; call++) {
    expect(await textOf(calls.post())).toBe('own')
    await calls.provider.connectionClosed(call + 1)
  }
  expect(calls.provider.connectionsAccepted).toBe(4)

  await using other = await startScriptedProvider(respond({ body: 'other' }))
  const url = new URL(other.origin)
  for (let call = 0; call < 3; call++) expect(await textOf(calls.post({ url }))).toBe('other')
  expect(other.connectionsAccepted).toBe(1)
})

test('an answer with another one behind it costs all kept connections of its origin', async () => {
  const gate = createGate()
  await calls.play(
    inTurn(
      inOrder(gate, respond({ body: 'first' })),
      inOrder(gate, respond({ body: 'second' })),
      raw(STRAY + STRAY),
    ),
  )
  const both = [textOf(calls.post()), textOf(calls.post())]
  await calls.provider.request(1)
  gate.open()
  expect(await Promise.all(both)).toEqual(['first', 'second'])
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 2 })
  expect(await textOf(calls.post())).toBe('stray')
  await calls.provider.connectionClosed(2)
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 0 })
})

test("an answer on a kept connection before its request was sent is nobody's: the call goes to a fresh one", async () => {
  const gate = createGate()
  await calls.play(
    inTurn(inOrder(respond({ body: 'first' }), stopReading(), gate, raw(STRAY)), respond({ body: 'own' })),
  )
  expect(await textOf(calls.post())).toBe('first')
  await gate.reached
  let sent = 0
  const second = calls.post({ body: LARGE, onSent: () => void sent++ })
  gate.open()
  expect(await textOf(second)).toBe('own')
  expect(sent).toBe(1)
  expect(calls.provider.requests.map(({ connection }) => connection)).toEqual([0, 1])
  expect(calls.provider.requests[1]?.text === LARGE).toBe(true)
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 0 })
})

test('an answer on a fresh connection before its request was sent is not one', async () => {
  await calls.play({ ...raw(STRAY), at: 'accept' })
  expect(await failureOf(calls.post({ body: LARGE }))).toMatchObject({ kind: 'invalid_answer' })
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 0 })
})

test('distrust ends after its time', () => {
  let now = 0
  const pool = new Pool(() => now)
  const connection = {
    origin: { key: 'http://a' },
    rest: () => undefined,
    retire: () => void retired++,
  } as unknown as Connection
  let retired = 0
  pool.put(connection)
  expect(pool.take('http://a')).toBe(connection)
  pool.distrust('http://a')
  now = DISTRUST_MS - 1
  pool.put(connection)
  expect([retired, pool.size]).toEqual([1, 0])
  now = DISTRUST_MS
  pool.put(connection)
  expect([retired, pool.size]).toEqual([1, 1])
})
