import { expect, test } from 'bun:test'
import { failureOf, PATIENT, reading, scriptedCalls, textOf } from '../../../test/support/scriptedCalls.ts'
import { comment, createGate, hang, stream } from '../../../test/support/scriptedProvider.ts'
import { collectBody } from './collectBody.ts'

const calls = scriptedCalls()

const SHORT = 50

test('silence before the head is a timeout', async () => {
  await calls.play(hang())
  const failure = await failureOf(calls.post({ timeouts: { ...PATIENT, firstEventMs: SHORT } }))
  expect(failure).toEqual({
    kind: 'timeout',
    code: 'first_event_timeout',
    detail: `no answer from ${calls.provider.origin} within ${SHORT} ms`,
  })
  await calls.provider.abortSeen()
})

test('a provider that never reads is a timeout', async () => {
  await calls.play(hang({ at: 'accept' }))
  expect(await failureOf(calls.post({ timeouts: { ...PATIENT, firstEventMs: SHORT } }))).toMatchObject({
    kind: 'timeout',
  })
})

test('a TLS handshake that never ends is a connect timeout', async () => {
  await calls.play(hang({ at: 'accept' }))
  const url = new URL(calls.provider.origin.replace('http:', 'https:'))
  const failure = await failureOf(calls.post({ url, timeouts: { ...PATIENT, connectMs: SHORT } }))
  expect(failure).toEqual({
    kind: 'timeout',
    code: 'connect_timeout',
    detail: `no connection to ${url.origin} within ${SHORT} ms`,
  })
  await calls.provider.connectionClosed()
})

test('silence after the head is a timeout', async () => {
  await calls.play(hang({ at: 'body' }))
  const failure = await failureOf(textOf(calls.post({ timeouts: { ...PATIENT, firstEventMs: SHORT } })))
  expect(failure).toEqual({
    kind: 'timeout',
    code: 'first_event_timeout',
    detail: `no event from ${calls.provider.origin} within ${SHORT} ms`,
  })
  await calls.provider.abortSeen()
})

test('silence before the first byte is a timeout of its own', async () => {
  await calls.play(hang())
  const failure = await failureOf(calls.post({ timeouts: { ...PATIENT, firstByteMs: SHORT } }))
  expect(failure).toEqual({
    kind: 'timeout',
    code: 'first_byte_timeout',
    detail: `no byte from ${calls.provider.origin} within ${SHORT} ms`,
  })
})

test('silence between the first byte and the first event is an idle timeout', async () => {
  await calls.play(stream([comment(), hang()]))
  const failure = await failureOf(textOf(calls.post({ timeouts: { ...PATIENT, idleMs: SHORT } })))
  expect(failure).toMatchObject({ kind: 'timeout', code: 'idle_timeout' })
})

test('once an answer has said something, its silence is measured anew', async () => {
  await calls.play(stream(['one', hang()]))
  const response = await calls.post({ timeouts: { ...PATIENT, spokenIdleMs: SHORT } })
  response.firstEventSeen()
  const { over } = reading(response)
  response.spoken()
  expect(await over).toMatchObject({
    failure: {
      code: 'idle_timeout',
      detail: `${calls.provider.origin} was silent for ${SHORT} ms in its answer`,
    },
  })
})

test('comments keep no call alive that has no event yet', async () => {
  const comments = Array<string>(500).fill(comment())
  await calls.play(stream([...comments, hang()], { gapMs: 10 }))
  const response = await calls.post({ timeouts: { ...PATIENT, firstEventMs: 200 } })
  const { text, over } = reading(response)
  expect(await over).toMatchObject({ failure: { kind: 'timeout' } })
  expect(text()).toStartWith(': keep-alive')
})

test('silence after the first event is an idle timeout', async () => {
  await calls.play(stream(['one', hang()]))
  const response = await calls.post({ timeouts: { ...PATIENT, idleMs: SHORT } })
  response.firstEventSeen()
  const { over } = reading(response)
  const detail = `${calls.provider.origin} was silent for ${SHORT} ms in its answer`
  expect(await over).toMatchObject({ failure: { kind: 'timeout', detail } })
  await calls.provider.abortSeen()
})

test('a stream that keeps coming is not idle, and is not bound by the first-event timeout', async () => {
  await calls.play(stream(Array<string>(12).fill('x'), { gapMs: 50 }))
  const response = await calls.post({ timeouts: { ...PATIENT, firstEventMs: 200, idleMs: 400 } })
  response.firstEventSeen()
  const { text, over } = reading(response)
  expect(await over).toBe('end')
  expect(text()).toBe('x'.repeat(12))
})

test('a stream that never ends is given up after its total time, however lively it is', async () => {
  await calls.play(stream(Array<string>(1000).fill(comment()), { gapMs: 10 }))
  const response = await calls.post({ timeouts: { ...PATIENT, totalMs: 300 } })
  response.firstEventSeen()
  const { over } = reading(response)
  const detail = `${calls.provider.origin} did not end its answer within 300 ms`
  expect(await over).toMatchObject({ failure: { kind: 'timeout', detail } })
  await calls.provider.abortSeen()
})

test('blank lines before a whole answer are no event, its first character is', async () => {
  await calls.play(stream(['\n', '\n', '{"a":', hang()], { gapMs: 1 }))
  const failure = await failureOf(textOf(calls.post({ timeouts: { ...PATIENT, idleMs: SHORT } })))
  expect(failure.detail).toContain('was silent')
})

test('a whole body that trickles is given up after its total time, and its connection with it', async () => {
  await calls.play(stream(Array<string>(1000).fill('x'), { gapMs: 10 }))
  const response = await calls.post()
  const failure = await failureOf(collectBody(response, { bytesMax: 1000, totalMs: 200 }))
  expect(failure).toMatchObject({ kind: 'timeout', status: 200 })
  expect(failure.detail).toContain('200 ms')
  await calls.provider.abortSeen()
})

test('time spent paused is not time of the provider', async () => {
  const gate = createGate()
  await calls.play(stream(['one', gate, ...Array<string>(5).fill('two')], { gapMs: 50 }))
  const response = await calls.post({ timeouts: { ...PATIENT, idleMs: 800, totalMs: 1_500 } })
  response.firstEventSeen()
  const { text, over } = reading(response)
  response.pause()
  await gate.reached
  await Bun.sleep(2_000)
  gate.open()
  response.resume()
  expect(await over).toBe('end')
  expect(text()).toBe(`one${'two'.repeat(5)}`)
})
