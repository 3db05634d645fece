import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import * as fc from 'fast-check'
import { NOON, createCustomer, openCall, settlementOf } from '../../../test/contract/customer.ts'
import { openConnection } from '../sqlite/connection.ts'
import { createDialect } from '../sqlite/dialect.ts'
import { openSqliteStore } from '../sqlite/openSqliteStore.ts'
import { createStatements } from '../sqlite/statements.ts'
import type { Schema } from '../schema.ts'
import { steadyPace } from './turns.ts'
import { sumUsage } from './usage.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-usage-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('usage is the same in however many reads it is added up, and in one', async () => {
  const path = join(folder, 'usage.db')
  const store = await openSqliteStore({ path, durability: 'default', now: Date.now })
  const customers = [await createCustomer(store, 10_000n), await createCustomer(store, 10_000n)]
  for (let i = 0; i < 60; i++) {
    const customer = customers[i % 3 === 0 ? 0 : 1]
    if (!customer) throw new Error('a customer for each call')
    // Several of them start in the same millisecond.
    const startedAt = NOON + Math.floor(i / 7) * 20_000_000
    const id = await openCall(store, customer, 1n, { at: startedAt })
    await store.till.settle(settlementOf(customer, id, 1n, { startedAt, model: `m/${i % 2}` }))
  }
  const connection = openConnection(path, 'default')
  const statements = createStatements(connection)
  const db = new Kysely<Schema>({
    dialect: createDialect(
      () => statements,
      () => {},
    ),
  })

  const moment = fc.option(fc.integer({ min: NOON - 1, max: NOON + 200_000_000 }), { nil: undefined })
  const of = fc.option(fc.constantFrom(...customers), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('day' as const, 'model' as const, 'key' as const, 'workspace' as const),
      moment,
      moment,
      of,
      of,
      fc.integer({ min: 1, max: 70 }),
      async (groupBy, from, to, workspace, key, rowsPerRead) => {
        const query = {
          groupBy,
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
          ...(workspace && { workspaceId: workspace.workspaceId }),
          ...(key && { keyId: key.keyId }),
        }
        const whole = await sumUsage(db, query, steadyPace(Infinity), 'time')
        for (const by of ['workspace', 'time'] as const)
          expect(await sumUsage(db, query, steadyPace(rowsPerRead), by)).toEqual([...whole])
      },
    ),
    { numRuns: 200 },
  )
  const requests = (await sumUsage(db, { groupBy: 'workspace' }, steadyPace(3), 'workspace')).map(
    (group) => group.requests,
  )
  // By workspace, and whose id comes first is chance.
  expect(requests.toSorted((a, b) => a - b)).toEqual([20, 40])
  statements.finalize()
  connection.close()
  await store.close()
})
