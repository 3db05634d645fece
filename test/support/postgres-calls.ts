import { createIdSource } from '../../src/core/id.ts'
import type { KeyId, RequestId, WorkspaceId } from '../../src/core/id.ts'
import { nano, type Nano } from '../../src/core/money.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Admission, Limits, Settlement } from '../../src/core/ports/till.ts'
import { NO_USAGE } from '../../src/core/usage.ts'

/** Real ids, for stores that several processes share. */
export const ids = createIdSource(Date.now, (bytes) => crypto.getRandomValues(bytes))

/** A workspace with one key. */
export interface Customer {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
}

export const LEASE_MS = 30_000

/** Limits that let everything through. */
export const NO_LIMITS: Limits = {
  workspacePerMinute: 1_000_000_000,
  keyPerMinute: null,
  keyPerDay: null,
  keyConcurrent: null,
  keyMonthlySpend: null,
}

export async function createCustomer(store: Store, balance: Nano): Promise<Customer> {
  const workspaceId = ids.workspace()
  const keyId = ids.key()
  const at = Date.now()
  await store.directory.createWorkspace({
    id: workspaceId,
    name: 'Customer',
    type: 'personal',
    requestsPerMinute: null,
    models: null,
    createdAt: at,
  })
  await store.directory.createKey({
    id: keyId,
    workspaceId,
    name: 'key',
    hint: 'tg_TEST',
    requestsPerMinute: null,
    requestsPerDay: null,
    monthlySpend: null,
    concurrentRequests: null,
    models: null,
    expiresAt: null,
    createdAt: at,
    secretHash: keyId,
  })
  if (balance > 0n) await topUp(store, workspaceId, balance)
  return { workspaceId, keyId }
}

export async function topUp(store: Store, workspaceId: WorkspaceId, amount: Nano): Promise<void> {
  const id = ids.transfer()
  await store.books.credit({
    id,
    workspaceId,
    kind: 'topup',
    amount,
    note: null,
    at: Date.now(),
    idempotencyKey: null,
  })
}

export function admissionOf(customer: Customer, hold: Nano | undefined, limits = NO_LIMITS): Admission {
  const at = Date.now()
  const base = { id: ids.completion(), at, ...customer, limits }
  return hold === undefined ? base : { ...base, hold: { amount: hold, expiresAt: at + LEASE_MS } }
}

export function settlementOf(customer: Customer, id: RequestId, cost: Nano): Settlement {
  const at = Date.now()
  const usage = { ...NO_USAGE, promptTokens: 12, completionTokens: 34 }
  return {
    id,
    at,
    ...customer,
    cost,
    record: {
      id,
      ...customer,
      model: 'acme/chat-1',
      requestedModel: 'acme/chat',
      provider: 'acme',
      upstreamModel: 'upstream-chat-1',
      stream: false,
      status: 200,
      ending: 'completed',
      usage,
      usageSource: 'reported',
      lines: [{ class: 'input', tokens: 12, unitPrice: nano(500_000_000n) }],
      attempts: [
        {
          provider: 'acme',
          upstreamModel: 'upstream-chat-1',
          startedAt: at,
          endedAt: at,
          outcome: 'answered',
        },
      ],
      startedAt: at,
      firstEventAt: at,
      endedAt: at,
      user: null,
    },
  }
}

export interface Sums {
  readonly balance: Nano
  readonly held: Nano
  readonly openHolds: Nano
}

/** Proves every workspace's ledger; throws at the first one that does not add up. */
export async function proveLedgers(store: Store): Promise<Map<WorkspaceId, Sums>> {
  const sums = new Map<WorkspaceId, Sums>()
  for await (const found of store.books.verify()) {
    const { balance, held, openHolds } = found
    if (balance !== found.ledgerBalance || held !== openHolds || held !== found.ledgerHeld) {
      throw new Error(`the ledger of ${found.workspaceId} does not add up: ${Bun.inspect(found)}`)
    }
    sums.set(found.workspaceId, { balance, held, openHolds })
  }
  return sums
}
