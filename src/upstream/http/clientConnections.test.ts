import { expect, test } from 'bun:test'
import { failureOf, scriptedCalls, textOf } from '../../../test/support/scriptedCalls.ts'
import {
  close,
  createGate,
  inOrder,
  inTurn,
  raw,
  reset,
  respond,
  stopReading,
} from '../../../test/support/scriptedProvider.ts'
import { TRUSTED_IDLE_MS } from './client.ts'

const calls = scriptedCalls()

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('calls one after another share one connection; each connection serves one call at a time', async () => {
  await calls.play(respond({ body: 'ok' }))
  for (let call = 0; call < 20; call++) await textOf(calls.post())
  expect(calls.provider.connectionsAccepted).toBe(1)
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 1 })
  await Promise.all([textOf(calls.post()), textOf(calls.post()), textOf(calls.post())])
  expect(calls.provider.connectionsAccepted).toBe(3)
  calls.client.close()
  await calls.provider.until(({ connectionsOpen }) => connectionsOpen === 0)
})

test('a connection that the provider will not keep, or whose answer had a surplus, is not used again', async () => {
  await calls.play(respond({ headers: { connection: 'close' }, body: 'ok' }))
  await textOf(calls.post())
  calls.provider.play(inOrder(respond({ body: 'ok' }), raw('surplus')))
  await textOf(calls.post())
  calls.provider.play(respond({ headers: { 'keep-alive': 'timeout=1' }, body: 'ok' }))
  await textOf(calls.post())
  await calls.provider.connectionClosed(3)
  expect(calls.provider.connectionsAccepted).toBe(3)
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 0 })
})

test('a connection that died while idle is noticed, and the next call takes a fresh one', async () => {
  await calls.play(inOrder(respond({ body: 'ok' }), close()))
  await textOf(calls.post())
  await calls.provider.connectionClosed()
  while (calls.client.openConnections().idle > 0) await nextTurn()
  await textOf(calls.post())
  expect(calls.provider.requests).toHaveLength(2)
})

test('a connection that was idle for long is looked at before a POST is risked on it', async () => {
  const gate = createGate()
  await calls.play(inOrder(respond({ body: 'ok' }), gate, close()))
  await textOf(calls.post())
  await Bun.sleep(TRUSTED_IDLE_MS + 400)
  gate.open()
  await calls.provider.connectionClosed()
  // The close has arrived, but the client has not had a turn to see it.
  expect(calls.client.openConnections().idle).toBe(1)
  expect(await textOf(calls.post())).toBe('ok')
  expect(calls.provider.requests.map(({ connection }) => connection)).toEqual([0, 1])
})

test('a GET whose old connection dies unanswered goes once to a fresh one', async () => {
  await calls.play(inTurn(respond({ body: 'first' }), reset(), respond({ body: 'second' })))
  await textOf(calls.get())
  expect(await textOf(calls.get())).toBe('second')
  expect(calls.provider.requests.map(({ connection }) => connection)).toEqual([0, 0, 1])
  calls.provider.play(inTurn(respond({ body: 'x' }), reset()))
  expect((await failureOf(calls.get().then(() => calls.get()))).kind).toBe('connection')
})

test('a POST that may have been worked on is never sent twice', async () => {
  await calls.play(inTurn(respond({ body: 'first' }), reset(), respond({ body: 'second' })))
  await textOf(calls.post())
  expect((await failureOf(calls.post())).kind).toBe('connection')
  expect(calls.provider.requests).toHaveLength(2)
})

test('a POST that an old connection did not even take goes to a fresh one', async () => {
  const gate = createGate()
  await calls.play(
    inTurn(inOrder(respond({ body: 'first' }), stopReading(), gate, close()), respond({ body: 'second' })),
  )
  await textOf(calls.post())
  await gate.reached
  const second = calls.post({ body: 'x'.repeat(16 << 20) })
  gate.open()
  expect(await textOf(second)).toBe('second')
  expect(calls.provider.requests.map(({ connection }) => connection)).toEqual([0, 1])
})

test('a large body is sent whole through small buffers', async () => {
  await calls.play(respond({ body: 'ok' }))
  const text = 'é'.repeat(4 << 20)
  let sent = 0
  expect(await textOf(calls.post({ body: text, onSent: () => void sent++ }))).toBe('ok')
  expect(calls.provider.requests[0]?.text === text).toBe(true)
  expect(sent).toBe(1)
})

test('an answer before the request was read is an answer', async () => {
  const answer = raw('HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig')
  await calls.play({ ...answer, at: 'accept' })
  const response = await calls.post({ body: 'x'.repeat(16 << 20) })
  expect(response.status).toBe(413)
  expect(await textOf(response)).toBe('big')
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 0 })
})
