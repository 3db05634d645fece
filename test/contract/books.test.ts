import { expect } from 'bun:test'
import { nano } from '../../src/core/money.ts'
import type { TransferKind } from '../../src/core/ports/books.ts'
import { UnknownCursor } from '../../src/core/ports/page.ts'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { NO_USAGE } from '../../src/core/usage.ts'
import { rejectionOf } from '../support/rejection.ts'
import { contract } from './contract.ts'
import {
  LEASE_MS,
  NOON,
  admissionOf,
  createCustomer,
  creditOf,
  ids,
  moneyOf,
  newKey,
  openCall,
  proveLedgers,
  settlementOf,
  tallyOf,
  type Customer,
} from './customer.ts'

const DAY_MS = 86_400_000

contract('credits', (given, it) => {
  it('a topup and a refund add, an adjustment subtracts, and each is a line of the ledger', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const topup = creditOf(customer, { amount: nano(100n), note: 'invoice 7' })
    expect(await store.books.credit(topup)).toEqual({
      kind: 'done',
      transfer: {
        id: topup.id,
        workspaceId: customer.workspaceId,
        kind: 'topup',
        amount: nano(100n),
        balance: nano(100n),
        requestId: null,
        note: 'invoice 7',
        createdAt: NOON,
      },
    })
    await store.books.credit(creditOf(customer, { kind: 'refund', amount: nano(5n) }))
    await store.books.credit(creditOf(customer, { kind: 'adjust', amount: nano(45n) }))
    const { items } = await store.books.ledger(customer.workspaceId, { limit: 10 })
    expect(items.map(({ kind, amount, balance }) => [kind, amount, balance])).toEqual([
      ['adjust', nano(45n), nano(60n)],
      ['refund', nano(5n), nano(105n)],
      ['topup', nano(100n), nano(100n)],
    ])
    expect(items.at(-1)).toMatchObject({ id: topup.id, note: 'invoice 7' })
  })

  it('an adjustment never goes below zero', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const adjust = (amount: bigint) =>
      store.books.credit(creditOf(customer, { kind: 'adjust', amount: nano(amount) }))
    expect(await adjust(101n)).toEqual({ kind: 'insufficient', available: nano(100n) })
    const results = await Promise.all(Array.from({ length: 20 }, () => adjust(9n)))
    expect(tallyOf(results)).toEqual({ done: 11, insufficient: 9 })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(1n), held: nano(0n) })
  })

  it('a balance beyond 64 bits is refused and changes nothing', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 10n)
    const most = creditOf(customer, { amount: nano(9_223_372_036_854_775_807n) })
    expect(await store.books.credit(most)).toEqual({ kind: 'too_large' })
    expect((await moneyOf(store, customer)).balance).toBe(nano(10n))
  })

  it('a repetition under the same idempotency key gives the first transfer again', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const idempotencyKey = ids.request()
    const results = await Promise.all(
      Array.from({ length: 5 }, () => store.books.credit(creditOf(customer, { idempotencyKey }))),
    )
    for (const result of results) expect(result).toEqual(results[0] ?? { kind: 'no_workspace' })
    expect(results[0]?.kind).toBe('done')
    expect((await moneyOf(store, customer)).balance).toBe(nano(100n))
  })

  it('the same idempotency key with another amount, kind or workspace is a conflict', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const other = await createCustomer(store)
    const idempotencyKey = ids.request()
    await store.books.credit(creditOf(customer, { idempotencyKey }))
    for (const credit of [
      creditOf(customer, { idempotencyKey, amount: nano(101n) }),
      creditOf(customer, { idempotencyKey, kind: 'refund' }),
      creditOf(other, { idempotencyKey }),
    ]) {
      expect(await store.books.credit(credit)).toEqual({ kind: 'conflict' })
    }
    expect((await moneyOf(store, customer)).balance).toBe(nano(100n))
    expect((await moneyOf(store, other)).balance).toBe(nano(0n))
  })

  it('a refused credit leaves its idempotency key free', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const idempotencyKey = ids.request()
    const adjust = creditOf(customer, { kind: 'adjust', idempotencyKey })
    expect((await store.books.credit(adjust)).kind).toBe('insufficient')
    await store.books.credit(creditOf(customer))
    expect((await store.books.credit(adjust)).kind).toBe('done')
  })

  it('repeating the id of a credit is harmless', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const credit = creditOf(customer)
    const first = await store.books.credit(credit)
    expect(await store.books.credit(credit)).toEqual(first)
    expect((await moneyOf(store, customer)).balance).toBe(nano(100n))
  })

  it('a workspace that does not exist gets none', async () => {
    const credit = creditOf({ workspaceId: ids.workspace() })
    expect(await given.store().books.credit(credit)).toEqual({ kind: 'no_workspace' })
  })
})

contract('the ledger', (given, it) => {
  it('is read newest first, page by page, calls and credits alike', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    for (let i = 0; i < 3; i++) {
      const id = await openCall(store, customer, 10n)
      await store.till.settle(settlementOf(customer, id, 4n))
      await store.books.credit(creditOf(customer, { amount: nano(1n) }))
    }
    const all = await store.books.ledger(customer.workspaceId, { limit: 100 })
    expect(all.items.length).toBe(13)
    expect(all.nextCursor).toBeUndefined()
    expect(new Set(all.items.map(({ id }) => id)).size).toBe(13)
    for (let size = 1; size <= 5; size++) {
      const paged = []
      let cursor: string | undefined
      do {
        const page = await store.books.ledger(customer.workspaceId, {
          limit: size,
          ...(cursor !== undefined && { cursor }),
        })
        paged.push(...page.items)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      expect(paged).toEqual([...all.items])
    }
  })

  it('is exported oldest first, of one workspace or of all', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    const id = await openCall(store, customer, 10n)
    await store.till.settle(settlementOf(customer, id, 4n))
    const own = await Array.fromAsync(store.books.exportLedger(customer.workspaceId))
    const { items } = await store.books.ledger(customer.workspaceId, { limit: 100 })
    expect(own.flat()).toEqual(items.toReversed())
    const all = (await Array.fromAsync(store.books.exportLedger())).flat()
    expect(all.filter(({ workspaceId }) => workspaceId === customer.workspaceId)).toEqual(own.flat())
    expect(new Set(all.map(({ workspaceId }) => workspaceId)).size).toBeGreaterThan(1)
    expect(await Array.fromAsync(store.books.exportLedger(ids.workspace()))).toEqual([])
  })

  it('is verified with what is stored, while calls are open and beyond one batch', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000_000n)
    await Promise.all(
      Array.from({ length: 1_500 }, async () => {
        const id = await openCall(store, customer, 10n)
        await store.till.settle(settlementOf(customer, id, 4n))
      }),
    )
    await openCall(store, customer, 77n)
    const seen: number[] = []
    const found = (await Array.fromAsync(store.books.verify((count) => seen.push(count)))).find(
      ({ workspaceId }) => workspaceId === customer.workspaceId,
    )
    expect(found).toEqual({
      workspaceId: customer.workspaceId,
      transfers: 4_502,
      balance: nano(994_000n),
      ledgerBalance: nano(994_000n),
      held: nano(77n),
      openHolds: nano(77n),
      ledgerHeld: nano(77n),
      brokenAt: null,
      sharesPlacesWith: null,
      lastTransfer: (await store.books.ledger(customer.workspaceId, { limit: 1 })).items[0] ?? null,
    })
    expect(seen.length).toBeGreaterThan(2)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  })

  it('adds up at every moment while calls go on', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000_000n)
    const proven = new AbortController()
    const calls = Array.from({ length: 8 }, async () => {
      while (!proven.signal.aborted) {
        const id = await openCall(store, customer, 10n)
        await store.till.settle(settlementOf(customer, id, 4n))
      }
    })
    for (let round = 0; round < 5; round++) await proveLedgers(store)
    proven.abort()
    await Promise.all(calls)
    expect(await proveLedgers(store)).toBeGreaterThan(0)
  })
})

contract('usage', (given, it) => {
  it('is added up by day, model, key and workspace, within the bounds that are asked for', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 10_000n)
    const key = newKey(customer.workspaceId)
    await store.directory.createKey(key)
    const second = { ...customer, keyId: key.id }
    const midnight = Date.UTC(2027, 0, 1)
    const calls = [
      { of: customer, model: 'm/a', startedAt: midnight - 1, cost: 1n },
      { of: customer, model: 'm/b', startedAt: midnight, cost: 10n },
      { of: second, model: 'm/a', startedAt: midnight + DAY_MS - 1, cost: 100n },
      { of: second, model: 'm/a', startedAt: midnight + DAY_MS, cost: 1_000n },
    ]
    for (const { of, model, startedAt, cost } of calls) {
      const id = await openCall(store, of, cost, { at: startedAt })
      const usage = { ...NO_USAGE, promptTokens: 2, completionTokens: 3 }
      await store.till.settle(settlementOf(of, id, cost, { model, startedAt, usage }))
    }
    const { workspaceId } = customer
    const charges = async (query: Parameters<typeof store.books.usage>[0]) =>
      (await store.books.usage(query)).map(({ group, charge }) => [group, charge])

    expect(await store.books.usage({ workspaceId, groupBy: 'day' })).toEqual([
      { group: '2026-12-31', requests: 1, promptTokens: 2, completionTokens: 3, charge: nano(1n) },
      { group: '2027-01-01', requests: 2, promptTokens: 4, completionTokens: 6, charge: nano(110n) },
      { group: '2027-01-02', requests: 1, promptTokens: 2, completionTokens: 3, charge: nano(1_000n) },
    ])
    expect(await charges({ workspaceId, groupBy: 'model' })).toEqual([
      ['m/a', nano(1_101n)],
      ['m/b', nano(10n)],
    ])
    expect(await charges({ keyId: second.keyId, groupBy: 'key' })).toEqual([[second.keyId, nano(1_100n)]])
    expect(await charges({ workspaceId, model: 'm/a', groupBy: 'workspace' })).toEqual([
      [workspaceId, nano(1_101n)],
    ])
    const [ofKey] = await store.books.usage({ keyId: second.keyId, groupBy: 'key' })
    expect(ofKey?.name).toBe((await store.directory.key(second.keyId))?.name)
    const [ofWorkspace] = await store.books.usage({ workspaceId, groupBy: 'workspace' })
    expect(ofWorkspace?.name).toBe((await store.directory.workspace(workspaceId))?.name)
    const day = { from: midnight, to: midnight + DAY_MS }
    expect(await charges({ workspaceId, ...day, groupBy: 'workspace' })).toEqual([[workspaceId, nano(110n)]])
    expect(await charges({ workspaceId: ids.workspace(), groupBy: 'day' })).toEqual([])
  })

  it('a ledger starts and ends with its own transfers, whatever cursor it is asked with', async () => {
    const store = given.store()
    const before = await createCustomer(store, 1n)
    const customer = await createCustomer(store, 10n)
    const after = await createCustomer(store, 2n)
    await store.till.settle(settlementOf(customer, await openCall(store, customer, 3n), 3n))
    const ledger = async (of: Customer, cursor?: string) => {
      const page = await store.books.ledger(of.workspaceId, {
        limit: 100,
        ...(cursor !== undefined && { cursor }),
      })
      return page.items.map(({ kind }) => kind)
    }
    const whole: TransferKind[] = ['charge', 'release', 'hold', 'topup']
    expect(await ledger(customer)).toEqual(whole)
    expect([await ledger(before), await ledger(after)]).toEqual([['topup'], ['topup']])
    const [foreign] = (await store.books.ledger(after.workspaceId, { limit: 1 })).items
    expect(await rejectionOf(ledger(customer, foreign?.id))).toBeInstanceOf(UnknownCursor)
    const newest = (await store.books.ledger(customer.workspaceId, { limit: 1 })).items[0]
    expect(await ledger(customer, newest?.id)).toEqual(whole.slice(1))
    expect(await rejectionOf(ledger(after, newest?.id))).toBeInstanceOf(UnknownCursor)
    expect(await ledger({ ...customer, workspaceId: ids.workspace() })).toEqual([])
    expect(await rejectionOf(ledger(customer, ids.transfer()))).toBeInstanceOf(UnknownCursor)
  })

  it('requests are listed newest first, page by page, of one workspace, key or model', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 10_000n)
    const { workspaceId, keyId } = customer
    const calls = []
    for (let i = 0; i < 5; i++) {
      // Two of them start in the same millisecond.
      const startedAt = NOON + (i === 4 ? 3 : i)
      const id = await openCall(store, customer, 1n, { at: startedAt })
      await store.till.settle(settlementOf(customer, id, 1n, { startedAt, model: `m/${i % 2}` }))
      calls.push({ id, startedAt })
    }
    const newestFirst = calls
      .toSorted((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id)
    const seen = []
    let cursor: string | undefined
    do {
      const query = { workspaceId, limit: 2, ...(cursor !== undefined && { cursor }) }
      const page = await store.books.requests(query)
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(seen).toEqual(newestFirst)
    expect((await store.books.requests({ keyId, limit: 100 })).items.length).toBe(5)
    expect((await store.books.requests({ keyId, model: 'm/1', limit: 100 })).items.length).toBe(2)
    expect((await store.books.requests({ limit: 1 })).items.length).toBe(1)
    expect(await store.books.receipt(ids.request('chatcmpl-'))).toBeUndefined()
    expect(await store.books.transfersOf(ids.request('chatcmpl-'))).toEqual([])
  })

  it('a key that was never used stands at nothing', async () => {
    const store = given.store()
    const { keyId } = await createCustomer(store)
    expect(await store.books.keyStanding(keyId, NOON)).toEqual({
      minuteUsed: 0,
      minuteResetAt: null,
      dayUsed: 0,
      monthSpent: nano(0n),
      monthHeld: nano(0n),
      openCalls: 0,
    })
  })
})

contract('restart', (given, it) => {
  it('everything is still there: money, holds, windows, records', async () => {
    const database = given.database()
    const before = await database.open()
    const customer = await createCustomer(before, 1_000n)
    const limits = { workspacePerMinute: 3 }
    const settled = await openCall(before, customer, 100n, { limits })
    await before.till.settle(settlementOf(customer, settled, 40n))
    const open = await openCall(before, customer, 100n, { limits })
    const receipt = await before.books.receipt(settled)
    await before.close()

    const after = await database.open()
    expect(await moneyOf(after, customer)).toEqual({ balance: nano(960n), held: nano(100n) })
    expect(await after.books.receipt(settled)).toEqual(receipt)
    expect(await after.till.admit(admissionOf(customer, 1n, { limits }))).toMatchObject({
      rate: { remaining: 0 },
    })
    expect((await after.till.admit(admissionOf(customer, 1n, { limits }))).kind).toBe('rate_limited')
    expect(await after.till.settle(settlementOf(customer, settled, 999n))).toMatchObject({ charge: 40n })
    expect(await after.till.settle(settlementOf(customer, open, 100n))).toMatchObject({ balance: 860n })
    await after.till.sweep(NOON + LEASE_MS)
    expect(await proveLedgers(after)).toBeGreaterThan(0)
    await after.close()
  })

  it('a store that is closed answers everything with StoreUnavailable', async () => {
    const store = await given.database().open()
    const customer = await createCustomer(store, 100n)
    await store.ping()
    await store.close()
    const asks: readonly (() => Promise<unknown>)[] = [
      () => store.ping(),
      () => store.till.admit(admissionOf(customer, 1n)),
      () => store.till.settle(settlementOf(customer, ids.request('chatcmpl-'), 1n)),
      () => store.till.sweep(NOON),
      () => store.books.credit(creditOf(customer)),
      () => store.books.receipt(ids.request('chatcmpl-')),
      () => store.directory.workspace(customer.workspaceId),
      () => store.answers.expire(0),
    ]
    for (const ask of asks) {
      const error: unknown = await ask().then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(error).toBeInstanceOf(StoreUnavailable)
    }
  })

  it('closing commits what is under way', async () => {
    const database = given.database()
    const store = await database.open()
    const customer = await createCustomer(store, 100n)
    const admitted = store.till.admit(admissionOf(customer, 30n))
    await Promise.all([admitted, store.close()])
    expect(await moneyOf(given.store(), customer)).toEqual({ balance: nano(100n), held: nano(30n) })
  })
})
