import { expect, test } from 'bun:test'
import { failureOf, reading, scriptedCalls, textOf } from '../../../test/support/scriptedCalls.ts'
import { createGate, hang, refuse, respond, stream } from '../../../test/support/scriptedProvider.ts'
import { CallAborted } from '../http.ts'

const calls = scriptedCalls()

test('a signal that was aborted before the call sends nothing', async () => {
  await calls.play(hang())
  const error: unknown = await calls.post({ signal: AbortSignal.abort() }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CallAborted)
  expect(calls.provider.connectionsAccepted).toBe(0)
})

test('an abort while connecting closes the connection and fails the call as aborted', async () => {
  await calls.play(hang())
  const leaving = new AbortController()
  const call = calls.post({ signal: leaving.signal }).catch((error: unknown) => error)
  leaving.abort()
  expect(await call).toBeInstanceOf(CallAborted)
  await calls.provider.until(({ connectionsOpen }) => connectionsOpen === 0)
  expect(calls.provider.requests).toHaveLength(0)
})

test('an abort while waiting for the answer closes the connection', async () => {
  await calls.play(hang())
  const leaving = new AbortController()
  const call = calls.post({ signal: leaving.signal }).catch((error: unknown) => error)
  await calls.provider.request()
  leaving.abort()
  expect(await call).toBeInstanceOf(CallAborted)
  await calls.provider.abortSeen()
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 0 })
})

test('an abort by signal in mid-stream closes the connection and ends the body as aborted', async () => {
  await calls.play(stream(['one', hang()]))
  const leaving = new AbortController()
  const { over } = reading(await calls.post({ signal: leaving.signal }))
  leaving.abort()
  expect(await over).toBeInstanceOf(CallAborted)
  await calls.provider.abortSeen()
})

test('after abort() nothing more is heard, and the provider sees the close', async () => {
  const gate = createGate()
  await calls.play(stream(['one', gate, 'two', hang()]))
  const response = await calls.post()
  const heard: string[] = []
  response.consume({
    data(bytes) {
      heard.push(Buffer.from(bytes).toString())
      response.abort()
    },
    end: () => void heard.push('end'),
    fail: () => void heard.push('fail'),
  })
  await gate.reached
  gate.open()
  await calls.provider.abortSeen()
  expect(heard).toEqual(['one'])
})

test('an abort after the end touches nothing', async () => {
  await calls.play(respond({ body: 'ok' }))
  const leaving = new AbortController()
  const response = await calls.post({ signal: leaving.signal })
  await textOf(response)
  leaving.abort()
  response.abort()
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 1 })
})

test('onSent is called when the provider can have the whole request, not before', async () => {
  await calls.play(hang())
  let sent = false
  const call = failureOf(calls.post({ url: new URL(refuse()), onSent: () => (sent = true) }))
  await call
  expect(sent).toBe(false)
  const leaving = new AbortController()
  const waiting = calls.post({ signal: leaving.signal, onSent: () => (sent = true) }).catch(() => undefined)
  await calls.provider.request()
  expect(sent).toBe(true)
  leaving.abort()
  await waiting
})
