import { afterEach, expect, test } from 'bun:test'
import {
  type Script,
  type ScriptedProvider,
  createGate,
  respond,
  startScriptedProvider,
  stream,
} from '../../../test/support/scriptedProvider.ts'
import type { UpstreamError } from '../../core/failure.ts'
import type { HttpResponse } from '../http.ts'
import { type SocketHttpClient, createHttpClient } from './client.ts'
import { collectBody } from './collectBody.ts'

const TIMEOUTS = { connectMs: 30_000, firstEventMs: 30_000, idleMs: 30_000 }

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

function post(): Promise<HttpResponse> {
  const url = new URL(provider.baseUrl)
  return client.request({ method: 'POST', url, headers: {}, body: '{}', timeouts: TIMEOUTS })
}

test('a thousand calls run at once, each on a connection of its own, and no answer goes astray', async () => {
  const gate = createGate()
  await play((request, ordinal) => stream([`${ordinal}:`, gate, JSON.stringify(request.body)]))
  const calls = Array.from({ length: 1000 }, (_, number) =>
    client.request({
      method: 'POST',
      url: new URL(provider.baseUrl),
      headers: {},
      body: JSON.stringify({ number }),
      timeouts: TIMEOUTS,
    }),
  )
  const responses = await Promise.all(calls)
  expect(provider.connectionsOpen).toBe(1000)
  gate.open()
  const bodies = await Promise.all(responses.map((response) => collectBody(response, 1000)))
  const texts = bodies.map((body) => new TextDecoder().decode(body).replace(/^\d+:/, ''))
  expect(texts).toEqual(Array.from({ length: 1000 }, (_, number) => `{"number":${number}}`))
  expect(client.openConnections()).toEqual({ busy: 0, idle: 1000 })
})

test('idle connections are bounded, the surplus is closed', async () => {
  const gate = createGate()
  await play(stream([gate, 'ok']))
  const calls = Array.from({ length: 1100 }, () => post().then((response) => collectBody(response, 1000)))
  await provider.until(({ requests }) => requests.length === 1100)
  gate.open()
  await Promise.all(calls)
  expect(client.openConnections()).toEqual({ busy: 0, idle: 1024 })
  await provider.connectionClosed(76)
})

/** A reader that pauses at the first bytes. */
async function pauseEarly(
  response: HttpResponse,
): Promise<{ taken: () => number; over: Promise<'end' | UpstreamError> }> {
  let taken = 0
  const begun = Promise.withResolvers<void>()
  const over = new Promise<'end' | UpstreamError>((resolve) =>
    response.consume({
      data(bytes) {
        if (taken === 0) response.pause()
        taken += bytes.length
        begun.resolve()
      },
      end: () => resolve('end'),
      fail: resolve,
    }),
  )
  await begun.promise
  return { taken: () => taken, over }
}

test('a paused answer stops its sender, in bounded memory; resumed, it arrives whole', async () => {
  const piece = 'x'.repeat(1 << 20)
  const total = 64 << 20
  await play(stream(Array<string>(64).fill(piece)))
  const response = await post()
  const { taken, over } = await pauseEarly(response)
  await standstill(() => provider.bytesWritten)
  expect(provider.bytesWritten).toBeLessThan(total)
  expect(taken()).toBeLessThan(4 << 20)
  response.resume()
  expect(await over).toBe('end')
  expect(taken()).toBe(total)
})

test('a paused answer that was sent whole before the connection ended is still whole', async () => {
  await play(stream(['x'.repeat(100_000), 'y'.repeat(100_000)], { framing: 'until-close' }))
  const response = await post()
  const { taken, over } = await pauseEarly(response)
  await provider.connectionClosed()
  response.resume()
  expect(await over).toBe('end')
  expect(taken()).toBe(200_000)
})

test('an answer that nobody consumes yet stops its sender too', async () => {
  await play(respond({ body: 'x'.repeat(64 << 20) }))
  const response = await post()
  await standstill(() => provider.bytesWritten)
  expect(provider.bytesWritten).toBeLessThan(64 << 20)
  response.abort()
  await provider.abortSeen()
})

/** Resolves when a figure has not moved for a while. */
async function standstill(figure: () => number): Promise<void> {
  let before = -1
  while (figure() !== before) {
    before = figure()
    await Bun.sleep(100)
  }
}
