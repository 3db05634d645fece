import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts'
import { proveLedgers } from '../contract/customer.ts'
import { freePort } from '../support/keeper.ts'
import { rejectionOf } from '../support/rejection.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { type GatewayProcess, type ProcessWorld, startProcessWorld } from '../support/processWorld.ts'
import { skipFor } from '../support/runEvents.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createGate, pause, streams } from '../support/scriptedProvider.ts'
import { MESSAGES, MODEL } from '../support/world.ts'
import { BINARY_VARIABLE, PROGRAM } from '../support/program.ts'
import { buildNewerVersion } from './newerVersion.ts'
import { PROXIES } from './proxies.ts'

const GATEWAYS = 3
/** Callers that call again and again. */
const CALLERS = 24
/** server.max_body_bytes. */
const LARGEST_BODY = 32 * 1024 * 1024
/** What a prompt of the load consists of; the provider repeats it. */
const WORD = /word-[\da-f-]+/
/** Ways to ask for what is not for callers. */
const PRIVATE_PATHS = [
  '/metrics',
  '/metrics/',
  '/metrics?a=b',
  '//metrics',
  '/METRICS',
  '/%6Detrics',
  '/%2Fmetrics',
  '/./metrics',
  '/x/../metrics',
  '/x/%2e%2e/metrics',
  '/x/..%2fmetrics',
  '/x/..\\metrics',
  '/\\metrics',
  '/x/..%5Cmetrics',
  'http://127.0.0.1/metrics',
  '/api/v1/admin/workspaces',
  '/api//v1/admin/workspaces',
  '//api/v1/admin/workspaces',
  '/api/v1/Admin/workspaces',
  '/api/v1/%61dmin/workspaces',
  '/api/v1/x/../admin/workspaces',
  '/api/v1/x/..\\admin/workspaces',
  '/api%2Fv1%2Fadmin/workspaces',
]

describe.each(PROXIES)(
  'behind $name, as deploy/ sets it up,',
  ({ name, program, start, repeats, bodyBytes, server }) => {
    const isMissing = Bun.which(program, { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` }) === null
    const skips = skipFor(isMissing ? `the proxy ${name} is not installed` : undefined)

    test.skipIf(skips)(
      'chunks arrive as they are made, and what is not for callers is not there',
      async () => {
        const gate = createGate()
        await using world = await startProcessWorld({
          processes: 1,
          provider: streams('Hello', gate, ' world'),
        })
        const { secret } = await world.createCustomer()
        const port = await freePort()
        await using proxy = await start(
          port,
          world.processes.map(({ url }) => new URL(url).host),
        )
        const response = await chat(proxy.url, secret, { stream: true })
        const reader = response.body?.getReader()
        let text = ''
        while (!text.includes('Hello')) text += new TextDecoder().decode((await reader?.read())?.value)
        gate.open()
        for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
          text += new TextDecoder().decode(next.value)
        expect(text).toEndWith('data: [DONE]\n\n')

        for (const path of PRIVATE_PATHS) {
          const answer = await askedRaw(port, path)
          expect([path, /^HTTP\/1\.1 4\d\d/.test(answer), answer.includes('tollgate_')]).toEqual([
            path,
            true,
            false,
          ])
        }
        for (const path of ['/metrics', '/api/v1/admin/workspaces']) {
          const hidden = await fetch(proxy.url + path)
          expect([path, hidden.status]).toEqual([path, 404])
          expect(hidden.headers.get('x-request-id')).toBeNull()
        }
      },
      TEST_LIMIT_MS,
    )

    test.skipIf(skips)(
      'the gateway gets the largest body whole, the name that was asked for and the address of the caller, and learns of one who leaves',
      async () => {
        const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        using gateway = Bun.serve({
          hostname: '127.0.0.1',
          port: 0,
          maxRequestBodySize: 2 * LARGEST_BODY,
          fetch: async (request) => {
            if (request.url.endsWith('/silent')) {
              asked.resolve()
              await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
              left.resolve()
            }
            const { byteLength } = await request.arrayBuffer()
            return Response.json({ byteLength, headers: Object.fromEntries(request.headers) })
          },
        })
        const port = await freePort()
        await using proxy = await start(port, [`127.0.0.1:${gateway.port}`])
        const response = await fetch(`${proxy.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'x-forwarded-for': '192.0.2.1' },
          body: new Uint8Array(LARGEST_BODY),
        })
        expect(await response.json()).toMatchObject({
          byteLength: LARGEST_BODY,
          headers: { host: `127.0.0.1:${port}`, 'x-forwarded-for': '127.0.0.1' },
        })

        const caller = new AbortController()
        const call = fetch(`${proxy.url}/silent`, { method: 'POST', body: 'any', signal: caller.signal })
        await asked.promise
        caller.abort()
        expect(await rejectionOf(call)).toMatchObject({ name: 'AbortError' })
        await left.promise
      },
      TEST_LIMIT_MS,
    )

    test.skipIf(skips)(
      'no caller gets the answer of another, and no body is broken, while processes come and go',
      async () => {
        const ports = await Promise.all(Array.from({ length: GATEWAYS }, freePort))
        const gateways = ports.map(repeatWords)
        try {
          await using proxy = await start(
            await freePort(),
            ports.map((port) => `127.0.0.1:${port}`),
          )
          const load = startLoad(proxy.url, 'any', bodyBytes)
          await load.calls(200)
          expect(load.failed()).toEqual([])
          for (const [i, port] of [...ports, ...ports].entries()) {
            await gateways[i % GATEWAYS]?.stop(true)
            await load.calls(300)
            gateways[i % GATEWAYS] = repeatWords(port)
            await load.recovered()
          }
          await load.stop()
          expect(load.failed().filter(isMixedUp)).toEqual([])
        } finally {
          for (const gateway of gateways) await gateway.stop(true)
        }
      },
      TEST_LIMIT_MS,
    )

    test.skipIf(skips || mustSkip(`processes behind ${name} on Postgres`))(
      `one process is killed, all are restarted with a newer version, no call fails beyond those ${repeats ? 'in flight on' : 'sent to'} the killed one, and no caller gets the answer of another`,
      async () => {
        await using newer = await nextVersion()
        const postgresUrl = await (await sharedPostgres()).createDatabase()
        await using world = await startProcessWorld({
          processes: 0,
          postgresUrl,
          provider: ({ text }) => streams('Hello ', pause(20), WORD.exec(text)?.[0] ?? 'without a word'),
          config: () => ({ server: { host: '127.0.0.1', ...server } }),
        })
        const { secret } = await world.createCustomer({ balance: '1000' })
        const ports = await Promise.all(Array.from({ length: GATEWAYS }, freePort))
        const gateways = await Promise.all(ports.map((port) => world.start(['--port', String(port)])))
        await using proxy = await start(
          await freePort(),
          ports.map((port) => `127.0.0.1:${port}`),
        )
        const load = startLoad(proxy.url, secret, bodyBytes)
        await load.calls(200)
        expect(load.failed()).toEqual([])

        await gateways[0]?.kill()
        await load.calls(200)
        if (repeats) expect(load.failed().length).toBeLessThanOrEqual(CALLERS)
        await restart(world, undefined, ports[0], newer.program)
        await load.recovered()
        const lost = load.failed()
        expect(lost.filter(isMixedUp)).toEqual([])

        await restart(world, gateways[1], ports[1], newer.program)
        await load.calls(200)
        await restart(world, gateways[2], ports[2], newer.program)
        await load.calls(200)
        await load.stop()
        expect(load.failed()).toEqual(lost)
        expect(await proveLedgers(world.store)).toBe(1)
        const applied = await world.inspector.rows('select id from schema_migrations')
        expect(applied).toHaveLength(MIGRATIONS.length + (newer.isBuilt ? 1 : 0))
      },
      TEST_LIMIT_MS,
    )
  },
)

/** Answers in place of a gateway: with the word of the prompt, and refuses a body that is not whole. */
function repeatWords(port: number) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port,
    async fetch(request) {
      if (request.method === 'GET') return new Response('ready')
      const text = await request.text()
      const word = WORD.exec(text)?.[0]
      try {
        JSON.parse(text)
      } catch {
        return new Response(`${text.length} bytes`, { status: 400 })
      }
      await Bun.sleep(10)
      return new Response(`data: ${word}\n\ndata: [DONE]\n\n`)
    },
  })
}

/** Whether a failure of the load is one that no death of a process excuses. */
function isMixedUp(failure: string): boolean {
  return /^(?:foreign|400)/.test(failure)
}

/** Ends a process as a supervisor does, and starts it again on its port. */
async function restart(
  world: ProcessWorld,
  gateway: GatewayProcess | undefined,
  port: number | undefined,
  program: string,
): Promise<void> {
  gateway?.terminate()
  expect((await gateway?.exited) ?? 0).toBe(0)
  await world.start(['--port', String(port)], program)
}

/** The next version; without the one file, which is quick to build, this one again. */
async function nextVersion() {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-next-'))
  const isBuilt = process.env[BINARY_VARIABLE] !== undefined
  return {
    isBuilt,
    program: isBuilt ? await buildNewerVersion(join(folder, 'sources')) : PROGRAM,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** What comes back for a path as it is written: `fetch` would tidy it up. */
async function askedRaw(port: number, path: string): Promise<string> {
  const answer = Promise.withResolvers<string>()
  let text = ''
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, bytes) => void (text += bytes.toString()),
      close: () => answer.resolve(text),
    },
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
  return answer.promise
}

/** @param spaces so many come after the JSON: a larger body for the proxy, the same call for the gateway */
function chat(url: string, secret: string, body: object, spaces = 0): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: MESSAGES, ...body }) + ' '.repeat(spaces),
  })
}

/** Callers who call again and again, each time with a word of its own, half of them for streams, some with large bodies. */
function startLoad(url: string, secret: string, bodyBytes: number) {
  const failures: string[] = []
  const state = { done: 0, isOver: false }

  async function call(stream: boolean, spaces: number): Promise<void> {
    const word = `word-${crypto.randomUUID()}`
    const messages = [{ role: 'user', content: word }]
    const response = await chat(url, secret, { stream, messages }, spaces)
    const text = await response.text()
    const isWhole = response.status === 200 && (!stream || text.endsWith('data: [DONE]\n\n'))
    const other = text.match(WORD)?.[0]
    if (response.status === 200 && other !== undefined && other !== word) failures.push(`foreign ${text}`)
    else if (!isWhole || other === undefined) failures.push(`${response.status} ${text}`)
  }
  const callers = Array.from({ length: CALLERS }, async (_, i) => {
    while (!state.isOver) {
      const spaces = i % 3 === 0 ? Math.floor(Math.random() * bodyBytes) : 0
      await call(i % 2 === 0, spaces).catch((error: unknown) => void failures.push(String(error)))
      state.done++
    }
  })

  async function calls(count: number): Promise<void> {
    const goal = state.done + count
    while (state.done < goal) await Bun.sleep(10)
  }

  return {
    /** Resolves when so many more calls have ended. */
    calls,
    failed: (): readonly string[] => [...failures],
    /** Resolves when 200 calls in a row have not failed. */
    async recovered(): Promise<void> {
      for (let before = -1; before !== failures.length;) {
        before = failures.length
        await calls(200)
      }
    },
    async stop(): Promise<void> {
      state.isOver = true
      await Promise.all(callers)
    },
  }
}
