import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createCustomer } from '../../../test/contract/customer.ts'
import { mustSkip, sharedPostgres } from '../../../test/support/postgres.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { ReportTooLarge } from '../../core/ports/books.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { openPostgresStore } from './openPostgresStore.ts'
import { createReportTurns } from './reportTurns.ts'

/** Thirty-two of the smallest parts: on a machine that becomes slower meanwhile, one of them still fits into the time of sixteen. */
const RECORDS = 64_000
/** What it costs to look at a record: each represents very many. */
const WORK = 'PERFORM sum(n) FROM generate_series(1, 50) AS n'

describe.skipIf(mustSkip('reports on Postgres'))('a report on Postgres', () => {
  test('adds up, and searches for what is rare, more than one statement has the time for', async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const filling = await openPostgresStore({ url })
    const { workspaceId, keyId } = await createCustomer(filling)
    await filling.close()
    const sql = new SQL(url, { max: 1 })
    await sql`INSERT INTO usage_records
      (id, workspace_id, key_id, model, requested_model, provider, upstream_model, stream, status, ending,
        prompt_tokens, cached_tokens, cache_write_tokens,
        completion_tokens, reasoning_tokens, usage_source, lines, attempts, hold, charge, writeoff, started_at, ended_at)
      SELECT 'chatcmpl-' || lpad(number::text, 12, '0'), ${workspaceId}, ${keyId},
        CASE number WHEN 1 THEN 'acme/rare' ELSE 'acme/chat' END, 'acme/chat', 'acme', 'chat', 0, 200, 'completed',
        10, 0, 0, 20, 0, 'reported', '[]', '[]', 0, 3, 0, number * 1000, number * 1000
      FROM generate_series(1, ${RECORDS}) AS number`
    await sql`ANALYZE usage_records`
    await sql`CREATE SCHEMA slow`
    await sql.unsafe(`CREATE FUNCTION slow.work() RETURNS boolean LANGUAGE plpgsql VOLATILE
      AS 'BEGIN ${WORK}; RETURN true; END'`)
    await sql`CREATE VIEW slow.usage_records AS SELECT * FROM public.usage_records WHERE slow.work()`
    const startedAt = performance.now()
    await sql`SELECT sum(charge) FROM slow.usage_records`
    const wholeMs = performance.now() - startedAt

    const slow = new URL(url)
    slow.searchParams.set('options', '-c search_path=slow,public')
    const store = await openPostgresStore({ url: slow.href, statementTimeoutMs: Math.ceil(wholeMs / 2) })
    const days = await store.books.usage({ groupBy: 'day' })
    expect(days.reduce((sum, { requests }) => sum + requests, 0)).toBe(RECORDS)
    expect(days.reduce((sum, { charge }) => sum + Number(charge), 0)).toBe(3 * RECORDS)
    const { items } = await store.books.requests({ workspaceId, model: 'acme/rare', limit: 5 })
    expect(items).toHaveLength(1)
    await store.close()
    await sql.close({ timeout: 0 })
  })

  test('that takes longer than its reader waits says so', async () => {
    const pace = createReportTurns(0).pace(1)
    await Bun.sleep(1)
    expect(await rejectionOf(pace.part(() => Promise.resolve(1)))).toBeInstanceOf(ReportTooLarge)
  })

  test('whose smallest part is canceled is not too large: the database is busy', async () => {
    const canceled = new StoreUnavailable('busy', {
      cause: new SQL.PostgresError('canceled', { code: '', errno: '57014' }),
    })
    const sizes: number[] = []
    const pace = createReportTurns().pace(1)
    await pace.part((rows) => Promise.resolve(sizes.push(rows)))
    const error = await rejectionOf(
      pace.part((rows) => {
        sizes.push(rows)
        return Promise.reject(canceled)
      }),
    )
    expect(error).toBe(canceled)
    expect(sizes).toEqual([16_000, 32_000, 2_000])
  })
})
