import { expect, test } from 'bun:test'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import {
  COLLECT_BYTES_MAX,
  failureOf,
  reading,
  scriptedCalls,
  textOf,
} from '../../../test/support/scriptedCalls.ts'
import { createGate, respond, sse, stream, piecesOf } from '../../../test/support/scriptedProvider.ts'

const calls = scriptedCalls()

test('a request arrives as it was meant, and its answer comes back whole', async () => {
  await calls.play(respond({ status: 201, headers: { 'X-Thing': 'a' }, body: 'grüße' }))
  const response = await calls.post({ headers: { authorization: 'Bearer k' }, body: '{"text":"ä€😀"}' })
  expect([response.status, response.headers.get('x-thing')]).toEqual([201, 'a'])
  expect(await textOf(response)).toBe('grüße')
  expect(calls.provider.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    body: { text: 'ä€😀' },
    headers: { authorization: 'Bearer k', 'accept-encoding': 'identity', 'content-length': '20' },
  })
})

test('a body of bytes is sent as it is', async () => {
  await calls.play(respond({ body: 'ok' }))
  await textOf(calls.post({ body: Buffer.from('"ä"') }))
  expect(calls.provider.requests[0]?.body).toBe('ä')
})

test('a stream arrives piece by piece, also when a character is split', async () => {
  const gate = createGate()
  await calls.play(stream([...piecesOf(sse('hällo'), 1), gate, sse('[DONE]')]))
  const response = await calls.post()
  const { text, over } = reading(response)
  await gate.reached
  gate.open()
  expect(await over).toBe('end')
  expect(text()).toBe('data: hällo\n\ndata: [DONE]\n\n')
})

test('what comes before anyone consumes is kept', async () => {
  await calls.play(stream(['one', 'two', 'three']))
  const response = await calls.post()
  await calls.provider.until(({ bytesWritten }) => bytesWritten > 100)
  await Bun.sleep(5)
  expect(await textOf(response)).toBe('onetwothree')
})

test('an answer that ends with the connection is whole', async () => {
  await calls.play(stream(['one', 'two'], { framing: 'until-close' }))
  expect(await textOf(calls.post())).toBe('onetwo')
})

test('redirects are not followed', async () => {
  await calls.play(respond({ status: 302, headers: { location: 'http://elsewhere.test/' } }))
  expect((await calls.post()).status).toBe(302)
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('a body compressed with %s all the same is read', async (encoding, compress) => {
  const text = 'plain '.repeat(50_000)
  const headers = { 'content-encoding': encoding }
  await calls.play(respond({ headers, body: compress(text) }))
  expect(await textOf(calls.post())).toBe(text)
})

test('a compressed body that is cut or broken fails', async () => {
  const headers = { 'content-encoding': 'gzip' }
  const body = gzipSync('x'.repeat(1000))
  await calls.play(respond({ headers, body: body.subarray(0, 20) }))
  expect((await failureOf(textOf(calls.post()))).kind).toBe('invalid_answer')
  calls.provider.play(respond({ headers, body: 'not gzip at all' }))
  expect((await failureOf(textOf(calls.post()))).kind).toBe('invalid_answer')
  calls.provider.play(respond({ headers: { 'content-encoding': 'zstd' }, body }))
  expect(await failureOf(calls.post())).toMatchObject({
    kind: 'invalid_answer',
    detail: 'unknown content-encoding zstd',
  })
})

test.each([
  ['gzip', gzipSync('x').subarray(0, 10), '000000ffff'],
  ['deflate', Buffer.from([0x78, 0x9c]), '000000ffff'],
  ['br', Buffer.from([0x0c]), '06'],
])('a body compressed with %s that goes on and holds nothing fails', async (encoding, head, emptyBlock) => {
  const gate = createGate()
  const headers = { 'content-encoding': encoding }
  const nothing = Buffer.from(emptyBlock.repeat(300_000), 'hex')
  await calls.play(stream([Buffer.concat([head, nothing]), gate], { headers }))
  expect(await failureOf(textOf(calls.post()))).toMatchObject({
    kind: 'invalid_answer',
    code: 'bad_encoding',
    detail: 'the body does not decode: it is larger than what it holds',
  })
  gate.open()
})

test.each([
  ['gzip', (text: string) => gzipSync(text, { level: 0 })],
  ['deflate', (text: string) => deflateSync(text, { level: 0 })],
  ['br', (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
] as const)('a large body that %s makes hardly smaller is read', async (encoding, compress) => {
  const text = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
    .toString('base64')
    .repeat(10)
  await calls.play(respond({ headers: { 'content-encoding': encoding }, body: compress(text) }))
  expect(await textOf(calls.post())).toBe(text)
})

test('a body is collected up to its limit', async () => {
  await calls.play(respond({ body: 'x'.repeat(COLLECT_BYTES_MAX + 1) }))
  expect(await failureOf(textOf(calls.post()))).toMatchObject({ kind: 'invalid_answer', status: 200 })
})
