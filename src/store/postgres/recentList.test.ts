import { expect, test } from 'bun:test'
import { freeSettlementOf, ids, settlementOf } from '../../../test/contract/customer.ts'
import { createRecentList } from './recentList.ts'

const CUSTOMER = { workspaceId: ids.workspace(), keyId: ids.key() }
const SIZE_MAX = 10_000

function settlements(count: number) {
  return Array.from({ length: count }, (_, at) => ({
    settlement: settlementOf(CUSTOMER, ids.request('chatcmpl-'), BigInt(at)),
    at,
  }))
}

test('the newest are there as they were, in their order, however many have come', () => {
  const list = createRecentList(SIZE_MAX)
  const given = settlements(25_003)
  for (const [i, remembered] of given.entries()) {
    list.add(remembered)
    if (i === 2_503) expect(list.all()).toEqual(given.slice(0, i + 1))
  }
  const kept = list.all()
  expect(kept.length).toBeWithin(SIZE_MAX - 500, SIZE_MAX + 1)
  expect(kept).toEqual(given.slice(-kept.length))
})

test('what is old is forgotten, and what is not stays', () => {
  const list = createRecentList(SIZE_MAX)
  const given = settlements(5_000)
  for (const remembered of given) list.add(remembered)
  list.forget(2_000)
  const kept = list.all()
  expect(kept.length).toBeWithin(2_999, 3_250)
  expect(kept).toEqual(given.slice(-kept.length))
  list.forget(4_999)
  expect(list.isEmpty()).toBe(true)
})

test('of a call that was refunded the refund alone is there', () => {
  const list = createRecentList(SIZE_MAX)
  const given = settlements(3_000)
  for (const remembered of given) list.add(remembered)
  const [first] = given
  if (!first) throw new Error('expected some')
  const refund = { settlement: freeSettlementOf(CUSTOMER, first.settlement.id), at: 3_000 }
  list.add(refund)
  const kept = list.all()
  expect(kept).toHaveLength(3_000)
  expect(kept.at(-1)).toEqual(refund)
})
