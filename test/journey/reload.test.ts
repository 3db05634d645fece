import { rm, stat, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { errorOf, readerOf, readStream } from '../support/readAnswer.ts'
import {
  type ScriptedProvider,
  createGate,
  startScriptedProvider,
  streams,
} from '../support/scriptedProvider.ts'
import { type Folder, type TollgateProcess, createFolder, serveTollgate } from '../support/tollgateProcess.ts'
import { MESSAGES, MODEL, standardConfig, standardModel } from '../support/world.ts'

const ADMIN_TOKEN = 'token-of-the-operator'
const FILE = 'tollgate.yaml'
/** Starting a process takes a while on a loaded machine. */
const PATIENCE_MS = 60_000
const RELOADED = 'the configuration was reloaded'
const REFUSED = 'the old one stays in use'
/** A provider, and nothing that it serves. */
const CUT = { server: { admin_token: ADMIN_TOKEN }, providers: { demo: {} } }

function lineWith(output: string, part: string): string {
  return output.split('\n').find((line) => line.includes(part)) ?? ''
}

/** A served folder with one workspace, some credit and a key. */
interface Served extends AsyncDisposable {
  readonly folder: Folder
  readonly process: TollgateProcess
  readonly provider: ScriptedProvider
  readonly url: string
  chat(body?: object): Promise<Response>
  models(): Promise<string[]>
}

/** The standard configuration with these models. */
function configOf(provider: ScriptedProvider, ...ids: string[]): Record<string, unknown> {
  return {
    ...standardConfig(provider),
    server: { admin_token: ADMIN_TOKEN },
    models: ids.map((id) => standardModel({ id, aliases: [] })),
  }
}

async function serve(
  provider: ScriptedProvider,
  prepare?: (folder: Folder) => Promise<void>,
): Promise<Served> {
  const folder = await createFolder()
  if (prepare) await prepare(folder)
  else await folder.write(FILE, configOf(provider, MODEL))
  const { process, url } = await serveTollgate(folder)

  async function admin(path: string, body: object): Promise<Record<string, string>> {
    const response = await checkedFetch(`${url}/api/v1/admin${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(201)
    return (await response.json()) as Record<string, string>
  }

  const workspace = await admin('/workspaces', { name: 'test', type: 'personal' })
  await admin(`/workspaces/${workspace['id']}/credits`, { amount_usd: '10' })
  const { key = '' } = await admin(`/workspaces/${workspace['id']}/keys`, { name: 'test' })
  const headers = { authorization: `Bearer ${key}` }
  return {
    folder,
    process,
    provider,
    url,
    chat: (body = {}) =>
      checkedFetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: MODEL, messages: MESSAGES, max_tokens: 20, ...body }),
      }),
    async models() {
      const response = await checkedFetch(`${url}/v1/models`, { headers })
      const { data } = (await response.json()) as { data: { id: string }[] }
      return data.map(({ id }) => id)
    },
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      provider.stop()
    },
  }
}

describe.concurrent('a change of the configuration', () => {
  test(
    'takes effect without dropping a call in flight',
    async () => {
      const gate = createGate()
      const provider = await startScriptedProvider((_, ordinal) =>
        ordinal === 0 ? streams('Hello', gate, ' world') : streams('Hi'),
      )
      await using served = await serve(provider)
      const open = readerOf(await served.chat({ stream: true }))
      await open.until('Hello')

      // The model of the call in flight is gone from the new configuration.
      await served.folder.replace(FILE, configOf(provider, 'acme/next'))
      await served.process.says(RELOADED)
      expect(await served.models()).toEqual(['acme/next'])
      const gone = await served.chat()
      expect(gone.status).toBe(404)
      expect(await errorOf(gone)).toMatchObject({ code: 'model_not_found' })
      expect((await served.chat({ model: 'acme/next' })).status).toBe(200)

      gate.open()
      expect(readStream(await open.rest()).done).toBe(true)
    },
    PATIENCE_MS,
  )

  test(
    'is noticed when the file is written into, again and again',
    async () => {
      const provider = await startScriptedProvider(streams('Hi'))
      await using served = await serve(provider)
      for (const [times, id] of [
        [1, 'acme/one'],
        [2, 'acme/two'],
      ] as const) {
        await served.folder.write(FILE, configOf(provider, id))
        await served.process.says(RELOADED, times)
        expect(await served.models()).toEqual([id])
      }
    },
    PATIENCE_MS,
  )

  test(
    'is noticed behind a link',
    async () => {
      const provider = await startScriptedProvider(streams('Hi'))
      await using served = await serve(provider, async (folder) => {
        await folder.write('elsewhere/real.yaml', configOf(provider, MODEL))
        await symlink(join(folder.path, 'elsewhere/real.yaml'), join(folder.path, FILE))
      })
      await served.folder.write('elsewhere/real.yaml', configOf(provider, MODEL, 'acme/next'))
      await served.process.says(RELOADED)
      expect(await served.models()).toEqual([MODEL, 'acme/next'])
    },
    PATIENCE_MS,
  )

  test(
    'takes effect at SIGHUP where no change of the file is to be seen',
    async () => {
      const provider = await startScriptedProvider(streams('Hi'))
      await using served = await serve(provider)
      // As long as the old one, and as old.
      const file = join(served.folder.path, FILE)
      const { mtime } = await stat(file)
      await served.folder.write(FILE, configOf(provider, 'acme/chat-2'))
      await utimes(file, mtime, mtime)
      served.process.signal('SIGHUP')
      await served.process.says(RELOADED)
      expect(await served.models()).toEqual(['acme/chat-2'])
    },
    PATIENCE_MS,
  )

  test.each([
    ['removes it', (folder: Folder) => rm(join(folder.path, FILE)), 'does not exist'],
    ['cuts it off before its models', (folder: Folder) => folder.write(FILE, CUT), 'models is missing'],
  ])(
    'that %s leaves the old one in force, by itself and at SIGHUP, until the file is whole again',
    async (_, change, reason) => {
      const provider = await startScriptedProvider(streams('Hi'))
      await using served = await serve(provider)
      await change(served.folder)
      const output = await served.process.says(REFUSED)
      expect(lineWith(output, REFUSED)).toContain(reason)
      expect(await served.models()).toEqual([MODEL])

      served.process.signal('SIGHUP')
      await served.process.says(REFUSED, 2)
      expect(await served.models()).toEqual([MODEL])
      expect((await served.chat()).status).toBe(200)

      await served.folder.write(FILE, configOf(provider, 'acme/next'))
      await served.process.says(RELOADED)
      expect(await served.models()).toEqual(['acme/next'])
    },
    PATIENCE_MS,
  )

  test(
    'with a mistake leaves the old one in force and names the mistake; mended, it takes effect',
    async () => {
      const provider = await startScriptedProvider(streams('Hi'))
      await using served = await serve(provider)
      const broken = configOf(provider, 'acme/next')
      await served.folder.replace(FILE, { ...broken, models: [standardModel({ id: 'acme/next', oops: 1 })] })
      const output = await served.process.says(REFUSED)
      expect(output).toMatch(/tollgate\.yaml:\d+:\d+ models\[0\]\.oops/)
      expect(await served.models()).toEqual([MODEL])
      expect((await served.chat()).status).toBe(200)

      await served.folder.replace(FILE, 'models: [')
      await served.process.says(REFUSED, 2)
      expect(await served.models()).toEqual([MODEL])

      await served.folder.replace(FILE, broken)
      await served.process.says(RELOADED)
      expect(await served.models()).toEqual(['acme/next'])
    },
    PATIENCE_MS,
  )

  test(
    'of what needs a restart is said',
    async () => {
      const provider = await startScriptedProvider(streams('Hi'))
      await using served = await serve(provider)
      await served.folder.replace(FILE, { ...configOf(provider, MODEL), database: 'sqlite:./other.db' })
      await served.process.says('database has changed; that takes effect at the next start')
      expect((await served.chat()).status).toBe(200)
    },
    PATIENCE_MS,
  )

  test(
    'of what needs a restart is said at each reload for as long as it differs from what runs, and not when it is undone',
    async () => {
      const provider = await startScriptedProvider(streams('Hi'))
      await using served = await serve(provider)
      const [plain, changed] = [{}, { database: 'sqlite:./other.db' }]
      const told = 'takes effect at the next start'
      for (const [times, more, lines] of [
        [1, changed, 1],
        [2, changed, 2],
        [3, plain, 2],
        [4, plain, 2],
      ] as const) {
        await served.folder.replace(FILE, { ...configOf(provider, MODEL, `acme/v${times}`), ...more })
        const output = await served.process.says(RELOADED, times)
        expect(output.split(told).length - 1).toBe(lines)
      }
    },
    PATIENCE_MS,
  )

  test(
    'that drops models says how many there were and are, and which are gone',
    async () => {
      const provider = await startScriptedProvider(streams('Hi'))
      await using served = await serve(provider)
      await served.folder.replace(FILE, configOf(provider, 'acme/next', 'acme/after'))
      const line = lineWith(await served.process.says(RELOADED), RELOADED)
      expect(JSON.parse(line)).toMatchObject({
        level: 'warn',
        models_before: 1,
        models: 2,
        models_gone: [MODEL],
      })
    },
    PATIENCE_MS,
  )
})

describe.concurrent('a signal to stop', () => {
  test(
    'lets the stream in flight finish, refuses new requests with 503, and ends with code 0',
    async () => {
      const gate = createGate()
      const provider = await startScriptedProvider(streams('Hello', gate, ' world'))
      await using served = await serve(provider)
      const open = readerOf(await served.chat({ stream: true }))
      await open.until('Hello')
      served.process.signal('SIGTERM')
      await served.process.says('shutting down')

      const late = await served.chat()
      expect(late.status).toBe(503)
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await errorOf(late)).toMatchObject({ code: 'service_unavailable', type: 'service_unavailable' })
      expect((await fetch(`${served.url}/readyz`)).status).toBe(503)

      gate.open()
      const answer = readStream(await open.rest())
      expect(answer.done).toBe(true)
      expect(await served.process.exitCode).toBe(0)
    },
    PATIENCE_MS,
  )

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends an idle process at once with code 0',
    async (signal) => {
      const provider = await startScriptedProvider(streams('Hi'))
      await using served = await serve(provider)
      expect((await served.chat()).status).toBe(200)
      const began = performance.now()
      served.process.signal(signal)
      expect(await served.process.exitCode).toBe(0)
      // Far below the drain time of 30 s that an idle process has no use for.
      expect(performance.now() - began).toBeLessThan(20_000)
    },
    PATIENCE_MS,
  )

  test(
    'twice ends what is in flight with an error, and the process',
    async () => {
      const gate = createGate()
      const provider = await startScriptedProvider(streams('Hello', gate))
      await using served = await serve(provider)
      const open = await served.chat({ stream: true })
      await gate.reached
      served.process.signal('SIGTERM')
      await served.process.says('shutting down')
      served.process.signal('SIGTERM')
      const text = await open.text()
      expect(text).toContain('shutting down')
      expect(text).not.toContain('[DONE]')
      expect(await served.process.exitCode).toBe(0)
    },
    PATIENCE_MS,
  )
})
