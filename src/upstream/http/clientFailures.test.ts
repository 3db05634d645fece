import { expect, test } from 'bun:test'
import { failureOf, scriptedCalls, textOf } from '../../../test/support/scriptedCalls.ts'
import {
  close,
  cutAfter,
  hang,
  raw,
  refuse,
  reset,
  respond,
  stream,
} from '../../../test/support/scriptedProvider.ts'
import type { UpstreamError } from '../../core/failure.ts'

const calls = scriptedCalls()

test('a refused connection', async () => {
  await calls.play(hang())
  const failure = await failureOf(calls.post({ url: new URL(refuse()) }))
  expect(failure).toMatchObject({ kind: 'connection', unreachable: true })
  expect(failure.detail).toContain('ECONNREFUSED')
})

test('a name that does not resolve', async () => {
  await calls.play(hang())
  const failure = await failureOf(calls.post({ url: new URL('http://nobody.invalid/') }))
  expect(failure).toMatchObject({ kind: 'connection', unreachable: true })
})

test('a reset before the first byte', async () => {
  await calls.play(reset())
  const failure = await failureOf(calls.post())
  expect(failure).toMatchObject({ kind: 'connection' })
  // A request may have caused it.
  expect(failure.unreachable).toBeUndefined()
})

test('a close before the first byte', async () => {
  await calls.play(close())
  expect(await failureOf(calls.post())).toMatchObject({
    kind: 'connection',
    detail: 'the answer was cut before the head was whole',
  })
})

test('a reset on accept', async () => {
  await calls.play(reset({ at: 'accept' }))
  const failure = await failureOf(calls.post())
  expect(failure).toMatchObject({ kind: 'connection' })
  // A request may have caused it.
  expect(failure.unreachable).toBeUndefined()
})

test.each(['close', 'reset'] as const)('a head cut by a %s', async (ending) => {
  await calls.play(cutAfter(30, respond({ body: 'ok' }), ending))
  expect((await failureOf(calls.post())).kind).toBe('connection')
})

test.each([
  ['a body of given length', respond({ body: 'x'.repeat(1000) })],
  ['a chunked body', stream(['x'.repeat(1000)])],
])('%s, cut in order or by a reset, is never whole', async (_, act) => {
  await calls.play(cutAfter(500, act))
  expect((await failureOf(textOf(calls.post()))).kind).toBe('connection')
  calls.provider.play(cutAfter(500, act, 'reset'))
  expect((await failureOf(textOf(calls.post()))).kind).toBe('connection')
})

test('a body that would end with the connection is not ended by a reset', async () => {
  await calls.play(stream(['one', reset()], { framing: 'until-close' }))
  expect((await failureOf(textOf(calls.post()))).kind).toBe('connection')
})

test('what is not HTTP is no answer, and its connection is closed', async () => {
  await calls.play(raw('SSH-2.0-OpenSSH_9.2\r\n\r\n'))
  expect((await failureOf(calls.post())).kind).toBe('invalid_answer')
  calls.provider.play(raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno chunk'))
  expect((await failureOf(textOf(calls.post()))).kind).toBe('invalid_answer')
  await calls.provider.connectionClosed(2)
})

test('a reader that throws ends its own call and nothing else', async () => {
  await calls.play(stream(['one', hang()]))
  const response = await calls.post()
  const failure = await new Promise<UpstreamError>((resolve) =>
    response.consume({
      data() {
        throw new Error('a bug')
      },
      end: () => undefined,
      fail: resolve,
    }),
  )
  expect(failure.failure.detail).toContain('a bug')
  await calls.provider.abortSeen()
})
