import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { ENGINES, type TestDatabase } from '../../../test/contract/engines.ts'
import {
  createCustomer,
  ids,
  NOON,
  openCall,
  proveLedgers,
  settlementOf,
} from '../../../test/contract/customer.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { TEST_LIMIT_MS } from '../../../test/support/scale.ts'
import type { KeyId, RequestId, WorkspaceId } from '../../core/id.ts'
import { LEDGER_PLACES } from '../ledgerPlaces.ts'
import { openStore } from '../open.ts'
import { MIGRATIONS, MIGRATIONS_TABLE, UnknownSchema } from './migrations.ts'

const CUSTOMER = { workspaceId: ids.workspace(), keyId: ids.key() } satisfies {
  workspaceId: WorkspaceId
  keyId: KeyId
}
const ENDED: RequestId = ids.request('chatcmpl-')
const OPEN: RequestId = ids.request('chatcmpl-')
const ANSWERED = ids.request('chatcmpl-')
const TOPUP = ids.transfer()
const SECRET_HASH = 'hash of a secret'

/**
 * A workspace that paid in 100 and used 30, with 20 held for a call that is open: as the first version wrote them, in the
 * words that both engines know.
 */
function booksOfTheFirstVersion(): string[] {
  const { workspaceId, keyId } = CUSTOMER
  const place = (count: number): bigint => LEDGER_PLACES + BigInt(count)
  const transfer = (
    count: number,
    kind: string,
    amount: number,
    balance: number,
    request: string | null,
    previous: number | null,
  ): string =>
    `insert into transfers (sequence, id, workspace_id, kind, amount, balance, request_id, previous, created_at) values
      (${place(count)}, ${request === null ? `'${TOPUP}'` : 'null'}, '${workspaceId}', '${kind}', ${amount}, ${balance},
       ${request === null ? 'null' : `'${request}'`}, ${previous === null ? 'null' : place(previous)}, ${NOON + count})`
  return [
    `insert into workspaces (id, name, type, requests_per_minute, models, created_at, balance, held)
      values ('${workspaceId}', 'Acme', 'personal', 60, '["acme/chat-1"]', ${NOON}, 70, 20)`,
    `update workspaces set last_transfer = ${place(5)}`,
    `insert into keys (id, workspace_id, name, hint, secret_hash, monthly_spend, created_at)
      values ('${keyId}', '${workspaceId}', 'laptop', 'tg_AB12', '${SECRET_HASH}', 1000, ${NOON})`,
    `insert into key_counters (key_id, minute_opened_at, minute_count, day_opened_at, day_count, open_calls)
      values ('${keyId}', ${NOON}, 2, ${Date.UTC(2026, 10, 20)}, 2, 1)`,
    `insert into key_spend (key_id, month, spent, held) values ('${keyId}', '2026-11', 30, 20)`,
    transfer(1, 'topup', 100, 100, null, null),
    transfer(2, 'hold', 30, 100, ENDED, null),
    transfer(3, 'release', 30, 100, ENDED, 2),
    transfer(4, 'charge', 30, 70, ENDED, 3),
    transfer(5, 'hold', 20, 70, OPEN, null),
    `insert into holds (id, workspace_id, key_id, amount, month, expires_at, last_transfer)
      values ('${OPEN}', '${workspaceId}', '${keyId}', 20, '2026-11', ${NOON + 30_000}, ${place(5)})`,
    `insert into credits (idempotency_key, transfer_id) values ('invoice-1', '${TOPUP}')`,
    `insert into usage_records (id, workspace_id, key_id, model, requested_model, provider, upstream_model, stream, status,
        ending, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, usage_source, lines,
        attempts, started_at, ended_at, hold, charge, writeoff, last_transfer)
      values ('${ENDED}', '${workspaceId}', '${keyId}', 'acme/chat-1', 'acme/chat', 'acme', 'chat-1', 0, 200,
        'completed', 12, 0, 0, 34, 0, 'reported', '[]', '[]', ${NOON}, ${NOON + 2}, 30, 30, 0, ${place(4)})`,
    `insert into answers (workspace_id, idempotency_key, request_id, body_hash, expires_at, content_type, body)
      values ('${workspaceId}', 'once', '${ANSWERED}', 'body hash', ${NOON + 60_000}, 'application/json', '{}')`,
  ]
}

/** Makes the schema that the first so many migrations make, with what the first version wrote in it. */
async function createEarlier({ settings }: TestDatabase, migrations: number): Promise<void> {
  const [first, ...later] = MIGRATIONS.slice(0, migrations)
  const of = (migration: (typeof MIGRATIONS)[number] | undefined) =>
    migration
      ? [
          ...migration.statements(settings.engine),
          `insert into schema_migrations (id, applied_at) values ('${migration.id}', 0)`,
        ]
      : []
  await run(settings, [MIGRATIONS_TABLE, ...of(first), ...booksOfTheFirstVersion(), ...later.flatMap(of)])
}

async function run(settings: TestDatabase['settings'], statements: readonly string[]): Promise<void> {
  if (settings.engine === 'sqlite') {
    const db = new Database(settings.path)
    for (const statement of statements) db.run(statement)
    db.close()
    return
  }
  const sql = new SQL(settings.url, { max: 1 })
  for (const statement of statements) await sql.unsafe(statement)
  await sql.close()
}

for (const engine of ENGINES) {
  describe.skipIf(engine.skipped)(`${engine.name}: a database of an earlier version`, () => {
    test.each(MIGRATIONS.slice(0, -1).map(({ id }, index) => [id, index + 1] as const))(
      'whose newest migration is %s has sound books in this version, and calls go on',
      async (_, migrations) => {
        const database = await engine.create()
        await createEarlier(database, migrations)
        const { settings } = database
        const reading = await rejectionOf(openStore(settings, { now: Date.now, access: 'read' }))
        expect(String(reading)).toContain('of an older version')

        const store = await database.open()
        const { workspaceId } = CUSTOMER
        expect(await proveLedgers(store)).toBe(1)
        expect(await store.directory.workspace(workspaceId)).toMatchObject({
          name: 'Acme',
          models: ['acme/chat-1'],
          keepResponses: true,
          balance: 70n,
          held: 20n,
        })
        const found = await store.directory.findKey(SECRET_HASH)
        expect(found?.key).toMatchObject({ id: CUSTOMER.keyId, countersId: CUSTOMER.keyId, replacedBy: null })
        const claim = { workspaceId, idempotencyKey: 'once', bodyHash: 'body hash', at: NOON }
        const verdict = await store.answers.claim({
          ...claim,
          id: ids.request('chatcmpl-'),
          leaseUntil: NOON + 30_000,
        })
        expect(verdict).toMatchObject({ kind: 'kept', id: ANSWERED })

        expect(await store.till.settle(settlementOf(CUSTOMER, OPEN, 15n))).toMatchObject({ balance: 55n })
        const next = await openCall(store, CUSTOMER, 10n)
        await store.till.settle(settlementOf(CUSTOMER, next, 5n))
        await createCustomer(store, 40n)
        expect(await proveLedgers(store)).toBe(2)
        const receipts = (await store.books.requests({ limit: 10, workspaceId })).items
        expect(receipts.map(({ charge }) => Number(charge)).toSorted((a, b) => a - b)).toEqual([5, 15, 30])
        await store.close()
        await database.remove()
      },
      TEST_LIMIT_MS,
    )
  })

  describe.skipIf(engine.skipped)(`${engine.name}: a database of a newer version`, () => {
    test.each(['change', 'read'] as const)(
      'is not opened to %s it, says what to do, and stays as it is',
      async (access) => {
        const database = await engine.create()
        await (await database.open()).close()
        await run(database.settings, [
          "insert into schema_migrations (id, applied_at) values ('9999-future', 0)",
        ])
        const error = await rejectionOf(openStore(database.settings, { now: Date.now, access }))
        expect(error).toBeInstanceOf(UnknownSchema)
        expect(String(error)).toContain(
          'the database was written by a newer version of tollgate (it has 9999-future); update tollgate',
        )
        await run(database.settings, ["delete from schema_migrations where id = '9999-future'"])
        await (await database.open()).close()
        await database.remove()
      },
      TEST_LIMIT_MS,
    )
  })
}
