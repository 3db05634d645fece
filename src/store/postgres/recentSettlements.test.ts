import { expect, test } from 'bun:test'
import type { RequestId } from '../../core/id.ts'
import { type Nano, nano, ZERO } from '../../core/money.ts'
import { type Settlement, StoreUnavailable } from '../../core/ports/till.ts'
import { freeSettlementOf, ids, settlementOf } from '../../../test/contract/customer.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { createRecentSettlements, type SettledAgain } from './recentSettlements.ts'

const CUSTOMER = { workspaceId: ids.workspace(), keyId: ids.key() }

/** A server that can be exchanged, with what is settled in its books. */
function startServer({ sizeMax = 100 } = {}) {
  const state = {
    name: 'first',
    at: 0,
    isAway: false,
    books: new Map<RequestId, Nano>(),
    refuses: new Set<RequestId>(),
    reports: [] as SettledAgain[],
    faults: [] as unknown[],
  }
  const reach = () => {
    if (state.isAway) throw new StoreUnavailable('away')
  }
  const recent = createRecentSettlements({
    now: () => state.at,
    async server() {
      reach()
      return state.name
    },
    async settle({ id, cost, refunds }) {
      reach()
      if (state.refuses.has(id)) throw new Error('no workspace')
      const earlier = state.books.get(id)
      const repeated = refunds ? earlier === ZERO : earlier !== undefined
      if (!repeated) state.books.set(id, cost)
      return { charge: cost, writeoff: ZERO, balance: ZERO, ...(repeated && { repeated }) }
    },
    onAgain: (again) => void state.reports.push(again),
    onFault: (fault) => void state.faults.push(fault),
    sizeMax,
  })
  function settleHere(settlement: Settlement): RequestId {
    state.books.set(settlement.id, settlement.cost)
    recent.remember(settlement)
    return settlement.id
  }
  return {
    state,
    recent,
    settleHere,
    pay: (cost: bigint) => settleHere(settlementOf(CUSTOMER, ids.request('chatcmpl-'), cost)),
  }
}

test('nothing is settled again while the same server answers', async () => {
  const { state, recent, pay } = startServer()
  await recent.look()
  pay(1n)
  state.books.clear()
  await recent.look()
  expect(state.books.size).toBe(0)
  recent.close()
})

test('what another server has is not settled there again', async () => {
  const { state, recent, pay } = startServer()
  await recent.look()
  pay(1n)
  const lost = pay(2n)
  state.books.delete(lost)
  state.name = 'second'
  await recent.look()
  expect(state.reports).toEqual([{ settled: 1, charged: nano(2n), writtenOff: ZERO, failed: [] }])
  await recent.look()
  expect(state.reports).toHaveLength(1)
  recent.close()
})

test('a refund that another server does not have is made there again', async () => {
  const { state, recent, settleHere, pay } = startServer()
  await recent.look()
  const id = pay(5n)
  settleHere(freeSettlementOf(CUSTOMER, id))
  state.books.set(id, nano(5n))
  state.name = 'second'
  await recent.look()
  expect(state.books.get(id)).toBe(ZERO)
  recent.close()
})

test('the last minute is remembered, and an outage does not count', async () => {
  const { state, recent, pay } = startServer()
  await recent.look()
  const forgotten = pay(1n)
  state.at = 30_000
  const kept = pay(2n)
  state.at = 61_000
  await recent.look()
  state.isAway = true
  state.at = 500_000
  expect(await rejectionOf(recent.look())).toBeInstanceOf(StoreUnavailable)
  Object.assign(state, { isAway: false, name: 'second', books: new Map() })
  await recent.look()
  expect([...state.books.keys()]).toEqual([kept])
  expect(state.books.has(forgotten)).toBe(false)
  recent.close()
})

test('of more than can be remembered the newest are', async () => {
  const { state, recent, pay } = startServer({ sizeMax: 3 })
  await recent.look()
  const paid = [1n, 2n, 3n, 4n, 5n].map(pay)
  Object.assign(state, { name: 'second', books: new Map() })
  await recent.look()
  expect([...state.books.keys()]).toEqual(paid.slice(-3))
  recent.close()
})

test('what could not be settled again because the server went away is settled at the next look', async () => {
  const { state, recent, pay } = startServer()
  await recent.look()
  const id = pay(1n)
  Object.assign(state, { name: 'second', books: new Map(), isAway: true })
  expect(await rejectionOf(recent.look())).toBeInstanceOf(StoreUnavailable)
  state.isAway = false
  await recent.look()
  expect([...state.books.keys()]).toEqual([id])
  recent.close()
})

test('one that the other books do not take keeps no other out, and is named', async () => {
  const { state, recent, pay } = startServer()
  await recent.look()
  const [lost, own] = [pay(1n), pay(3n)]
  Object.assign(state, { name: 'second', books: new Map(), refuses: new Set([lost]) })
  await recent.look()
  await recent.look()
  expect([...state.books.keys()]).toEqual([own])
  expect(state.reports).toEqual([{ settled: 1, charged: nano(3n), writtenOff: ZERO, failed: [lost] }])
  expect(state.faults).toHaveLength(1)
  recent.close()
})

test('what a restore overwrites that is under way is settled again when it is over', async () => {
  const { state, recent, pay } = startServer()
  await recent.look()
  const id = pay(1n)
  Object.assign(state, { name: 'second', books: new Map() })
  await recent.look()
  Object.assign(state, { name: 'third', books: new Map() })
  await recent.look()
  expect([...state.books.keys()]).toEqual([id])
  recent.close()
})
