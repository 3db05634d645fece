import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { contract } from './contract.ts'
import { createCustomer, creditOf, openCall, settlementOf } from './customer.ts'
import { nano } from '../../src/core/money.ts'

const DOUBLE = 2n ** 53n
/** Around the ends of what 32 bits and a double hold. */
const AMOUNTS = [2n ** 31n - 1n, 2n ** 31n, DOUBLE - 1n, DOUBLE, DOUBLE + 1n, DOUBLE + 3n]
const TABLES = {
  workspaces: ['balance', 'held', 'last_transfer', 'minute_count'],
  key_spend: ['spent', 'held'],
  transfers: ['sequence', 'amount', 'balance', 'previous', 'created_at'],
  usage_records: ['hold', 'charge', 'writeoff', 'last_transfer', 'started_at'],
} as const

contract('amounts', (given, it) => {
  it('are kept to the nano-dollar, and as integers, whatever their size', async () => {
    const store = given.store()
    for (const amount of AMOUNTS) {
      const customer = await createCustomer(store)
      await store.books.credit(creditOf(customer, { amount: nano(3n * amount) }))
      const id = await openCall(store, customer, 2n * amount)
      await store.till.settle(settlementOf(customer, id, amount))
      const { items } = await store.books.ledger(customer.workspaceId, { limit: 10 })
      expect(items.map((line) => [line.kind, line.amount, line.balance])).toEqual([
        ['charge', nano(amount), nano(2n * amount)],
        ['release', nano(2n * amount), nano(3n * amount)],
        ['hold', nano(2n * amount), nano(3n * amount)],
        ['topup', nano(3n * amount), nano(3n * amount)],
      ])
      const receipt = await store.books.receipt(id)
      expect([receipt?.hold, receipt?.charge]).toEqual([nano(2n * amount), nano(amount)])
    }
    const { settings } = given.database()
    if (settings.engine !== 'sqlite') return
    const db = new Database(settings.path, { readonly: true })
    for (const [table, columns] of Object.entries(TABLES))
      for (const column of columns) {
        const types = db.query(
          `select distinct typeof(${column}) as type from ${table} where ${column} is not null`,
        )
        expect([table, column, types.all()]).toEqual([table, column, [{ type: 'integer' }]])
      }
    db.close()
  })
})
