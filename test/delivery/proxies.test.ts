import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts'
import { proveLedgers } from '../contract/customer.ts'
import { freePort } from '../support/keeper.ts'
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

describe.each(PROXIES)(
  'behind $name, as deploy/ sets it up,',
  ({ name, program, start, repeats, server }) => {
    const isMissing = Bun.which(program, { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` }) === null
    const skips = skipFor(isMissing ? `the proxy ${name} is not installed` : undefined)

    test.skipIf(skips)(
      'chunks arrive as they are made, large requests pass, and what is not for callers is not there',
      async () => {
        const gate = createGate()
        await using world = await startProcessWorld({
          processes: 1,
          provider: ({ body }) =>
            JSON.stringify(body).includes('large') ? streams('ok') : streams('Hello', gate, ' world'),
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

        const picture = `data:image/png;base64,${'A'.repeat(10_000_000)}`
        const large = [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'large' },
              { type: 'image_url', image_url: { url: picture } },
            ],
          },
        ]
        const answer = await chat(proxy.url, secret, { messages: large })
        // The gateway reads it, and says what it thinks of the picture.
        expect([200, 400]).toContain(answer.status)
        expect(answer.headers.get('x-request-id')).toMatch(/^(?:chatcmpl|req)/)
        for (const path of ['/metrics', '/api/v1/admin/workspaces']) {
          const hidden = await fetch(proxy.url + path)
          expect([path, hidden.status]).toEqual([path, 404])
          expect(hidden.headers.get('x-request-id')).toBeNull()
        }
      },
      TEST_LIMIT_MS,
    )

    test.skipIf(skips || mustSkip(`processes behind ${name} on Postgres`))(
      `${repeats ? 'one process is killed, ' : ''}two are restarted with a newer version, and no call fails beyond those in flight on a killed one`,
      async () => {
        await using newer = await nextVersion()
        const postgresUrl = await (await sharedPostgres()).createDatabase()
        await using world = await startProcessWorld({
          processes: 0,
          postgresUrl,
          provider: streams('Hello', pause(20), ' world'),
          config: () => ({ server: { host: '127.0.0.1', ...server } }),
        })
        const { secret } = await world.createCustomer({ balance: '1000' })
        const ports = await Promise.all(Array.from({ length: GATEWAYS }, freePort))
        const gateways = await Promise.all(ports.map((port) => world.start(['--port', String(port)])))
        await using proxy = await start(
          await freePort(),
          ports.map((port) => `127.0.0.1:${port}`),
        )
        const load = startLoad(proxy.url, secret)
        await load.calls(200)
        expect(load.failed()).toEqual([])

        if (repeats) {
          await gateways[0]?.kill()
          await load.calls(200)
        }
        const lost = load.failed()
        expect(lost.length).toBeLessThanOrEqual(CALLERS)

        await restart(world, gateways[1], ports[1], newer.program)
        await load.calls(200)
        if (repeats) await restart(world, undefined, ports[0], newer.program)
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

function chat(url: string, secret: string, body: object): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: MESSAGES, ...body }),
  })
}

/** Callers who call again and again, half of them for streams. */
function startLoad(url: string, secret: string) {
  const failures: string[] = []
  const state = { done: 0, isOver: false }

  async function call(stream: boolean): Promise<void> {
    const response = await chat(url, secret, { stream })
    const text = await response.text()
    const isWhole = response.status === 200 && (!stream || text.endsWith('data: [DONE]\n\n'))
    if (!isWhole) failures.push(`${response.status} ${text}`)
  }
  const callers = Array.from({ length: CALLERS }, async (_, i) => {
    while (!state.isOver) {
      await call(i % 2 === 0).catch((error: unknown) => void failures.push(String(error)))
      state.done++
    }
  })

  return {
    /** Resolves when so many more calls have ended. */
    async calls(count: number): Promise<void> {
      const goal = state.done + count
      while (state.done < goal) await Bun.sleep(10)
    },
    failed: (): readonly string[] => [...failures],
    async stop(): Promise<void> {
      state.isOver = true
      await Promise.all(callers)
    },
  }
}
