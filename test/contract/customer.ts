import { createIdSource, type KeyId, type RequestId, type WorkspaceId } from '../../src/core/id.ts'
import { nano } from '../../src/core/money.ts'
import type { Credit, UsageRecord } from '../../src/core/ports/books.ts'
import type { NewKey, NewWorkspace } from '../../src/core/ports/directory.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Admission, HoldRequest, Limits, Settlement } from '../../src/core/ports/till.ts'
import { NO_USAGE } from '../../src/core/usage.ts'

export const ids = createIdSource(Date.now, (bytes) => crypto.getRandomValues(bytes))

/** The moment at which the sentences play, unless they say otherwise. */
export const NOON = Date.UTC(2026, 10, 20, 12)
export const LEASE_MS = 30_000

/** Limits that let everything through. */
export const NO_LIMITS: Limits = {
  workspacePerMinute: 1_000_000,
  keyPerMinute: null,
  keyPerDay: null,
  keyConcurrent: null,
  keyMonthlySpend: null,
}

/** A workspace with one key. */
export interface Customer {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
}

export async function createCustomer(store: Store, balance = 0n): Promise<Customer> {
  const workspace = newWorkspace()
  const key = newKey(workspace.id)
  await store.directory.createWorkspace(workspace)
  await store.directory.createKey(key)
  const customer = { workspaceId: workspace.id, keyId: key.id }
  if (balance > 0n) await store.books.credit(creditOf(customer, { amount: nano(balance) }))
  return customer
}

export function newWorkspace(more: Partial<NewWorkspace> = {}): NewWorkspace {
  return {
    id: ids.workspace(),
    name: 'Acme',
    type: 'personal',
    requestsPerMinute: null,
    models: null,
    keepResponses: true,
    createdAt: NOON,
    ...more,
  }
}

export function newKey(workspaceId: WorkspaceId, more: Partial<NewKey> = {}): NewKey {
  return {
    id: ids.key(),
    workspaceId,
    name: 'laptop',
    hint: 'tg_AB12',
    secretHash: new Bun.CryptoHasher('sha256').update(ids.secret()).digest('hex'),
    requestsPerMinute: null,
    requestsPerDay: null,
    monthlySpend: null,
    concurrentRequests: null,
    models: null,
    expiresAt: null,
    createdAt: NOON,
    ...more,
  }
}

export function creditOf({ workspaceId }: Pick<Customer, 'workspaceId'>, more: Partial<Credit> = {}): Credit {
  return {
    id: ids.transfer(),
    workspaceId,
    kind: 'topup',
    amount: nano(100n),
    note: null,
    at: NOON,
    idempotencyKey: null,
    ...more,
  }
}

export interface AdmissionOptions {
  readonly at?: number
  readonly limits?: Partial<Limits>
  /** The lease's end. */
  readonly expiresAt?: number
  readonly id?: RequestId
}

/** @param hold in nano-dollars; undefined: only counted */
export function admissionOf(
  { workspaceId, keyId }: Customer,
  hold?: bigint,
  options: AdmissionOptions = {},
): Admission {
  const { at = NOON, limits, expiresAt = at + LEASE_MS, id = ids.request('chatcmpl-') } = options
  const base = { id, at, workspaceId, keyId, limits: { ...NO_LIMITS, ...limits } }
  return hold === undefined ? base : { ...base, hold: holdOf(hold, expiresAt) }
}

/** Asks for exactly this much. */
export function holdOf(amount: bigint, expiresAt: number): HoldRequest {
  return { prompt: nano(0n), need: nano(amount), most: nano(amount), output: 'full', expiresAt }
}

/** Admits a call with a hold, which must pass; returns its id. */
export async function openCall(
  store: Store,
  customer: Customer,
  hold: bigint,
  options: AdmissionOptions = {},
): Promise<RequestId> {
  const admission = admissionOf(customer, hold, options)
  const { kind } = await store.till.admit(admission)
  if (kind !== 'admitted') throw new Error(`expected the call to be admitted, not ${kind}`)
  return admission.id
}

export function settlementOf(
  { workspaceId, keyId }: Customer,
  id: RequestId,
  cost: bigint,
  record: Partial<UsageRecord> = {},
): Settlement {
  const startedAt = record.startedAt ?? NOON
  return {
    id,
    at: startedAt + 2_000,
    workspaceId,
    keyId,
    cost: nano(cost),
    keyMonthlySpend: null,
    record: {
      id,
      workspaceId,
      keyId,
      model: 'acme/chat-1',
      requestedModel: 'acme/chat',
      provider: 'acme',
      upstreamModel: 'upstream-chat-1',
      stream: false,
      status: 200,
      ending: 'completed',
      usage: { ...NO_USAGE, promptTokens: 12, completionTokens: 34 },
      usageSource: 'reported',
      lines: [{ class: 'input', tokens: 12, unitPrice: nano(500_000_000n) }],
      attempts: [
        {
          provider: 'acme',
          upstreamModel: 'upstream-chat-1',
          startedAt,
          endedAt: startedAt + 2_000,
          outcome: 'answered',
        },
      ],
      startedAt,
      firstEventAt: startedAt + 500,
      endedAt: startedAt + 2_000,
      user: null,
      ...record,
    },
  }
}

/** Of a call whose answer was not sent. */
export function freeSettlementOf(customer: Customer, id: RequestId): Settlement {
  const free = settlementOf(customer, id, 0n, { ending: 'gateway_failed', status: 503, lines: [] })
  return { ...free, refunds: true }
}

/** The money of a workspace as it is stored. */
export async function moneyOf(store: Store, { workspaceId }: Customer) {
  const workspace = await store.directory.workspace(workspaceId)
  if (!workspace) throw new Error('no such workspace')
  return { balance: workspace.balance, held: workspace.held }
}

/** How many of the verdicts are of which kind. */
export function tallyOf(verdicts: readonly { readonly kind: string }[]): Record<string, number> {
  const count: Record<string, number> = {}
  for (const { kind } of verdicts) count[kind] = (count[kind] ?? 0) + 1
  return count
}

/** Proves the ledgers of all workspaces; throws at the first that does not add up. */
export async function proveLedgers(store: Store): Promise<number> {
  let proven = 0
  for await (const found of store.books.verify()) {
    const { balance, ledgerBalance, held, openHolds, ledgerHeld, brokenAt } = found
    if (balance !== ledgerBalance || held !== openHolds || held !== ledgerHeld || brokenAt !== null) {
      throw new Error(`a ledger does not add up: ${Bun.inspect(found)}`)
    }
    proven++
  }
  return proven
}
