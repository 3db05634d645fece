import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import * as fc from 'fast-check'
import { NOON, createCustomer, openCall, settlementOf } from '../../../test/contract/customer.ts'
import type { RequestQuery } from '../../core/ports/books.ts'
import { openConnection } from '../sqlite/connection.ts'
import { createDialect } from '../sqlite/dialect.ts'
import { openSqliteStore } from '../sqlite/openSqliteStore.ts'
import { createStatements } from '../sqlite/statements.ts'
import type { Schema } from '../schema.ts'
import { listRequests } from './requests.ts'
import { steadyPace } from './turns.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-requests-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a list has the same pages in however many windows it is looked for, and in one', async () => {
  const path = join(folder, 'requests.db')
  const store = await openSqliteStore({ path, durability: 'default', now: Date.now })
  const customers = [await createCustomer(store, 10_000n), await createCustomer(store, 10_000n)]
  for (let i = 0; i < 60; i++) {
    const customer = customers[i % 3 === 0 ? 0 : 1]
    if (!customer) throw new Error('a customer for each call')
    // Several of them start in the same millisecond.
    const startedAt = NOON + Math.floor(i / 7)
    const id = await openCall(store, customer, 1n, { at: startedAt })
    await store.till.settle(settlementOf(customer, id, 1n, { startedAt, model: `m/${i % 4}` }))
  }
  await store.close()
  const connection = openConnection(path, 'default')
  const statements = createStatements(connection)
  const db = new Kysely<Schema>({
    dialect: createDialect(
      () => statements,
      () => {},
    ),
  })

  async function idsOf(query: RequestQuery, rowsPerPart = Infinity): Promise<string[]> {
    const turns = { pace: () => steadyPace(rowsPerPart) }
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const request = cursor === undefined ? query : { ...query, cursor }
      const page = await listRequests(db, request, turns)
      ids.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return ids
  }

  const of = fc.option(fc.constantFrom(...customers), { nil: undefined })
  const model = fc.option(fc.constantFrom('m/0', 'm/1', 'm/none'), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(
      of,
      of,
      model,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 70 }),
      async (workspace, key, model, limit, rowsPerPart) => {
        const query = {
          limit,
          ...(workspace && { workspaceId: workspace.workspaceId }),
          ...(key && { keyId: key.keyId }),
          ...(model !== undefined && { model }),
        }
        const whole = await idsOf({ ...query, limit: 100 })
        expect(await idsOf(query, rowsPerPart)).toEqual(whole)
        expect(await idsOf(query)).toEqual(whole)
      },
    ),
    { numRuns: 150 },
  )
  expect((await idsOf({ limit: 7 }, 3)).length).toBe(60)
  statements.finalize()
  connection.close()
})
