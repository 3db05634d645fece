import { expect, test } from 'bun:test'
import { failureOf, scriptedCalls, textOf } from '../../../test/support/scriptedCalls.ts'
import { type Act, hang, respond, stream } from '../../../test/support/scriptedProvider.ts'

const calls = scriptedCalls()

/** Made by openssl; the authority's own key is gone. */
function fixture(name: string): Promise<string> {
  return Bun.file(new URL(`__fixtures__/${name}`, import.meta.url)).text()
}

/** A provider with this certificate, and a client that trusts its authority unless told otherwise. */
async function play(certificate: 'localhost' | 'stranger', act: Act, trusting = true): Promise<void> {
  const [cert, key] = await Promise.all([fixture(`${certificate}.pem`), fixture(`${certificate}.key`)])
  const extraCertificates = trusting ? [await fixture('ca.pem')] : []
  await calls.play(act, { tls: { cert, key }, extraCertificates })
}

function urlWith(host: string): URL {
  return new URL(calls.provider.origin.replace('127.0.0.1', host))
}

test('a certificate of a trusted authority for this very host, by name or by address, is taken', async () => {
  await play('localhost', respond({ body: 'safe' }))
  expect(await textOf(calls.post())).toBe('safe')
  expect(await textOf(calls.post({ url: urlWith('localhost') }))).toBe('safe')
})

test('TLS connections are used again', async () => {
  await play('localhost', respond({ body: 'safe' }))
  for (let call = 0; call < 5; call++) await textOf(calls.post())
  expect(calls.provider.connectionsAccepted).toBe(1)
})

test('a certificate of an unknown authority is refused before anything is sent', async () => {
  await play('localhost', respond({ body: 'not safe' }), false)
  const failure = await failureOf(calls.post())
  expect(failure).toMatchObject({ kind: 'connection', unreachable: true })
  expect(failure.detail).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  expect(calls.provider.requests).toHaveLength(0)
})

test('a trusted certificate of another host is refused before anything is sent', async () => {
  await play('stranger', respond({ body: 'not safe' }))
  for (const host of ['127.0.0.1', 'localhost']) {
    const failure = await failureOf(calls.post({ url: urlWith(host) }))
    expect(failure).toMatchObject({ kind: 'connection', unreachable: true })
    expect(failure.detail).toContain('ERR_TLS_CERT_ALTNAME_INVALID')
  }
  expect(calls.provider.requests).toHaveLength(0)
})

test('no environment variable switches verification off', async () => {
  await play('localhost', respond({ body: 'not safe' }), false)
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    expect((await failureOf(calls.post())).kind).toBe('connection')
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  }
})

test('a peer that speaks no TLS is a failed connection', async () => {
  await play('localhost', respond({ body: 'unused' }))
  const plain = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') },
  })
  const url = new URL(`https://127.0.0.1:${plain.port}`)
  expect((await failureOf(calls.post({ url }))).kind).toBe('connection')
  plain.stop(true)
})

test('large requests and large answers pass whole', async () => {
  const text = 'x'.repeat(600_000)
  await play('localhost', stream([text]))
  const body = 'é'.repeat(2 << 20)
  expect((await textOf(calls.post({ body }))).length).toBe(text.length)
  expect(calls.provider.requests[0]?.text === body).toBe(true)
})

test('an abort closes the connection', async () => {
  await play('localhost', stream(['one', hang()]))
  const response = await calls.post()
  response.abort()
  await calls.provider.abortSeen()
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: 0 })
})
