import { Database } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { KeyId, RequestId } from '../../src/core/id.ts'
import { nano } from '../../src/core/money.ts'
import { ledgerPlaces } from '../../src/store/ledgerPlaces.ts'
import { openSqliteStore } from '../../src/store/sqlite/openSqliteStore.ts'
import { creditOf, newKey, newWorkspace, openCall, type Customer } from '../contract/customer.ts'
import { createSeededRandom } from '../support/seededRandom.ts'

/**
 * A SQLite file with years of business, filled in bulk: through the till it would take an hour. Time is cut into
 * blocks; in each of them the same slots make one call each, so every figure of a ledger follows from its place.
 */
export interface LargeBooksOptions {
  readonly path: string
  readonly records: number
  readonly expiredHolds: number
  readonly expiredAnswers: number
  /** Calls in flight, whose leases last. */
  readonly liveCalls: number
}

export interface LargeBooks {
  /** Two workspaces with a fifth of all records each, many middling ones, and some with a handful of records. */
  readonly workspaces: readonly FilledWorkspace[]
  readonly huge: FilledWorkspace
  readonly middling: FilledWorkspace
  readonly tiny: FilledWorkspace
  readonly records: number
  readonly firstAt: number
  readonly lastAt: number
  /** A call in the middle of the huge workspace's life. */
  readonly middleCall: RequestId
  readonly liveCalls: readonly RequestId[]
}

export interface FilledWorkspace extends Customer {
  readonly keys: readonly KeyId[]
  readonly records: number
}

export const COMMON_MODEL = 'm/0'
/** Has a single record, the oldest of the huge workspace. */
export const RARE_MODEL = 'm/rare'
const COMMON_MODELS = 19
const KEYS_PER_WORKSPACE = 5
/** Of each workspace's keys this one was never used, except by the oldest record of the huge one. */
export const RARE_KEY = 4

const WORKSPACES = 200
const SLOTS_HUGE = 200
const SLOTS_LARGE = 12
const SLOTS_SMALL = 2
const SLOTS_TINY = 3
/** How many slots the first workspaces have, the second ones, and so on; the tiny ones only in the first blocks. */
const SHARES: readonly { readonly until: number; readonly slots: number; readonly tiny: boolean }[] = [
  { until: 2, slots: SLOTS_HUGE, tiny: false },
  { until: 20, slots: SLOTS_LARGE, tiny: false },
  { until: 180, slots: SLOTS_SMALL, tiny: false },
  { until: WORKSPACES, slots: SLOTS_TINY, tiny: true },
]
const TINY_BLOCKS = 2

const DAY_MS = 86_400_000
const DAYS = 400
const TOPUP = 1_000_000_000_000_000n
const HOLD = 2_000_000n
const CHARGE = 345_678n
const TRANSFERS_PER_CALL = 3
const KEPT_ANSWERS = 1_000
/** Mostly short answers, and some that fill many pages. */
const ANSWER_BYTES = 2_000
const LONG_ANSWER_BYTES = 60_000
const LONG_ANSWER_EVERY = 50
const CACHE_KIB = 500_000
const CALLS_AT_ONCE = 256

interface Slot {
  readonly workspace: number
  readonly rank: number
}

export async function fillLargeBooks(options: LargeBooksOptions): Promise<LargeBooks> {
  const lastAt = Date.now() - DAY_MS
  const firstAt = lastAt - DAYS * DAY_MS
  const { customers, keysOf } = await createCustomers(options.path, firstAt)
  const slots = shuffledSlots()
  const perBlock = slots.filter(({ workspace }) => !shareOf(workspace).tiny).length
  const blocks = Math.max(TINY_BLOCKS, Math.ceil(options.records / perBlock))
  const step = Math.floor((DAYS * DAY_MS) / (blocks * slots.length))
  const workspaces = customers.map((customer, w): FilledWorkspace => {
    const { slots, tiny } = shareOf(w)
    return { ...customer, keys: keysOf[w] ?? [], records: slots * (tiny ? TINY_BLOCKS : blocks) }
  })

  const db = new Database(options.path, { strict: true, safeIntegers: true })
  // Out of the write-ahead log first: what is filled in bulk goes straight into the file.
  db.run('pragma journal_mode = delete')
  db.run('pragma journal_mode = off')
  db.run('pragma synchronous = off')
  db.run('pragma locking_mode = exclusive')
  db.run(`pragma cache_size = -${CACHE_KIB}`)
  const indexes = dropIndexes(db, 'usage_records')
  plan(db, { workspaces, slots, blocks })
  db.run(USAGE_RECORDS, [firstAt, step, slots.length])
  db.run(TRANSFERS, [firstAt, step, slots.length])
  db.run(
    `update workspaces set
      balance = balance - ${CHARGE} * (select calls from plan_workspaces where workspace_id = id),
      last_transfer = last_transfer + ${TRANSFERS_PER_CALL} * (select calls from plan_workspaces where workspace_id = id)`,
  )
  fillAnswers(db, options.expiredAnswers, firstAt)
  for (const sql of indexes) db.run(sql)
  db.run('pragma locking_mode = normal')
  const middle = db
    .query<{ id: string }, [string, number]>(
      'select id from usage_records where workspace_id = ? and started_at >= ? order by started_at limit 1',
    )
    .get(workspaces[0]?.workspaceId ?? '', firstAt + (DAYS / 2) * DAY_MS)
  db.run('pragma journal_mode = wal')
  db.close()
  syncToDisk(options.path)

  const liveCalls = await openCalls(options, workspaces)
  const [huge, middling, tiny] = [workspaces[0], workspaces[2], workspaces.at(-1)]
  if (!huge || !middling || !tiny || !middle) throw new Error('the books were not filled')
  const records = workspaces.reduce((sum, { records }) => sum + records, 0)
  const middleCall = middle.id as RequestId
  return { workspaces, huge, middling, tiny, records, firstAt, lastAt, middleCall, liveCalls }
}

/** What is tested shall not wait for what was filled in. */
function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

async function createCustomers(path: string, createdAt: number) {
  const store = await openSqliteStore({ path, durability: 'default', now: Date.now })
  const customers: Customer[] = []
  const keysOf: KeyId[][] = []
  for (let w = 0; w < WORKSPACES; w++) {
    const workspace = newWorkspace({ createdAt })
    await store.directory.createWorkspace(workspace)
    await store.books.credit(creditOf({ workspaceId: workspace.id }, { amount: nano(TOPUP), at: createdAt }))
    const keys: KeyId[] = []
    for (let k = 0; k < KEYS_PER_WORKSPACE; k++) {
      const key = newKey(workspace.id, { createdAt })
      await store.directory.createKey(key)
      keys.push(key.id)
    }
    keysOf.push(keys)
    customers.push({ workspaceId: workspace.id, keyId: keys[0] ?? newKey(workspace.id).id })
  }
  await store.close()
  return { customers, keysOf }
}

function shareOf(workspace: number) {
  const share = SHARES.find(({ until }) => workspace < until)
  if (!share) throw new Error('every workspace has a share')
  return share
}

/** Calls of all workspaces come mixed, as they do in life. */
function shuffledSlots(): Slot[] {
  const random = createSeededRandom('large books')
  const slots = Array.from({ length: WORKSPACES }, (_, workspace) =>
    Array.from({ length: shareOf(workspace).slots }, () => ({ workspace, at: random.next() })),
  ).flat()
  const ranks = new Map<number, number>()
  return slots
    .toSorted((a, b) => a.at - b.at)
    .map(({ workspace }) => {
      const rank = ranks.get(workspace) ?? 0
      ranks.set(workspace, rank + 1)
      return { workspace, rank }
    })
}

/** Building an index at the end is far cheaper than keeping it up; returns how to make them again. */
function dropIndexes(db: Database, table: string): string[] {
  const indexes = db
    .query<{ name: string; sql: string }, [string]>(
      "select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null",
    )
    .all(table)
  for (const { name } of indexes) db.run(`drop index ${name}`)
  return indexes.map(({ sql }) => sql)
}

interface Plan {
  readonly workspaces: readonly FilledWorkspace[]
  readonly slots: readonly Slot[]
  readonly blocks: number
}

function plan(db: Database, { workspaces, slots, blocks }: Plan): void {
  db.run(`create temp table plan_workspaces (
    w integer primary key, workspace_id text, last bigint, slots bigint, blocks bigint, calls bigint)`)
  db.run(`create temp table plan_slots (
    slot integer primary key, w bigint, workspace_id text, key_id text, rare_key_id text, last bigint,
    rank bigint, slots bigint, blocks bigint)`)
  db.run('create temp table plan_blocks (block integer primary key)')
  const lastOf = db.query<{ last_transfer: bigint }, [string]>(
    'select last_transfer from workspaces where id = ?',
  )
  const insertWorkspace = db.prepare('insert into plan_workspaces values (?, ?, ?, ?, ?, ?)')
  const insertSlot = db.prepare('insert into plan_slots values (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const insertBlock = db.prepare('insert into plan_blocks values (?)')
  const lasts = workspaces.map(({ workspaceId, records }, w) => {
    const last = lastOf.get(workspaceId)?.last_transfer ?? 0n
    if (last !== ledgerPlaces(last).before + 1n) throw new Error('a ledger begins with its topup')
    const { slots, tiny } = shareOf(w)
    insertWorkspace.run(w, workspaceId, last, slots, tiny ? TINY_BLOCKS : blocks, records)
    return last
  })
  for (const [slot, { workspace: w, rank }] of slots.entries()) {
    const workspace = workspaces[w]
    if (!workspace) throw new Error('a slot has a workspace')
    const { workspaceId, keys } = workspace
    const key = keys[rank % RARE_KEY] ?? null
    const rare = w === 0 && rank === 0 ? (keys[RARE_KEY] ?? null) : null
    const share = shareOf(w)
    const lasting = share.tiny ? TINY_BLOCKS : blocks
    insertSlot.run(slot, w, workspaceId, key, rare, lasts[w] ?? 0n, rank, share.slots, lasting)
  }
  for (let block = 0; block < blocks; block++) insertBlock.run(block)
  db.run('create index plan_slots_by_workspace on plan_slots (w, rank)')
}

/** ?1: the first moment, ?2: milliseconds between two calls, ?3: calls per block. Two calls share a millisecond. */
const NUMBER = '(block * ?3 + slot)'
const STARTED_AT = `(?1 + ${NUMBER} / 2 * 2 * ?2)`
const REQUEST_ID = `printf('chatcmpl-%012X%014d', ${STARTED_AT}, ${NUMBER})`
/** The place of the call's first transfer. */
const PLACE = `(last + 1 + ${TRANSFERS_PER_CALL} * (block * slots + rank))`
const IS_RARE = '(block = 0 and rare_key_id is not null)'

const USAGE_RECORDS = `insert into usage_records
  select
    ${REQUEST_ID}, workspace_id, iif(${IS_RARE}, rare_key_id, key_id),
    iif(${IS_RARE}, '${RARE_MODEL}', 'm/' || ((slot * 7 + block) % ${COMMON_MODELS})), 'm/alias',
    'acme', 'upstream-chat-1', 1, 200, 'completed',
    100 + ${NUMBER} % 900, 0, 0, ${NUMBER} % 700, 0, 'reported',
    '[["input",321,"500000000"],["output",123,"1500000000"]]',
    '[["acme","upstream-chat-1","answered",0,1200]]',
    ${STARTED_AT}, ${STARTED_AT} + 300, ${STARTED_AT} + 1200, null,
    ${HOLD}, ${CHARGE}, 0, ${PLACE} + 2
  from plan_blocks cross join plan_slots
  where block < blocks`

const TRANSFERS = `insert into transfers
  (sequence, id, workspace_id, kind, amount, balance, request_id, previous, note, created_at)
  select
    ${PLACE} + line, null, s.workspace_id, kind, amount,
    ${TOPUP} - ${CHARGE} * (block * s.slots + rank + (line = 2)),
    ${REQUEST_ID}, iif(line = 0, null, ${PLACE} + line - 1), null, ${STARTED_AT}
  from (select w as number from plan_workspaces order by w)
    cross join plan_blocks
    cross join plan_slots as s on s.w = number
    cross join (
      select 0 as line, 'hold' as kind, ${HOLD} as amount
      union all select 1, 'release', ${HOLD}
      union all select 2, 'charge', ${CHARGE}
    )
  where block < s.blocks
  order by number, block, rank, line`

function fillAnswers(db: Database, expired: number, expiredAt: number): void {
  const insert = db.prepare(
    "insert into answers select workspace_id, ?, ?, 'hash', ?, 'application/json', ? from plan_workspaces where w = ?",
  )
  const [short, long] = ['x'.repeat(ANSWER_BYTES), 'x'.repeat(LONG_ANSWER_BYTES)]
  db.run('begin')
  for (let i = 0; i < expired + KEPT_ANSWERS; i++) {
    const expiresAt = i < expired ? expiredAt + i : Date.now() + DAY_MS
    const body = i % LONG_ANSWER_EVERY === 0 ? long : short
    insert.run(`key ${i}`, `chatcmpl-answer-${i}`, expiresAt, body, i % WORKSPACES)
  }
  db.run('commit')
}

/** What a dead process left, and what a living one has: through the till, which counts calls in five tables. */
async function openCalls(
  { path, expiredHolds, liveCalls }: LargeBooksOptions,
  workspaces: readonly FilledWorkspace[],
): Promise<RequestId[]> {
  const store = await openSqliteStore({ path, durability: 'default', now: Date.now })
  const at = Date.now() - DAY_MS
  const ids: RequestId[] = []
  let opened = 0
  async function openSome(): Promise<void> {
    while (opened < expiredHolds + liveCalls) {
      const isLive = opened >= expiredHolds
      const customer = workspaces[opened++ % workspaces.length]
      if (!customer) continue
      const id = await openCall(store, customer, HOLD, { at, expiresAt: isLive ? at + 2 * DAY_MS : at + 1 })
      if (isLive) ids.push(id)
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, openSome))
  await store.close()
  return ids
}
