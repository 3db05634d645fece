import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdSource } from '../../src/core/id.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { createLocalOperations } from '../../src/operations/localOperations.ts'
import type { Operations } from '../../src/operations/operations.ts'
import { openStore, type StoreSettings } from '../../src/store/open.ts'
import { checkedFetch } from './checkedFetch.ts'
import { endsWithParent } from './endsWithParent.ts'
import { type Inspector, openInspector } from './inspector.ts'
import { PROGRAM } from './program.ts'
import type { Script } from './scriptedActs.ts'
import { type ScriptedProvider, startScriptedProvider, streams } from './scriptedProvider.ts'
import { MESSAGES, MODEL, standardConfig } from './world.ts'

export const ADMIN_TOKEN = 'process-world-admin'

/** One `tollgate serve`. */
export interface GatewayProcess {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly pid: number
  /** What it has written to its log. */
  log(): string
  /** `kill -9`. Resolves when it is gone. */
  kill(): Promise<void>
  /** SIGTERM, without waiting. */
  terminate(): void
  /** Of a probed process: the longest time its event loop stood still since it was last asked, and its memory. */
  probe(): Promise<{ readonly worstMs: number; readonly residentBytes: number }>
  /** Its exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>
}

/** A workspace with one key, for one test. */
export interface ProcessCustomer {
  readonly workspaceId: string
  readonly keyId: string
  readonly secret: string
}

/** Several gateway processes on one database, with one scripted provider behind them. */
export interface ProcessWorld extends AsyncDisposable {
  readonly provider: ScriptedProvider
  /** Those that run. */
  readonly processes: readonly GatewayProcess[]
  /** The database as another process sees it. */
  readonly store: Store
  readonly operations: Operations
  readonly inspector: Inspector
  readonly database: StoreSettings
  /** Starts one more process, with further options of `tollgate serve`. `program`: in place of the one under test. */
  start(options?: readonly string[], program?: string): Promise<GatewayProcess>
  createCustomer(options?: CustomerOptions): Promise<ProcessCustomer>
  /** A chat request to a process. Rejects with a `TimeoutError` after `timeoutMs`; default: never. */
  chat(
    process: GatewayProcess,
    secret: string,
    body?: object,
    headers?: Record<string, string>,
    timeoutMs?: number,
  ): Promise<Response>
  /** Runs another `tollgate` command on the same configuration. */
  command(...words: string[]): Promise<{ readonly code: number; readonly output: string }>
}

export interface CustomerOptions {
  /** In US dollars; default 10. */
  readonly balance?: string
  readonly workspace?: Readonly<Record<string, unknown>>
  readonly key?: Readonly<Record<string, unknown>>
}

export interface ProcessWorldOptions {
  readonly processes: number
  /** Default: a new SQLite file. */
  readonly postgresUrl?: string
  /** The same database for the connections of the test itself, past what stands before it. Default: `postgresUrl`. */
  readonly ownUrl?: string
  /** Where the folder of configuration and database is made. Default: the temporary directory. */
  readonly below?: string
  /** A program that starts the processes: it is given their command line as arguments, and becomes it. */
  readonly under?: readonly string[]
  /** Default: streams "Hello world". */
  readonly provider?: Script
  /** Replaces or adds to the standard configuration, by top-level section. */
  readonly config?: (provider: ScriptedProvider) => Readonly<Record<string, unknown>>
  /** Whether the processes carry a probe. */
  readonly probed?: boolean
}

/** The same as `bin/tollgate` does, with the probe before it. */
const PROBED_PROGRAM = [
  process.execPath,
  '--config=/dev/null',
  '--no-env-file',
  '--preload',
  join(import.meta.dir, 'stallProbe.ts'),
  join(import.meta.dir, '../../src/main.ts'),
]
/** A customer whom no limit of requests stops. */
const MANY_REQUESTS = 1_000_000

export async function startProcessWorld(options: ProcessWorldOptions): Promise<ProcessWorld> {
  const folder = await mkdtemp(join(options.below ?? tmpdir(), 'tollgate-processes-'))
  const provider = await startScriptedProvider(options.provider ?? streams('Hello', ' world'))
  const database: StoreSettings =
    options.postgresUrl === undefined
      ? { engine: 'sqlite', path: join(folder, 'tollgate.db'), durability: 'default' }
      : { engine: 'postgres', url: options.ownUrl ?? options.postgresUrl }
  const config = {
    server: { host: '127.0.0.1', port: 0, admin_token: ADMIN_TOKEN },
    database: database.engine === 'sqlite' ? `sqlite:${database.path}` : options.postgresUrl,
    log: { level: 'warn' },
    ...standardConfig(provider),
    ...options.config?.(provider),
  }
  const path = join(folder, 'tollgate.yaml')
  // JSON is YAML.
  await writeFile(path, JSON.stringify(config, null, 2))

  const store = await openStore(database, { now: Date.now })
  const operations = createLocalOperations({
    store,
    clock: Date.now,
    ids: createIdSource(Date.now, (bytes) => void crypto.getRandomValues(bytes)),
    hash: (secret) => new Bun.CryptoHasher('sha256').update(secret).digest('hex'),
    models: () => [],
    providersHealth: () => [],
  })
  const inspector = openInspector(database)
  const processes: GatewayProcess[] = []

  async function start(words: readonly string[] = [], other = PROGRAM): Promise<GatewayProcess> {
    const probe = options.probed ? join(folder, `probe-${processes.length}.sock`) : undefined
    const program = probe === undefined ? [other] : PROBED_PROGRAM
    const started = await startGatewayProcess(path, [...(options.under ?? []), ...program], words, probe)
    processes.push(started)
    void started.exited.then(() => processes.splice(processes.indexOf(started), 1))
    return started
  }
  await Promise.all(Array.from({ length: options.processes }, () => start()))

  return {
    provider,
    processes,
    store,
    operations,
    inspector,
    database,
    start,
    async createCustomer({ balance = '10', workspace, key } = {}) {
      const { id } = await operations.createWorkspace({
        name: 'test',
        type: 'personal',
        requests_per_minute: MANY_REQUESTS,
        ...workspace,
      })
      await operations.credit(id, { amount_usd: balance })
      const created = await operations.createKey(id, { name: 'test', ...key })
      return { workspaceId: id, keyId: created.id, secret: created.key }
    },
    chat: (process, secret, body = {}, headers = {}, timeoutMs) =>
      checkedFetch(`${process.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: MODEL, messages: MESSAGES, ...body }),
        ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
      }),
    async command(...words) {
      const child = Bun.spawn([PROGRAM, ...words, '--config', path], {
        env: environment(),
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [output, errors, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ])
      return { code, output: output + errors }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((one) => one.kill()))
      provider.stop()
      await inspector.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @param probe the socket of its probe, if it has one */
async function startGatewayProcess(
  config: string,
  program: readonly string[],
  words: readonly string[],
  probe: string | undefined,
): Promise<GatewayProcess> {
  const child = Bun.spawn(endsWithParent(...program, 'serve', '--config', config, ...words), {
    env: { ...environment(), ...(probe !== undefined && { STALL_PROBE: probe }) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const log = collect(child.stderr)
  const output = collect(child.stdout)
  const url = await output.until(/listens on (http:\S+)/)
  if (url === undefined) {
    throw new Error(`tollgate serve ended with ${await child.exited}: ${output.text()}${log.text()}`)
  }
  const exited = child.exited.then(() => child.exitCode)
  return {
    url,
    pid: child.pid,
    log: log.text,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    terminate: () => child.kill('SIGTERM'),
    async probe() {
      if (probe === undefined) throw new Error('this process has no probe')
      const response = await fetch('http://probe/', { unix: probe })
      return (await response.json()) as { worstMs: number; residentBytes: number }
    },
    exited,
  }
}

/** Nothing of the developer's own configuration reaches the processes. */
function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('TOLLGATE_') ? [] : [[name, value]],
    ),
  )
}

/** Reads a stream as it comes. */
function collect(stream: ReadableStream<Uint8Array>) {
  let text = ''
  let over = false
  let wake: () => void = () => undefined
  void (async () => {
    const decoder = new TextDecoder()
    for await (const bytes of stream) {
      text += decoder.decode(bytes, { stream: true })
      wake()
    }
    over = true
    wake()
  })()
  return {
    text: () => text,
    /** The pattern's first group once it matches; undefined when the stream ends without. */
    async until(pattern: RegExp): Promise<string | undefined> {
      for (;;) {
        const match = pattern.exec(text)
        if (match || over) return match?.[1]
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}
