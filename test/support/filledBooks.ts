import type { KeyId, WorkspaceId } from '../../src/core/id.ts'
import { openStore, type StoreSettings } from '../../src/store/open.ts'
import { openCall } from '../contract/customer.ts'
import { openInspector, type Row } from './inspector.ts'
import { answers, openaiUsage } from './scriptedProvider.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

/** The last minute of October, and one of November. */
const OCTOBER = Date.UTC(2026, 9, 31, 23, 59)
export const NOVEMBER = Date.UTC(2026, 10, 1, 0, 0, 30)
const DAY_MS = 86_400_000
export const KEY_PER_MINUTE = 50
/** Left over from a process that was killed, in nano-dollars. */
export const HELD = 5_000n
export const ONCE = { 'idempotency-key': 'once' }

/** What callers of books know, to go on with them in another database. */
export interface FilledBooks {
  readonly workspaceId: string
  readonly secret: string
  readonly revokedSecret: string
  /** What is left of the key's minute, in November. */
  readonly remaining: number
  readonly balance: string
  /** Of the call with the `Idempotency-Key`. */
  readonly answered: string
  readonly responseId: string
}

/** The options of a world on these books: the same provider, in the same minute. */
export function worldOn(databaseUrl: string): WorldOptions {
  return {
    databaseUrl,
    at: NOVEMBER,
    provider: answers({ pieces: ['Hello'], usage: openaiUsage(10, 5) }),
  }
}

/** One of everything that a gateway and its operators leave in a database. */
export async function fillBooks(databaseUrl: string, settings: StoreSettings): Promise<FilledBooks> {
  const world = await startWorld({
    ...worldOn(databaseUrl),
    at: OCTOBER,
    key: { requests_per_minute: KEY_PER_MINUTE, monthly_spend_usd: '5' },
  })
  try {
    await (await world.chat()).text()
    await (await world.chat({ stream: true })).text()
    const revoked = await world.operations.createKey(world.workspaceId, { name: 'revoked' })
    await administrate(world, revoked.id)
    world.clock.set(NOVEMBER)
    await refusals(world, revoked.key)
    const answered = await (await world.chat({}, ONCE)).text()
    const asked = await world.request('POST', '/v1/responses', { model: 'acme/chat-1', input: 'Hi' })
    const { id: responseId } = (await asked.json()) as { id: string }
    const last = await world.chat()
    await last.text()
    await world.settled()
    await world.operations.credit(world.workspaceId, { kind: 'refund', amount_usd: '0.000001' })
    await world.gateway.stop()
    const customer = { workspaceId: world.workspaceId as WorkspaceId, keyId: world.keyId as KeyId }
    const balance = await leaveHold(settings, customer)
    return {
      workspaceId: world.workspaceId,
      secret: world.secret,
      revokedSecret: revoked.key,
      // The call that was killed counts, too.
      remaining: Number(last.headers.get('x-ratelimit-remaining')) - 1,
      balance,
      answered,
      responseId,
    }
  } finally {
    await world.stop()
  }
}

async function administrate({ operations, workspaceId, keyId }: World, revoked: string): Promise<void> {
  const once = { idempotencyKey: 'invoice-1' }
  await operations.credit(workspaceId, { amount_usd: '2.5', note: 'naïve “invoice”\n\\1' }, once)
  await operations.credit(workspaceId, { amount_usd: '-0.5' })
  await operations.rotateKey(keyId, { overlap_seconds: 3600 })
  await operations.revokeKey(revoked)
  await operations.updateWorkspace(workspaceId, { requests_per_minute: 1000 })
  await operations.createAdminToken({ name: 'ci' })
  const { id } = await operations.createAdminToken({ name: 'gone' })
  await operations.revokeAdminToken(id)
  await operations.createWorkspace({ name: 'empty', type: 'organization', models: ['acme/chat-1'] }, once)
}

async function refusals(world: World, revoked: string): Promise<void> {
  await (await world.chat({ model: 'acme/none' })).text()
  await (await world.chat({}, { authorization: `Bearer ${revoked}` })).text()
}

/** A hold and a claim of a call whose process was killed. */
async function leaveHold(
  settings: StoreSettings,
  customer: { readonly workspaceId: WorkspaceId; readonly keyId: KeyId },
): Promise<string> {
  const store = await openStore(settings, { now: Date.now })
  try {
    const id = await openCall(store, customer, HELD, { at: NOVEMBER, expiresAt: NOVEMBER + DAY_MS })
    await store.answers.claim({
      id,
      workspaceId: customer.workspaceId,
      idempotencyKey: 'claimed',
      bodyHash: 'hash',
      at: NOVEMBER,
      leaseUntil: NOVEMBER + DAY_MS,
    })
    return String((await store.directory.workspace(customer.workspaceId))?.balance)
  } finally {
    await store.close()
  }
}

/** Every row of the tables, as text, in one order for both engines; the line that a move writes is not among them. */
export async function rowsIn(
  settings: StoreSettings,
  tables: readonly string[],
): Promise<Record<string, string[]>> {
  const inspector = openInspector(settings)
  const found: Record<string, string[]> = {}
  try {
    for (const table of tables) {
      const rows = await inspector.rows(`select * from ${table}`)
      found[table] = rows
        .filter(({ action }) => action !== 'database.move')
        .map(textOf)
        .toSorted()
    }
    return found
  } finally {
    await inspector.close()
  }
}

function textOf(row: Row): string {
  const cells = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(cells, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
}
