/**
 * What a hold and its settlement cost on SQLite: microseconds of CPU per request, for groups of several sizes.
 * Run with `bin/bun bench/till.ts [requests per row]`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdSource } from '../src/core/id.ts'
import type { KeyId, WorkspaceId } from '../src/core/id.ts'
import { nano } from '../src/core/money.ts'
import type { UsageRecord } from '../src/core/ports/books.ts'
import type { Store } from '../src/core/ports/store.ts'
import type { Limits } from '../src/core/ports/till.ts'
import { openStore } from '../src/store/open.ts'

const GROUP_SIZES = [1, 10, 32, 128]
const REQUESTS = Number(process.argv[2] ?? 20_000)
const WARM_UP_REQUESTS = 4_000
const LEASE_MS = 30_000
const HOLD = nano(2_000_000n)
const CHARGE = nano(345_678n)

const ids = createIdSource(Date.now, (bytes) => crypto.getRandomValues(bytes))
const workspaceId: WorkspaceId = ids.workspace()
const keyId: KeyId = ids.key()
const limits: Limits = {
  workspacePerMinute: 1_000_000_000,
  keyPerMinute: 1_000_000_000,
  keyPerDay: null,
  keyConcurrent: null,
  keyMonthlySpend: nano(1_000_000_000_000_000n),
}

async function oneRequest(store: Store): Promise<void> {
  const at = Date.now()
  const id = ids.request('chatcmpl-')
  const verdict = await store.till.admit({
    id,
    at,
    workspaceId,
    keyId,
    limits,
    hold: { prompt: nano(0n), need: HOLD, most: HOLD, output: 'full', expiresAt: at + LEASE_MS },
  })
  if (verdict.kind !== 'admitted') throw new Error(verdict.kind)
  const record: UsageRecord = {
    id,
    workspaceId,
    keyId,
    model: 'acme/chat-1',
    requestedModel: 'acme/chat',
    provider: 'acme',
    upstreamModel: 'upstream-chat-1',
    stream: true,
    status: 200,
    ending: 'completed',
    usage: {
      promptTokens: 321,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      completionTokens: 123,
      reasoningTokens: 0,
    },
    usageSource: 'reported',
    lines: [
      { class: 'input', tokens: 321, unitPrice: nano(500_000_000n) },
      { class: 'output', tokens: 123, unitPrice: nano(1_500_000_000n) },
    ],
    attempts: [
      {
        provider: 'acme',
        upstreamModel: 'upstream-chat-1',
        startedAt: at,
        endedAt: at + 1,
        outcome: 'answered',
      },
    ],
    startedAt: at,
    firstEventAt: at + 1,
    endedAt: at + 2,
    user: null,
  }
  await store.till.settle({ id, at: at + 2, workspaceId, keyId, cost: CHARGE, keyMonthlySpend: null, record })
}

/** Keeps `size` requests going until the given number is done. */
async function run(store: Store, size: number, requests: number): Promise<void> {
  let left = requests
  const worker = async (): Promise<void> => {
    while (left-- > 0) await oneRequest(store)
  }
  await Promise.all(Array.from({ length: size }, worker))
}

const folder = mkdtempSync(join(tmpdir(), 'tollgate-till-'))
for (const durability of ['default', 'strict'] as const) {
  const path = join(folder, `${durability}.db`)
  const store = await openStore({ engine: 'sqlite', path, durability }, { now: Date.now })
  await store.directory.createWorkspace({
    id: workspaceId,
    name: 'Bench',
    type: 'personal',
    requestsPerMinute: null,
    models: null,
    keepResponses: true,
    createdAt: Date.now(),
  })
  await store.books.credit({
    id: ids.transfer(),
    workspaceId,
    kind: 'topup',
    amount: nano(1_000_000_000_000_000n),
    note: null,
    at: Date.now(),
    idempotencyKey: null,
  })
  console.log(`\n${durability} durability: hold + settlement + usage record`)
  console.log('in flight   requests/s   µs CPU per request   µs wall per request')
  for (const size of GROUP_SIZES) {
    const requests = durability === 'strict' ? Math.ceil((REQUESTS * size) / 640) : REQUESTS
    await run(store, size, durability === 'strict' ? requests : WARM_UP_REQUESTS)
    const cpu = process.cpuUsage()
    const start = performance.now()
    await run(store, size, requests)
    const wallMs = performance.now() - start
    const { user, system } = process.cpuUsage(cpu)
    console.log(
      [
        String(size).padStart(9),
        ((requests / wallMs) * 1_000).toFixed(0).padStart(13),
        ((user + system) / requests).toFixed(1).padStart(21),
        ((wallMs * 1_000) / requests).toFixed(1).padStart(22),
      ].join(''),
    )
  }
  await store.close()
}
rmSync(folder, { recursive: true })
