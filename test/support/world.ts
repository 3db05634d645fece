import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatProblems } from '../../src/config/problem.ts'
import { loadSettings } from '../../src/config/loadSettings.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { startGateway } from '../../src/gateway/startGateway.ts'
import type { DataPlaneEndpoint } from '../../src/http/dataPlane/endpoint.ts'
import { DATA_PLANE_ENDPOINTS } from '../../src/http/dataPlane/endpoints.ts'
import { createLog, type LogOptions } from '../../src/observe/log.ts'
import { createLocalOperations } from '../../src/operations/localOperations.ts'
import type { Operations } from '../../src/operations/operations.ts'
import { createPlatform } from '../../src/platform.ts'
import { type ScriptedProvider, startScriptedProvider, streams } from './scriptedProvider.ts'
import { checkedFetch } from './checkedFetch.ts'
import type { Script } from './scriptedActs.ts'
import { copyOfEmptyDatabase } from './emptyDatabase.ts'
import { sharedTokenizer } from './sharedTokenizer.ts'
import { createWorldClock, type WorldClock } from './worldClock.ts'

/** What a world is made of; everything has a default that just works. */
export interface WorldOptions {
  /** What the provider behind `acme/chat-1` does. Default: streams "Hello world". */
  readonly provider?: Script
  /** In US dollars; default 10. */
  readonly balance?: string
  readonly workspace?: Readonly<Record<string, unknown>>
  readonly key?: Readonly<Record<string, unknown>>
  /** YAML that replaces or adds to the standard configuration, by top-level section. */
  readonly config?: (provider: ScriptedProvider) => Readonly<Record<string, unknown>>
  readonly databaseUrl?: string
  /** Where the gateway's clock stands still, from before its start; default: it runs. */
  readonly at?: number | string
  /** Served under `/v1` beside everything that there is. */
  readonly endpoints?: readonly DataPlaneEndpoint[]
  /** Default: nothing is logged. */
  readonly log?: LogOptions
}

/** A running gateway on a real socket, with a scripted provider behind it and one workspace with a key. */
export interface World extends AsyncDisposable {
  readonly gateway: Gateway
  readonly provider: ScriptedProvider
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** The key of the workspace. */
  readonly secret: string
  readonly workspaceId: string
  readonly keyId: string
  readonly operations: Operations
  /** The gateway's clock: real until it is set. */
  readonly clock: WorldClock
  readonly databaseUrl: string
  readonly settings: Settings
  /** A request with the workspace's key; `body` is sent as JSON unless it is a string. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** `POST /v1/chat/completions` with model and messages filled in where they are missing. */
  chat(body?: Readonly<Record<string, unknown>>, headers?: Record<string, string>): Promise<Response>
  /** Resolves when no call owns a hold any more. */
  settled(): Promise<void>
  balance(): Promise<{ balance: string; held: string }>
  /** Transfers of the workspace, oldest first. */
  ledger(): Promise<{ kind: string; amount_usd: string }[]>
  stop(): Promise<void>
}

export const MODEL = 'acme/chat-1'
export const MESSAGES = [{ role: 'user', content: 'Say hello' }]

/** The standard configuration: one model of a scripted provider, at prices that are easy to reckon with. */
export function standardConfig(provider: ScriptedProvider): Record<string, unknown> {
  return {
    providers: {
      acme: {
        wire: 'openai-chat',
        base_url: provider.baseUrl,
        api_key: 'provider-secret',
        timeouts: { connect: '2s', first_event: '5s', whole: '5s', idle: '5s' },
      },
    },
    models: [standardModel()],
  }
}

/** The model of the standard configuration, with changes. */
export function standardModel(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: MODEL,
    display_name: 'Acme Chat 1',
    owned_by: 'acme',
    category: 'chat',
    context_length: 128_000,
    max_output_tokens: 8192,
    capabilities: ['streaming', 'function_calling'],
    our_price: { input: 0.5, output: 1.5, cached_input: 0.25 },
    official_price: { input: 1, output: 3, source: 'acme' },
    targets: [{ provider: 'acme', model: 'upstream-chat-1' }],
    aliases: ['acme/chat'],
    ...changes,
  }
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const provider = await startScriptedProvider(options.provider ?? streams('Hello', ' world'))
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-world-'))
  const databaseUrl = options.databaseUrl ?? `sqlite:${await copyOfEmptyDatabase(folder)}`
  const settings = settingsOf({ ...standardConfig(provider), ...options.config?.(provider) }, databaseUrl)
  const clock = createWorldClock()
  if (options.at !== undefined) clock.set(options.at)
  const platform = createPlatform(clock.now)
  const gateway = await startGateway({
    settings,
    log: createLog(options.log ?? { level: 'silent' }),
    platform,
    endpoints: [...DATA_PLANE_ENDPOINTS, ...(options.endpoints ?? [])],
    tokenizer: sharedTokenizer(),
  })
  const operations = createLocalOperations({
    store: gateway.store,
    clock: clock.now,
    ids: platform.ids,
    hash: platform.hash,
    models: () => settings.models,
    providersHealth: gateway.providersHealth,
  })
  const workspace = await operations.createWorkspace({ name: 'test', type: 'personal', ...options.workspace })
  const balance = options.balance ?? '10'
  if (Number(balance) > 0) await operations.credit(workspace.id, { amount_usd: balance })
  const key = await operations.createKey(workspace.id, { name: 'test', ...options.key })

  function request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return checkedFetch(gateway.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  async function stop(): Promise<void> {
    await gateway.stop()
    provider.stop()
    await rm(folder, { recursive: true, force: true })
  }

  return {
    gateway,
    provider,
    url: gateway.url,
    secret: key.key,
    workspaceId: workspace.id,
    keyId: key.id,
    operations,
    clock,
    databaseUrl,
    settings,
    request,
    chat: (body = {}, headers = {}) =>
      request('POST', '/v1/chat/completions', { model: MODEL, messages: MESSAGES, ...body }, headers),
    async settled() {
      while (gateway.openCalls > 0) await new Promise((resolve) => setImmediate(resolve))
    },
    async balance() {
      const found = await operations.workspace(workspace.id)
      return { balance: found.balance_usd, held: found.held_usd }
    },
    async ledger() {
      const page = await operations.ledger(workspace.id, { limit: '100' })
      return page.data.map(({ kind, amount_usd }) => ({ kind, amount_usd })).toReversed()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** A configuration given as a value, read the way a file is. Throws its mistakes. */
export function settingsOf(config: Readonly<Record<string, unknown>>, databaseUrl: string): Settings {
  const loaded = loadSettings({
    flags: { port: '0', host: '127.0.0.1', databaseUrl },
    env: {},
    path: 'world.yaml',
    // JSON is YAML.
    readFile: () => JSON.stringify(config, null, 2),
  })
  if (!loaded.ok) throw new Error(formatProblems(loaded.problems))
  return loaded.settings
}
