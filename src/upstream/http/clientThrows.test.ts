import { afterEach, describe, expect, test } from 'bun:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { failureOf, scriptedCalls, textOf } from '../../../test/support/scriptedCalls.ts'
import { cutAfter, hang, respond, stream } from '../../../test/support/scriptedProvider.ts'
import { UpstreamError } from '../../core/failure.ts'
import type { BodySink, HttpResponse } from '../http.ts'

const calls = scriptedCalls()
const reported: unknown[] = []
const reportError = (error: unknown) => void reported.push(error)
afterEach(() => void (reported.length = 0))

const BUG = new Error('a bug in the reader')
const TEXT = 'plain '.repeat(20_000)

/** Consumes with a reader that throws wherever it is told to; gives how it was told to end. */
function brokenReading(response: HttpResponse, throws: keyof BodySink, error = BUG): Promise<UpstreamError> {
  const { promise, resolve } = Promise.withResolvers<UpstreamError>()
  const breaks = (where: keyof BodySink) => {
    if (where === throws) throw error
  }
  response.consume({
    data: () => breaks('data'),
    end: () => breaks('end'),
    fail(failure) {
      resolve(failure)
      breaks('fail')
    },
  })
  return promise
}

/** The process lives, and the next call is answered. */
async function expectTheNextIsAnswered(): Promise<void> {
  calls.provider.play(respond({ body: 'next' }))
  expect(await textOf(calls.post())).toBe('next')
}

describe.each([
  ['plain', undefined, (text: string) => text],
  ['gzip', 'gzip', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['br', 'br', brotliCompressSync],
] as const)('a reader of a %s body', (_, encoding, compress) => {
  const headers = encoding === undefined ? {} : { 'content-encoding': encoding }

  test.each(['data', 'end'] as const)('that throws in %s ends its own call and no other', async (where) => {
    await calls.play(respond({ headers, body: compress(TEXT) }), { reportError })
    const failure = await brokenReading(await calls.post(), where)
    expect(failure).toMatchObject({ failure: { kind: 'invalid_answer' }, cause: BUG })
    expect(reported).toEqual([BUG])
    await expectTheNextIsAnswered()
  })

  test('that says itself that the answer is broken is believed, and is not a bug', async () => {
    await calls.play(respond({ headers, body: compress(TEXT) }), { reportError })
    const own = new UpstreamError({ kind: 'overloaded', detail: 'it said so' })
    expect(await brokenReading(await calls.post(), 'data', own)).toBe(own)
    expect(reported).toEqual([])
  })

  test('that throws when it hears of a failure is reported, and no other call suffers', async () => {
    const cut = cutAfter(80, respond({ headers, body: compress(TEXT) }))
    await calls.play(cut, { reportError })
    await brokenReading(await calls.post(), 'fail')
    expect(reported).toEqual([BUG])
    await expectTheNextIsAnswered()
  })

  test('that throws in mid-stream costs the connection', async () => {
    const body = compress(TEXT)
    await calls.play(stream([body, hang()], { headers }), { reportError })
    await brokenReading(await calls.post(), 'data')
    await calls.provider.connectionClosed()
    expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 0 })
  })
})

test('a throw of whoever hears that the request was sent ends the call with it', async () => {
  await calls.play(hang(), { reportError })
  const call = calls.post({
    onSent() {
      throw BUG
    },
  })
  expect(await call.catch((error: unknown) => error)).toBe(BUG)
  expect(reported).toEqual([BUG])
  await calls.provider.connectionClosed()
  await expectTheNextIsAnswered()
})

test('on a kept connection too', async () => {
  await calls.play(respond({ body: 'first' }), { reportError })
  await textOf(calls.post())
  const call = calls.post({
    onSent() {
      throw BUG
    },
  })
  expect(await call.catch((error: unknown) => error)).toBe(BUG)
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 0 })
  await expectTheNextIsAnswered()
})

test('a compressed body with junk behind it is broken', async () => {
  const headers = { 'content-encoding': 'gzip' }
  await calls.play(respond({ headers, body: Buffer.concat([gzipSync('x'), Buffer.from('junk after it')]) }))
  expect((await failureOf(textOf(calls.post()))).kind).toBe('invalid_answer')
})
