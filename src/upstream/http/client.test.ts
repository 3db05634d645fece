import { afterEach, expect, test } from 'bun:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import {
  type Script,
  type ScriptedProvider,
  close,
  comment,
  createGate,
  cutAfter,
  hang,
  inOrder,
  inTurn,
  piecesOf,
  raw,
  refuse,
  reset,
  respond,
  sse,
  startScriptedProvider,
  stopReading,
  stream,
} from '../../../test/support/scriptedProvider.ts'
import { UpstreamError, type UpstreamFailure } from '../../core/failure.ts'
import { CallAborted, type HttpRequest, type HttpResponse } from '../http.ts'
import { type SocketHttpClient, TRUSTED_IDLE_MS, createHttpClient } from './client.ts'
import { collectBody } from './collectBody.ts'

const PATIENT = { connectMs: 10_000, firstEventMs: 10_000, idleMs: 10_000 }
const LIMIT = 1 << 20

let provider: ScriptedProvider
let client: SocketHttpClient
afterEach(() => {
  client.close()
  provider.stop()
})

async function play(script: Script): Promise<void> {
  provider = await startScriptedProvider(script)
  client = createHttpClient()
}

function post(more: Partial<HttpRequest> = {}): Promise<HttpResponse> {
  const url = new URL(`${provider.baseUrl}/chat/completions`)
  return client.request({ method: 'POST', url, headers: {}, body: '{}', timeouts: PATIENT, ...more })
}

function get(): Promise<HttpResponse> {
  return client.request({ method: 'GET', url: new URL(provider.origin), headers: {}, timeouts: PATIENT })
}

async function textOf(response: Promise<HttpResponse>): Promise<string> {
  return new TextDecoder().decode(await collectBody(await response, LIMIT))
}

async function failureOf(call: Promise<unknown>): Promise<UpstreamFailure> {
  const outcome = await call.then(
    () => 'no failure',
    (error: unknown) => error,
  )
  if (outcome instanceof UpstreamError) return outcome.failure
  throw new Error(`not an UpstreamError: ${String(outcome)}`)
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Collects a body by hand and tells when it is over. */
function reading(response: HttpResponse): { text: () => string; over: Promise<'end' | UpstreamError> } {
  let text = ''
  const decoder = new TextDecoder()
  const over = new Promise<'end' | UpstreamError>((resolve) =>
    response.consume({
      data: (bytes) => void (text += decoder.decode(bytes, { stream: true })),
      end: () => resolve('end'),
      fail: resolve,
    }),
  )
  return { text: () => text, over }
}

// Answers

test('a request arrives as it was meant, and its answer comes back whole', async () => {
  await play(respond({ status: 201, headers: { 'X-Thing': 'a' }, body: 'grüße' }))
  const response = await post({ headers: { authorization: 'Bearer k' }, body: '{"text":"ä€😀"}' })
  expect([response.status, response.headers.get('x-thing')]).toEqual([201, 'a'])
  expect(await textOf(Promise.resolve(response))).toBe('grüße')
  expect(provider.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    body: { text: 'ä€😀' },
    headers: { authorization: 'Bearer k', 'accept-encoding': 'identity', 'content-length': '20' },
  })
})

test('a body of bytes is sent as it is', async () => {
  await play(respond({ body: 'ok' }))
  await textOf(post({ body: Buffer.from('"ä"') }))
  expect(provider.requests[0]?.body).toBe('ä')
})

test('a stream arrives piece by piece, also when a character is split', async () => {
  const gate = createGate()
  await play(stream([...piecesOf(sse('hällo'), 1), gate, sse('[DONE]')]))
  const response = await post()
  const { text, over } = reading(response)
  await gate.reached
  gate.open()
  expect(await over).toBe('end')
  expect(text()).toBe('data: hällo\n\ndata: [DONE]\n\n')
})

test('what comes before anyone consumes is kept', async () => {
  await play(stream(['one', 'two', 'three']))
  const response = await post()
  await provider.until(({ bytesWritten }) => bytesWritten > 100)
  await Bun.sleep(5)
  expect(await textOf(Promise.resolve(response))).toBe('onetwothree')
})

test('an answer that ends with the connection is whole', async () => {
  await play(stream(['one', 'two'], { framing: 'until-close' }))
  expect(await textOf(post())).toBe('onetwo')
})

test('redirects are not followed', async () => {
  await play(respond({ status: 302, headers: { location: 'http://elsewhere.test/' } }))
  expect((await post()).status).toBe(302)
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('a body compressed with %s all the same is read', async (encoding, compress) => {
  const text = 'plain '.repeat(50_000)
  const headers = { 'content-encoding': encoding }
  await play(respond({ headers, body: compress(text) }))
  expect(await textOf(post())).toBe(text)
})

test('a compressed body that is cut or broken fails', async () => {
  const headers = { 'content-encoding': 'gzip' }
  const body = gzipSync('x'.repeat(1000))
  await play(respond({ headers, body: body.subarray(0, 20) }))
  expect((await failureOf(textOf(post()))).kind).toBe('invalid_answer')
  provider.play(respond({ headers, body: 'not gzip at all' }))
  expect((await failureOf(textOf(post()))).kind).toBe('invalid_answer')
  provider.play(respond({ headers: { 'content-encoding': 'zstd' }, body }))
  expect(await failureOf(post())).toMatchObject({
    kind: 'invalid_answer',
    detail: 'unknown content-encoding zstd',
  })
})

test('a body is collected up to its limit', async () => {
  await play(respond({ body: 'x'.repeat(LIMIT + 1) }))
  expect(await failureOf(textOf(post()))).toMatchObject({ kind: 'invalid_answer', status: 200 })
})

// Connections

test('calls one after another share one connection; each connection serves one call at a time', async () => {
  await play(respond({ body: 'ok' }))
  for (let call = 0; call < 20; call++) await textOf(post())
  expect(provider.connectionsAccepted).toBe(1)
  expect(client.openConnections()).toEqual({ busy: 0, idle: 1 })
  await Promise.all([textOf(post()), textOf(post()), textOf(post())])
  expect(provider.connectionsAccepted).toBe(3)
  client.close()
  await provider.until(({ connectionsOpen }) => connectionsOpen === 0)
})

test('a connection that the provider will not keep, or whose answer had a surplus, is not used again', async () => {
  await play(respond({ headers: { connection: 'close' }, body: 'ok' }))
  await textOf(post())
  provider.play(inOrder(respond({ body: 'ok' }), raw('surplus')))
  await textOf(post())
  provider.play(respond({ headers: { 'keep-alive': 'timeout=1' }, body: 'ok' }))
  await textOf(post())
  await provider.connectionClosed(3)
  expect(provider.connectionsAccepted).toBe(3)
  expect(client.openConnections()).toEqual({ busy: 0, idle: 0 })
})

test('a connection that died while idle is noticed, and the next call takes a fresh one', async () => {
  await play(inOrder(respond({ body: 'ok' }), close()))
  await textOf(post())
  await provider.connectionClosed()
  while (client.openConnections().idle > 0) await nextTurn()
  await textOf(post())
  expect(provider.requests).toHaveLength(2)
})

test('a connection that was idle for long is looked at before a POST is risked on it', async () => {
  const gate = createGate()
  await play(inOrder(respond({ body: 'ok' }), gate, close()))
  await textOf(post())
  await Bun.sleep(TRUSTED_IDLE_MS + 400)
  gate.open()
  await provider.connectionClosed()
  // The close has arrived, but the client has not had a turn to see it.
  expect(client.openConnections().idle).toBe(1)
  expect(await textOf(post())).toBe('ok')
  expect(provider.requests.map(({ connection }) => connection)).toEqual([0, 1])
})

test('a GET whose old connection dies unanswered goes once to a fresh one', async () => {
  await play(inTurn(respond({ body: 'first' }), reset(), respond({ body: 'second' })))
  await textOf(get())
  expect(await textOf(get())).toBe('second')
  expect(provider.requests.map(({ connection }) => connection)).toEqual([0, 0, 1])
  provider.play(inTurn(respond({ body: 'x' }), reset()))
  expect((await failureOf(get().then(() => get()))).kind).toBe('connection')
})

test('a POST that may have been worked on is never sent twice', async () => {
  await play(inTurn(respond({ body: 'first' }), reset(), respond({ body: 'second' })))
  await textOf(post())
  expect((await failureOf(post())).kind).toBe('connection')
  expect(provider.requests).toHaveLength(2)
})

test('a POST that an old connection did not even take goes to a fresh one', async () => {
  const gate = createGate()
  await play(
    inTurn(inOrder(respond({ body: 'first' }), stopReading(), gate, close()), respond({ body: 'second' })),
  )
  await textOf(post())
  await gate.reached
  const second = post({ body: 'x'.repeat(16 << 20) })
  gate.open()
  expect(await textOf(second)).toBe('second')
  expect(provider.requests.map(({ connection }) => connection)).toEqual([0, 1])
})

test('a large body is sent whole through small buffers', async () => {
  await play(respond({ body: 'ok' }))
  const text = 'é'.repeat(4 << 20)
  let sent = 0
  expect(await textOf(post({ body: text, onSent: () => void sent++ }))).toBe('ok')
  expect(provider.requests[0]?.text === text).toBe(true)
  expect(sent).toBe(1)
})

test('an answer before the request was read is an answer', async () => {
  const answer = raw('HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig')
  await play({ ...answer, at: 'accept' })
  const response = await post({ body: 'x'.repeat(16 << 20) })
  expect(response.status).toBe(413)
  expect(await textOf(Promise.resolve(response))).toBe('big')
  expect(client.openConnections()).toEqual({ busy: 0, idle: 0 })
})

// Failures

test('a refused connection', async () => {
  await play(hang())
  const failure = await failureOf(post({ url: new URL(refuse()) }))
  expect(failure).toMatchObject({ kind: 'connection' })
  expect(failure.detail).toContain('ECONNREFUSED')
})

test('a name that does not resolve', async () => {
  await play(hang())
  expect((await failureOf(post({ url: new URL('http://nobody.invalid/') }))).kind).toBe('connection')
})

test('a reset before the first byte', async () => {
  await play(reset())
  expect(await failureOf(post())).toMatchObject({ kind: 'connection' })
})

test('a close before the first byte', async () => {
  await play(close())
  expect(await failureOf(post())).toMatchObject({
    kind: 'connection',
    detail: 'the answer was cut before the head was whole',
  })
})

test('a reset on accept', async () => {
  await play(reset({ at: 'accept' }))
  expect(await failureOf(post())).toMatchObject({ kind: 'connection' })
})

test.each(['close', 'reset'] as const)('a head cut by a %s', async (ending) => {
  await play(cutAfter(30, respond({ body: 'ok' }), ending))
  expect((await failureOf(post())).kind).toBe('connection')
})

test.each([
  ['a body of given length', respond({ body: 'x'.repeat(1000) })],
  ['a chunked body', stream(['x'.repeat(1000)])],
])('%s, cut in order or by a reset, is never whole', async (_, act) => {
  await play(cutAfter(500, act))
  expect((await failureOf(textOf(post()))).kind).toBe('connection')
  provider.play(cutAfter(500, act, 'reset'))
  expect((await failureOf(textOf(post()))).kind).toBe('connection')
})

test('a body that would end with the connection is not ended by a reset', async () => {
  await play(stream(['one', reset()], { framing: 'until-close' }))
  expect((await failureOf(textOf(post()))).kind).toBe('connection')
})

test('what is not HTTP is no answer, and its connection is closed', async () => {
  await play(raw('SSH-2.0-OpenSSH_9.2\r\n\r\n'))
  expect((await failureOf(post())).kind).toBe('invalid_answer')
  provider.play(raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno chunk'))
  expect((await failureOf(textOf(post()))).kind).toBe('invalid_answer')
  await provider.connectionClosed(2)
})

test('a reader that throws ends its own call and nothing else', async () => {
  await play(stream(['one', hang()]))
  const response = await post()
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
  await provider.abortSeen()
})

// Silence

const SHORT = 50

test('silence before the head is a timeout', async () => {
  await play(hang())
  const failure = await failureOf(post({ timeouts: { ...PATIENT, firstEventMs: SHORT } }))
  expect(failure).toEqual({ kind: 'timeout', detail: `no answer from ${provider.origin} within ${SHORT} ms` })
  await provider.abortSeen()
})

test('a provider that never reads is a timeout', async () => {
  await play(hang({ at: 'accept' }))
  expect(await failureOf(post({ timeouts: { ...PATIENT, firstEventMs: SHORT } }))).toMatchObject({
    kind: 'timeout',
  })
})

test('a TLS handshake that never ends is a connect timeout', async () => {
  await play(hang({ at: 'accept' }))
  const url = new URL(provider.origin.replace('http:', 'https:'))
  const failure = await failureOf(post({ url, timeouts: { ...PATIENT, connectMs: SHORT } }))
  expect(failure).toEqual({ kind: 'timeout', detail: `no connection to ${url.origin} within ${SHORT} ms` })
  await provider.connectionClosed()
})

test('silence after the head is a timeout', async () => {
  await play(hang({ at: 'body' }))
  const failure = await failureOf(textOf(post({ timeouts: { ...PATIENT, firstEventMs: SHORT } })))
  expect(failure).toEqual({ kind: 'timeout', detail: `no event from ${provider.origin} within ${SHORT} ms` })
  await provider.abortSeen()
})

test('comments keep no call alive that has no event yet', async () => {
  const comments = Array<string>(500).fill(comment())
  await play(stream([...comments, hang()], { gapMs: 10 }))
  const response = await post({ timeouts: { ...PATIENT, firstEventMs: 200 } })
  const { text, over } = reading(response)
  expect(await over).toMatchObject({ failure: { kind: 'timeout' } })
  expect(text()).toStartWith(': keep-alive')
})

test('silence after the first event is an idle timeout', async () => {
  await play(stream(['one', hang()]))
  const response = await post({ timeouts: { ...PATIENT, idleMs: SHORT } })
  response.firstEventSeen()
  const { over } = reading(response)
  const detail = `${provider.origin} was silent for ${SHORT} ms in its answer`
  expect(await over).toMatchObject({ failure: { kind: 'timeout', detail } })
  await provider.abortSeen()
})

test('a stream that keeps coming is not idle, and is not bound by the first-event timeout', async () => {
  await play(stream(Array<string>(12).fill('x'), { gapMs: 50 }))
  const response = await post({ timeouts: { ...PATIENT, firstEventMs: 200, idleMs: 400 } })
  response.firstEventSeen()
  const { text, over } = reading(response)
  expect(await over).toBe('end')
  expect(text()).toBe('x'.repeat(12))
})

test('blank lines before a whole answer are no event, its first character is', async () => {
  await play(stream(['\n', '\n', '{"a":', hang()], { gapMs: 1 }))
  const failure = await failureOf(textOf(post({ timeouts: { ...PATIENT, idleMs: SHORT } })))
  expect(failure.detail).toContain('was silent')
})

test('time spent paused is not silence of the provider', async () => {
  const gate = createGate()
  await play(stream(['one', gate, 'two']))
  const response = await post({ timeouts: { ...PATIENT, idleMs: SHORT } })
  response.firstEventSeen()
  const { text, over } = reading(response)
  response.pause()
  await gate.reached
  await Bun.sleep(400)
  gate.open()
  response.resume()
  expect(await over).toBe('end')
  expect(text()).toBe('onetwo')
})

// Leaving

test('a signal that was aborted before the call sends nothing', async () => {
  await play(hang())
  const error: unknown = await post({ signal: AbortSignal.abort() }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CallAborted)
  expect(provider.connectionsAccepted).toBe(0)
})

test('an abort while connecting closes the connection and fails the call as aborted', async () => {
  await play(hang())
  const leaving = new AbortController()
  const call = post({ signal: leaving.signal }).catch((error: unknown) => error)
  leaving.abort()
  expect(await call).toBeInstanceOf(CallAborted)
  await provider.until(({ connectionsOpen }) => connectionsOpen === 0)
  expect(provider.requests).toHaveLength(0)
})

test('an abort while waiting for the answer closes the connection', async () => {
  await play(hang())
  const leaving = new AbortController()
  const call = post({ signal: leaving.signal }).catch((error: unknown) => error)
  await provider.request()
  leaving.abort()
  expect(await call).toBeInstanceOf(CallAborted)
  await provider.abortSeen()
  expect(client.openConnections()).toEqual({ busy: 0, idle: 0 })
})

test('an abort by signal in mid-stream closes the connection and ends the body as aborted', async () => {
  await play(stream(['one', hang()]))
  const leaving = new AbortController()
  const { over } = reading(await post({ signal: leaving.signal }))
  leaving.abort()
  expect(await over).toBeInstanceOf(CallAborted)
  await provider.abortSeen()
})

test('after abort() nothing more is heard, and the provider sees the close', async () => {
  const gate = createGate()
  await play(stream(['one', gate, 'two', hang()]))
  const response = await post()
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
  await provider.abortSeen()
  expect(heard).toEqual(['one'])
})

test('an abort after the end touches nothing', async () => {
  await play(respond({ body: 'ok' }))
  const leaving = new AbortController()
  const response = await post({ signal: leaving.signal })
  await textOf(Promise.resolve(response))
  leaving.abort()
  response.abort()
  expect(client.openConnections()).toEqual({ busy: 0, idle: 1 })
})

test('onSent is called when the provider can have the whole request, not before', async () => {
  await play(hang())
  let sent = false
  const call = failureOf(post({ url: new URL(refuse()), onSent: () => (sent = true) }))
  await call
  expect(sent).toBe(false)
  const leaving = new AbortController()
  const waiting = post({ signal: leaving.signal, onSent: () => (sent = true) }).catch(() => undefined)
  await provider.request()
  expect(sent).toBe(true)
  leaving.abort()
  await waiting
})
