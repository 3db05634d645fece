import { afterEach, expect, test } from 'bun:test'
import {
  type ScriptedProvider,
  hang,
  respond,
  startScriptedProvider,
  stream,
} from '../../../test/support/scriptedProvider.ts'
import { UpstreamError } from '../../core/failure.ts'
import type { HttpResponse } from '../http.ts'
import { type SocketHttpClient, createHttpClient } from './client.ts'
import { collectBody } from './collectBody.ts'

const TIMEOUTS = { connectMs: 10_000, firstEventMs: 10_000, idleMs: 10_000 }

/** Made by openssl; the authority's own key is gone. */
function fixture(name: string): Promise<string> {
  return Bun.file(new URL(`__fixtures__/${name}`, import.meta.url)).text()
}

let provider: ScriptedProvider
let client: SocketHttpClient
afterEach(() => {
  client.close()
  provider.stop()
})

async function start(certificate: 'localhost' | 'stranger', act = respond({ body: 'safe' })): Promise<void> {
  const [cert, key] = await Promise.all([fixture(`${certificate}.pem`), fixture(`${certificate}.key`)])
  provider = await startScriptedProvider(act, { tls: { cert, key } })
}

async function trusting(): Promise<void> {
  client = createHttpClient({ extraCertificates: [await fixture('ca.pem')] })
}

function post(origin: string, body = '{}'): Promise<HttpResponse> {
  return client.request({ method: 'POST', url: new URL(origin), headers: {}, body, timeouts: TIMEOUTS })
}

async function textOf(response: Promise<HttpResponse>): Promise<string> {
  return new TextDecoder().decode(await collectBody(await response, 1 << 20))
}

async function failureOf(call: Promise<unknown>): Promise<UpstreamError['failure'] | undefined> {
  const error: unknown = await call.catch((reason: unknown) => reason)
  return error instanceof UpstreamError ? error.failure : undefined
}

test('a certificate of a trusted authority for this very host, by name or by address, is taken', async () => {
  await start('localhost')
  await trusting()
  expect(await textOf(post(provider.origin))).toBe('safe')
  expect(await textOf(post(provider.origin.replace('127.0.0.1', 'localhost')))).toBe('safe')
})

test('TLS connections are used again', async () => {
  await start('localhost')
  await trusting()
  for (let call = 0; call < 5; call++) await textOf(post(provider.origin))
  expect(provider.connectionsAccepted).toBe(1)
})

test('a certificate of an unknown authority is refused before anything is sent', async () => {
  await start('localhost')
  client = createHttpClient()
  const failure = await failureOf(post(provider.origin))
  expect(failure?.kind).toBe('connection')
  expect(failure?.detail).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  expect(provider.requests).toHaveLength(0)
})

test('a trusted certificate of another host is refused before anything is sent', async () => {
  await start('stranger')
  await trusting()
  for (const host of ['127.0.0.1', 'localhost']) {
    const failure = await failureOf(post(provider.origin.replace('127.0.0.1', host)))
    expect(failure?.kind).toBe('connection')
    expect(failure?.detail).toContain('ERR_TLS_CERT_ALTNAME_INVALID')
  }
  expect(provider.requests).toHaveLength(0)
})

test('no environment variable switches verification off', async () => {
  await start('localhost')
  client = createHttpClient()
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    expect((await failureOf(post(provider.origin)))?.kind).toBe('connection')
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  }
})

test('a peer that speaks no TLS is a failed connection', async () => {
  provider = await startScriptedProvider(respond({ body: 'plain' }))
  await trusting()
  const plain = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') },
  })
  expect((await failureOf(post(`https://127.0.0.1:${plain.port}`)))?.kind).toBe('connection')
  plain.stop(true)
})

test('large requests and large answers pass whole', async () => {
  const text = 'x'.repeat(600_000)
  await start('localhost', stream([text]))
  await trusting()
  const body = 'é'.repeat(2 << 20)
  expect((await textOf(post(provider.origin, body))).length).toBe(text.length)
  expect(provider.requests[0]?.text === body).toBe(true)
})

test('an abort closes the connection', async () => {
  await start('localhost', stream(['one', hang()]))
  await trusting()
  const response = await post(provider.origin)
  response.abort()
  await provider.abortSeen()
  expect(client.openConnections()).toEqual({ busy: 0, idle: 0 })
})
