import { describe, expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import { rawCaller } from '../../test/support/rawCaller.ts'
import type { ClientSink } from '../pipeline/reply.ts'
import { type HttpServer, startServer } from './server.ts'
import type { DataPlane } from './dataPlane/dataPlane.ts'
import { streamResponse } from './streamResponse.ts'

/** The runtime looks every few seconds, so that 1 becomes up to 4. */
const IDLE_SECONDS = 1
const PATIENCE_MS = 60_000
const NO_PROXIES = { trusted: () => new BlockList(), onUntrusted: () => undefined }
const SILENCE_MS = (IDLE_SECONDS + 5) * 1000

/** Answers `/v1/refused` at once, `/v1/whole` and `/v1/stream` after a silence longer than any idle connection gets. */
const dataPlane: DataPlane = {
  pricedPaths: [],
  async handle(request, path, _query, patience) {
    if (path === '/v1/refused') {
      patience.rest()
      return new Response('no', { status: 401 })
    }
    await request.text()
    patience.forAnswer()
    if (path === '/v1/whole') {
      await Bun.sleep(SILENCE_MS)
      patience.rest()
      return new Response('whole')
    }
    return streamResponse(
      {
        async start(sink) {
          void sink.write('begin ')
          await Bun.sleep(SILENCE_MS)
          void sink.write('end')
          sink.end()
        },
        leave: () => undefined,
      },
      {},
      patience.rest,
    )
  },
}

function start(onFirstRequest?: () => void): HttpServer {
  return startServer({
    host: '127.0.0.1',
    port: 0,
    app: { fetch: () => new Response('app') },
    dataPlane,
    proxies: NO_PROXIES,
    requestId: () => 'req_test',
    reportError: (error) => {
      throw error
    },
    idleTimeoutSeconds: IDLE_SECONDS,
    ...(onFirstRequest && { onFirstRequest }),
  })
}

/** What a connection gives until the server closes it. */
async function converse(server: HttpServer, path: string, headers = ''): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port,
    socket: {
      data: (_, bytes) => void (text += new TextDecoder().decode(bytes)),
      close: () => resolve(text),
    },
  })
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${headers || 'content-length: 2\r\n'}\r\n{}`)
  return promise
}

test.concurrent(
  'a silent call gets its answer, and no connection stays open after one',
  async () => {
    const server = start()
    const [whole, stream, refused, unfinished] = await Promise.all([
      converse(server, '/v1/whole'),
      converse(server, '/v1/stream'),
      converse(server, '/v1/refused'),
      converse(server, '/v1/refused', 'content-length: 1000\r\n'),
    ])
    expect(whole).toEndWith('whole')
    expect(stream).toContain('begin ')
    expect(stream).toContain('end')
    expect(refused).toEndWith('no')
    expect(unfinished).toEndWith('no')
    await server.close()
  },
  PATIENCE_MS,
)

describe.concurrent('a caller that never reads', () => {
  const LARGE = 'x'.repeat(10_000_000)

  /** With when it was asked, and when a stream's caller took no more. */
  function startAnswering() {
    const asked = Promise.withResolvers<void>()
    const given = Promise.withResolvers<void>()
    const server = startServer({
      host: '127.0.0.1',
      port: 0,
      proxies: NO_PROXIES,
      app: {
        fetch() {
          asked.resolve()
          return new Response(LARGE)
        },
      },
      dataPlane: {
        pricedPaths: [],
        async handle(_request, path, _query, patience) {
          asked.resolve()
          await Bun.sleep(1)
          patience.forAnswer()
          if (path === '/v1/stream') {
            const start = async (sink: ClientSink) => {
              while (sink.write('x'.repeat(65_536)) === undefined) await Bun.sleep(0)
              given.resolve()
            }
            return streamResponse({ start, leave: () => undefined }, {}, () => patience.rest())
          }
          patience.rest()
          return new Response(LARGE)
        },
      },
      requestId: () => 'req_test',
      reportError: (error) => {
        throw error
      },
      idleTimeoutSeconds: IDLE_SECONDS,
    })
    return { server, asked: asked.promise, given: given.promise }
  }

  test.each(['/', '/docs', '/v1/models'])(
    'loses its connection with its whole answer: %s',
    async (path) => {
      const { server, asked } = startAnswering()
      const caller = await rawCaller(server.port)
      caller.stopReading()
      caller.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
      await asked
      // Resolves when no connection is left.
      await server.stop()
      caller.readOn()
      await caller.closed
      expect(caller.text().length).toBeLessThan(LARGE.length)
    },
    PATIENCE_MS,
  )

  test(
    'loses its connection with a stream that is given up, and what it got does not look whole',
    async () => {
      const { server, given } = startAnswering()
      const caller = await rawCaller(server.port)
      caller.stopReading()
      caller.write('GET /v1/stream HTTP/1.1\r\nhost: x\r\n\r\n')
      await given
      await server.stop()
      caller.readOn()
      await caller.closed
      expect(caller.text()).not.toEndWith('0\r\n\r\n')
    },
    PATIENCE_MS,
  )
})

test('the first request is announced once, and none for health or metrics', async () => {
  let announced = 0
  const server = start(() => announced++)
  try {
    for (const path of ['/healthz', '/readyz', '/metrics']) await (await fetch(server.url + path)).text()
    expect(announced).toBe(0)
    for (const path of ['/docs', '/v1/refused', '/']) await (await fetch(server.url + path)).text()
    expect(announced).toBe(1)
  } finally {
    await server.close()
  }
})
