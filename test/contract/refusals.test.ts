import { expect } from 'bun:test'
import { refuse } from '../../src/core/error.ts'
import { createIdSource, type RequestId } from '../../src/core/id.ts'
import type { RefusalCount, RefusedCall } from '../../src/core/ports/refusals.ts'
import {
  COUNTED_DAYS,
  KEEP_REFUSED_MS,
  KEPT_PER_KEY,
  dayOf,
  describeRefusal,
} from '../../src/core/refusedCalls.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { rejectionOf } from '../support/rejection.ts'
import { contract } from './contract.ts'
import { NOON, createCustomer, openCall, settlementOf, type Customer } from './customer.ts'

const MINUTE_MS = 60_000

function idAt(at: number): RequestId {
  return createIdSource(
    () => at,
    (bytes) => void crypto.getRandomValues(bytes),
  ).request('chatcmpl-')
}

function callOf(customer: Customer, at = NOON, more: Partial<RefusedCall> = {}): RefusedCall {
  const refusal = refuse('model_not_found', 'The model "naïve \\" \'x\' \u{1F600}" does not exist.', {
    param: 'model',
  })
  return {
    ...customer,
    id: idAt(at),
    at,
    ...describeRefusal(refusal, { model: 'acme/none', address: '203.0.113.7' }, (text) => text),
    ...more,
  }
}

const callsAt = (customer: Customer, at: number, count: number) =>
  Array.from({ length: count }, () => callOf(customer, at))

async function keptOf(store: Store, calls: readonly RefusedCall[]): Promise<number> {
  const found = await Promise.all(calls.map(({ id }) => store.refusals.find(id)))
  return found.filter((call) => call !== undefined).length
}

contract('refused calls', (given, it) => {
  it('are found as they were, with everything and with nothing to tell', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const whole = callOf(customer)
    const bare = callOf(customer, NOON, { param: null, model: null, address: null })
    await store.refusals.keep([whole, bare])
    expect(await store.refusals.find(whole.id)).toEqual(whole)
    expect(await store.refusals.find(bare.id)).toEqual(bare)
    expect(await store.refusals.find(idAt(NOON))).toBeUndefined()
  })

  it('are counted by day and code, whoever brings them', async () => {
    const store = given.store()
    const { keyId } = await createCustomer(store)
    const other = await createCustomer(store)
    const day = dayOf(NOON)
    const counts: RefusalCount[] = [
      { keyId, day, code: 'rate_limit_exceeded', refused: 100 },
      { keyId, day, code: 'invalid_request', refused: 10 },
      { keyId: other.keyId, day, code: 'invalid_request', refused: 1 },
      { keyId, day: day - 1, code: 'invalid_request', refused: 3 },
      { keyId, day: day - COUNTED_DAYS, code: 'invalid_request', refused: 5 },
    ]
    await Promise.all([counts, counts.toReversed(), counts, []].map((some) => store.refusals.count(some)))
    expect(await store.refusals.tally(keyId, NOON)).toEqual({
      counts: [
        { day, code: 'invalid_request', refused: 30 },
        { day, code: 'rate_limit_exceeded', refused: 300 },
        { day: day - 1, code: 'invalid_request', refused: 9 },
      ],
      kept: 0,
    })
  })

  it('of a key are its newest, up to the bound, whoever brings them; those of others stay', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const other = await createCustomer(store)
    const theirs = callsAt(other, NOON, 1)
    await store.refusals.keep(theirs)
    const minutes = Array.from({ length: 6 }, (_, i) => callsAt(customer, NOON + i * MINUTE_MS, 50))
    const processes = [minutes.slice(0, 3), minutes.slice(3)]
    await Promise.all(
      processes.map(async (some) => {
        for (const calls of some) await store.refusals.keep([...calls, ...callsAt(other, NOON, 1)])
      }),
    )
    // What two processes were about to delete at the same time the next one deletes.
    const last = callsAt(customer, NOON + 10 * MINUTE_MS, 50)
    await store.refusals.keep(last)
    const newest = [...minutes.flat(), ...last].slice(-KEPT_PER_KEY)
    expect(await keptOf(store, newest)).toBe(KEPT_PER_KEY)
    expect(await store.refusals.tally(customer.keyId, NOON)).toEqual({ counts: [], kept: KEPT_PER_KEY })
    expect(await store.refusals.tally(other.keyId, NOON)).toEqual({ counts: [], kept: 7 })
    expect(await keptOf(store, theirs)).toBe(1)
    await store.refusals.keep([])
  })
})

contract('the list of failed calls', (given, it) => {
  async function settled(store: Store, customer: Customer, at: number, status: number): Promise<RequestId> {
    const id = await openCall(store, customer, 10n, { id: idAt(at), at })
    await store.till.settle(settlementOf(customer, id, 0n, { status, startedAt: at, endedAt: at + 1 }))
    return id
  }

  /** Every page, two at a time. */
  async function idsOf(store: Store, query: object): Promise<string[]> {
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.books.failedRequests({
        limit: 2,
        ...query,
        ...(cursor !== undefined && { cursor }),
      })
      ids.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return ids
  }

  it('has refused calls and failed ones in one order, page by page, however it is narrowed down', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000_000n)
    const other = await createCustomer(store, 1_000_000n)
    const expected: string[] = []
    for (let i = 0; i < 9; i++) {
      const at = NOON + i * 1_000
      if (i % 3 === 0) {
        expected.unshift(await settled(store, customer, at, 502))
        await settled(store, customer, at, 200)
      } else {
        const call = callOf(customer, at)
        expected.unshift(call.id)
        await store.refusals.keep([call])
      }
    }
    const strange = callOf(other, NOON + 4_500, { model: 'acme/other' })
    await store.refusals.keep([strange])
    const all = [...expected.slice(0, 4), strange.id, ...expected.slice(4)]
    expect(await idsOf(store, {})).toEqual(all)
    expect(await idsOf(store, { workspaceId: customer.workspaceId })).toEqual(expected)
    expect(await idsOf(store, { keyId: customer.keyId })).toEqual(expected)
    const time = { from: NOON + 2_000, to: NOON + 7_000 }
    expect(await idsOf(store, time)).toEqual(all.slice(2, 8))
    expect(await idsOf(store, { ...time, keyId: customer.keyId })).toEqual(expected.slice(2, 7))
    expect(await idsOf(store, { model: 'x', modelNames: ['x', 'acme/other'] })).toEqual([strange.id])
    expect(String(await rejectionOf(store.books.failedRequests({ limit: 2, cursor: idAt(NOON) })))).toContain(
      'cursor',
    )
  })

  it('leaves the list of receipts as it is, which can be narrowed down by time too', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000_000n)
    const at = NOON + 86_400_000
    const ids: string[] = []
    for (let i = 0; i < 4; i++) ids.unshift(await settled(store, customer, at + i * 1_000, 200))
    await store.refusals.keep([callOf(customer, at)])
    for (const narrowed of [{ workspaceId: customer.workspaceId }, {}]) {
      const listed = await store.books.requests({ limit: 9, from: at + 1_000, to: at + 3_000, ...narrowed })
      expect(listed.items.map(({ id }) => String(id))).toEqual(ids.slice(1, 3))
    }
  })
})

contract('forgetting refused calls', (given, it) => {
  it('deletes those that were kept for seven days and their counts, and nothing else', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const old = Array.from({ length: 15 }, (_, i) => callsAt(customer, NOON + i * MINUTE_MS, 10))
    for (const calls of old) await store.refusals.keep(calls)
    const young = callsAt(customer, NOON + 60 * MINUTE_MS, 3)
    await store.refusals.keep(young)
    const { keyId } = customer
    await store.refusals.count([{ keyId, day: dayOf(NOON), code: 'model_not_found', refused: 153 }])
    expect((await store.refusals.tally(keyId, NOON)).counts).toHaveLength(1)
    const at = NOON + 60 * MINUTE_MS + KEEP_REFUSED_MS
    expect(await store.refusals.forget(at)).toBe(150)
    expect(await keptOf(store, young)).toBe(3)
    expect(await store.refusals.tally(keyId, NOON)).toEqual({ counts: [], kept: 3 })
    expect(await store.refusals.forget(at + 1)).toBe(3)
    expect(await store.refusals.forget(at + 1)).toBe(0)
  })
})
