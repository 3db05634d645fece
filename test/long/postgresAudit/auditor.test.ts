import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { mustSkip, sharedPostgres } from '../../support/postgres.ts'
import { startProcessWorld } from '../../support/processWorld.ts'
import { TEST_LIMIT_MS } from '../../support/scale.ts'
import { CHARGE_NANO, LOAD_SCRIPT } from '../load.ts'
import { audit, type Findings, type Outcomes } from './auditor.ts'
import { CHECKS } from './checks.ts'
import { startCrowd } from './crowd.ts'

const CALLS = 12
const POLL_MS = 20
const TABLES = ['workspaces', 'keys', 'key_counters', 'key_spend', 'holds', 'transfers', 'usage_records']

const ONE_CALL = "(select min(request_id) from transfers where kind = 'charge')"
const ONE_CHARGE = `kind = 'charge' and request_id = ${ONE_CALL}`
/** The same line once more, at the end of the ledger and with its effect: only that it is there twice is wrong. */
function again(kind: string, effect: number, change = 'request_id'): string {
  return `insert into transfers
    select workspaces.last_transfer + 1, null, workspace_id, '${kind}', amount, workspaces.balance + ${effect} * amount,
      ${change}, null, null, transfers.created_at
    from transfers join workspaces on workspaces.id = workspace_id where ${ONE_CHARGE};
  update workspaces set last_transfer = last_transfer + 1,
    balance = balance + ${effect} * (select min(amount) from transfers where ${ONE_CHARGE})
    where id = (select workspace_id from transfers where ${ONE_CHARGE} limit 1)`
}

/** Faults in copies of sound books, and what must find them. */
const PLANTED: readonly (readonly [fault: string, sql: string, checks: readonly string[]])[] = [
  [
    'a charge is deleted',
    `delete from transfers where ${ONE_CHARGE}`,
    [
      'an answered call has exactly one charge, and keeps it',
      'an answered call costs what its provider reported',
      'a usage record says what the ledger says',
      'a balance is the sum of its transfers',
      'each line has the balance after it',
      'a ledger has no gaps, and its workspace knows where it ends',
    ],
  ],
  [
    'a call is charged twice, in order',
    again('charge', -1),
    ['an answered call has exactly one charge, and keeps it', 'no call is charged twice, nor refunded twice'],
  ],
  [
    'an answered call is refunded, in order',
    again('refund', 1),
    ['an answered call has exactly one charge, and keeps it'],
  ],
  [
    'a call is refunded twice, in order',
    `${again('refund', 1)}; ${again('refund', 1)}`,
    ['no call is charged twice, nor refunded twice'],
  ],
  [
    'a charge is another amount than the provider reported, in order',
    `update transfers set amount = amount - 1 where ${ONE_CHARGE}`,
    ['an answered call costs what its provider reported'],
  ],
  ['a refused call is charged', again('charge', -1, "'refused-call'"), ['a refused call costs nothing']],
  [
    'a call that nobody made is charged',
    again('charge', -1, "'nobody'"),
    ['no more calls are charged than were answered or cut off'],
  ],
  [
    'a usage record is deleted',
    `delete from usage_records where id = ${ONE_CALL}`,
    ['an answered call has exactly one usage record', 'a usage record says what the ledger says'],
  ],
  [
    'a usage record is there twice',
    `insert into usage_records select * from usage_records where id = ${ONE_CALL}`,
    ['an answered call has exactly one usage record'],
  ],
  [
    'a usage record says another charge',
    `update usage_records set charge = charge + 1 where id = ${ONE_CALL}`,
    ['a usage record says what the ledger says', 'what a key has spent is what its records charge'],
  ],
  [
    'a balance is shifted',
    'update workspaces set balance = balance + 1',
    ['a balance is the sum of its transfers'],
  ],
  [
    'the balance of one line is shifted',
    `update transfers set balance = balance + 1 where ${ONE_CHARGE}`,
    ['each line has the balance after it'],
  ],
  [
    'the end of a ledger is forgotten',
    'update workspaces set last_transfer = last_transfer - 1',
    ['a ledger has no gaps, and its workspace knows where it ends'],
  ],
  [
    'a line is of a kind that does not exist',
    `update transfers set kind = 'gift' where ${ONE_CHARGE}`,
    ['every line is of a known kind'],
  ],
  [
    'a balance is below zero',
    'update workspaces set balance = -1',
    ['nothing is below zero, and no more is held than there is'],
  ],
  [
    'a balance was below zero for a moment',
    `update transfers set balance = -1 where ${ONE_CHARGE}`,
    ['nothing is below zero, and no more is held than there is'],
  ],
  [
    'something is held without a hold',
    'update workspaces set held = held + 1',
    ['what is held is the sum of the open holds, in the workspace and in its ledger'],
  ],
  [
    'a release is missing',
    `delete from transfers where kind = 'release' and request_id = ${ONE_CALL}`,
    ['what is held is the sum of the open holds, in the workspace and in its ledger'],
  ],
  [
    'a hold stays behind',
    `insert into holds select 'left-behind', workspace_id, id, 0, '2026-11', 0, null from keys limit 1`,
    ['nothing is held for nobody', 'a key has as many open calls as holds'],
  ],
  [
    'the spend of a key is shifted',
    'update key_spend set spent = spent + 1',
    ['what a key has spent is what its records charge'],
  ],
]

describe.skipIf(mustSkip('the audit of Postgres'))('the auditor', () => {
  let sql: SQL
  let outcomes: Outcomes

  beforeAll(async () => {
    const url = await (await sharedPostgres()).createDatabase()
    await using world = await startProcessWorld({ processes: 1, postgresUrl: url, provider: LOAD_SCRIPT })
    const crowd = startCrowd(world, [await world.createCustomer()])
    await crowd.reach(CALLS)
    await crowd.stop()
    sql = new SQL(url, { max: 1 })
    const { answered, cut } = crowd.outcomes()
    outcomes = { answered, refused: ['refused-call'], cut, cost: CHARGE_NANO }
    while ((await audit(sql, outcomes)).unfinished.length > 0) await Bun.sleep(POLL_MS)
  }, TEST_LIMIT_MS)
  afterAll(() => sql.close({ timeout: 0 }))

  /** Of a copy without any constraint, so that every fault can be planted. */
  async function auditOfCopy(fault?: string): Promise<Findings> {
    await sql.unsafe('create schema copy')
    try {
      for (const table of TABLES) await sql.unsafe(`create table copy.${table} as table public.${table}`)
      await sql.unsafe('set search_path to copy')
      for (const statement of fault?.split(';') ?? []) await sql.unsafe(statement)
      return await audit(sql, outcomes)
    } finally {
      await sql.unsafe('reset search_path')
      await sql.unsafe('drop schema copy cascade')
    }
  }

  test('finds nothing in sound books', async () => {
    expect(await auditOfCopy()).toEqual({ faults: [], unfinished: [] })
  })

  test.each(PLANTED)('finds that %s', async (_fault, planted, checks) => {
    const { faults, unfinished } = await auditOfCopy(planted)
    const failed = [...faults, ...unfinished].map(({ check }) => check)
    expect(checks.filter((check) => !failed.includes(check))).toEqual([])
  })

  test('has no check that no planted fault fails', () => {
    const planted = new Set(PLANTED.flatMap(([, , checks]) => checks))
    expect(CHECKS.map(({ name }) => name).filter((name) => !planted.has(name))).toEqual([])
  })
})
