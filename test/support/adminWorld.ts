import { DATA_PLANE_ENDPOINTS } from '../../src/http/dataPlane/endpoints.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdSource, type KeyId, type RequestId, type WorkspaceId } from '../../src/core/id.ts'
import type { Model } from '../../src/core/model.ts'
import { nano, parseUsd, type Nano } from '../../src/core/money.ts'
import type { UsageRecord } from '../../src/core/ports/books.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { chargeFor, chargeLines } from '../../src/core/price.ts'
import { type From, createApp } from '../../src/http/app.ts'
import type { AppDeps } from '../../src/http/deps.ts'
import { addressList } from '../../src/http/insider.ts'
import { createDoor } from '../../src/operations/door/door.ts'
import { checkedAnswer } from './checkedFetch.ts'
import { copyOfEmptyDatabase } from './emptyDatabase.ts'
import { openSqliteStore } from '../../src/store/sqlite/openSqliteStore.ts'

export const ADMIN_TOKEN = 'admin-token-of-the-tests'
/** 2026-11-20T12:00:00Z */
export const NOON = Date.UTC(2026, 10, 20, 12)

export interface AdminWorld {
  readonly store: Store
  readonly deps: AppDeps
  readonly databasePath: string
  /** What the app reported as its own failures. */
  readonly reported: unknown[]
  clock: number
  /** A request as the operator, unless the headers say otherwise. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** The same, giving the JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<any>
  /** The app itself. */
  fetch(request: Request, from?: From): Response | Promise<Response>
  /** Lets a key pay for one completion; gives its id. */
  complete(key: { id: string; workspace_id: string }, change?: Partial<UsageRecord>): Promise<RequestId>
  close(): Promise<void>
}

/** The app on a real store in a file of its own, with a clock that stands still. */
export async function createAdminWorld({
  adminToken = () => ADMIN_TOKEN,
  ...change
}: Partial<AppDeps> & { adminToken?: () => string | undefined } = {}): Promise<AdminWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-admin-'))
  const databasePath = await copyOfEmptyDatabase(directory)
  const reported: unknown[] = []
  const now = () => world.clock
  const store = await openSqliteStore({ path: databasePath, durability: 'default', now: () => NOON })
  const ids = createIdSource(now, (bytes) => crypto.getRandomValues(bytes))
  const deps: AppDeps = {
    dataPlane: DATA_PLANE_ENDPOINTS,
    store,
    clock: now,
    ids,
    hash: sha256,
    models: () => MODELS,
    providersHealth: () => [],
    door: createDoor({
      store,
      adminToken,
      canBeGuessed: () => true,
      now,
      ids,
      hash: sha256,
      onRefused: () => undefined,
      onUse: () => undefined,
    }),
    metricsToken: () => undefined,
    proxies: { trusted: () => addressList([]), onUntrusted: () => undefined },
    health: async () => ({ ready: true, checks: { store: 'ok' } }),
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' }),
    version: '0.0.0-test',
    reportError: (error) => reported.push(error),
    ...change,
  }
  const app = createApp(deps)

  const world: AdminWorld = {
    store,
    deps,
    databasePath,
    reported,
    clock: NOON,
    async call(method, path, body, headers = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const request = new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
        ...(body === undefined ? {} : { body: text }),
      })
      const response = await app.fetch(request, { inside: true, address: '203.0.113.7' })
      // The app itself answers compressed where it is asked to: nothing has unpacked that here.
      if (response.headers.has('content-encoding')) return response
      return checkedAnswer(method, new URL(request.url).pathname, response)
    },
    ask: async (...request) => readJson(await world.call(...request)),
    fetch: (request, from) => app.fetch(request, from),
    async complete(key, change = {}) {
      const id = deps.ids.request('chatcmpl-')
      const record = usageRecord(id, key, world.clock, change)
      const { workspaceId, keyId } = record
      const verdict = await store.till.admit({
        id,
        at: world.clock,
        workspaceId,
        keyId,
        limits: {
          workspacePerMinute: 1000,
          keyPerMinute: null,
          keyPerDay: null,
          keyConcurrent: null,
          keyMonthlySpend: null,
        },
        hold: {
          prompt: usd('0'),
          need: usd('0.01'),
          most: usd('0.01'),
          output: 'full',
          expiresAt: world.clock + 30_000,
        },
      })
      if (verdict.kind !== 'admitted') throw new Error(`not admitted: ${verdict.kind}`)
      await store.till.settle({
        id,
        at: world.clock,
        workspaceId,
        keyId,
        cost: chargeFor(record.lines),
        keyMonthlySpend: null,
        record,
      })
      return id
    },
    async close() {
      await store.close()
      rmSync(directory, { recursive: true })
    },
  }
  return world
}

/** A response's JSON, of whatever shape the test expects. */
// oxlint-disable-next-line typescript/no-explicit-any
export function readJson(response: Response): Promise<any> {
  return response.json()
}

export function usd(text: string): Nano {
  return parseUsd(text) ?? nano(0n)
}

export function sha256(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

const PRICES = { input: usd('0.50'), output: usd('1.50'), cachedInput: usd('0.25') }

function usageRecord(
  id: RequestId,
  key: { id: string; workspace_id: string },
  at: number,
  change: Partial<UsageRecord>,
): UsageRecord {
  const usage = {
    promptTokens: 1001,
    cachedTokens: 400,
    cacheWriteTokens: 0,
    completionTokens: 200,
    reasoningTokens: 0,
  }
  return {
    id,
    workspaceId: key.workspace_id as WorkspaceId,
    keyId: key.id as KeyId,
    model: 'acme/chat-1',
    requestedModel: 'acme/chat',
    provider: 'acme',
    upstreamModel: 'upstream-chat-1',
    stream: true,
    status: 200,
    ending: 'completed',
    usage,
    usageSource: 'reported',
    lines: chargeLines(usage, PRICES),
    attempts: [
      {
        provider: 'other',
        upstreamModel: 'x',
        startedAt: at + 1,
        endedAt: at + 11,
        outcome: 'overloaded',
        status: 503,
      },
      {
        provider: 'acme',
        upstreamModel: 'upstream-chat-1',
        startedAt: at + 12,
        endedAt: at + 812,
        outcome: 'answered',
      },
    ],
    startedAt: at,
    firstEventAt: at + 120,
    endedAt: at + 812,
    user: 'alice',
    ...change,
  }
}

/** A priced model with an official price and an alias; one dearer; one without; one retired. */
export const MODELS: readonly Model[] = [
  model('acme/chat-1', {
    officialPrice: { input: usd('1.00'), output: usd('3.00'), source: 'acme' },
    aliases: ['acme/chat'],
  }),
  model('acme/dear', {
    officialPrice: { input: usd('0.40'), output: usd('1.40'), source: 'acme' },
    hiddenReasoning: 'on_request',
  }),
  model('acme/plain', {}),
  model('acme/gone', { retirement: { at: NOON - 1, successor: 'acme/chat-1' } }),
]

function model(id: string, change: Partial<Model>): Model {
  return {
    id,
    displayName: `Model ${id}`,
    ownedBy: 'acme',
    category: 'chat',
    created: 1_700_000_000,
    contextLength: 128_000,
    maxOutputTokens: 8192,
    assumedOutputTokens: 512,
    assumedTokensPerSecond: 60,
    imageTokens: 1_000,
    capabilities: ['streaming', 'function_calling'],
    prices: [PRICES],
    targets: [{ provider: 'acme', upstreamModel: 'upstream-chat-1', facts: {}, weight: 1, priority: 0 }],
    strategy: 'priority',
    aliases: [],
    unsupportedFields: [],
    ...change,
  }
}
