import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { EMPTY_LEDGER, type Ledger, replay, step } from '../../test/support/ledgerReplay.ts'
import type { RequestId, TransferId } from './id.ts'
import { EMPTY_TALLY, availableOf, balanceEffect, heldEffect, mustPost, post, tally } from './ledger.ts'
import { NANO_MAX, nano, type Nano } from './money.ts'
import type { Transfer, TransferKind } from './ports/books.ts'

const KINDS: readonly TransferKind[] = [
  'topup',
  'hold',
  'extend',
  'charge',
  'release',
  'refund',
  'adjust',
  'writeoff',
]
const CALL = 'chatcmpl-1' as RequestId

type Line = Pick<Transfer, 'kind' | 'amount' | 'requestId'>

function line(kind: TransferKind, amount: bigint, requestId: string | null = CALL): Line {
  return { kind, amount: nano(amount), requestId: requestId as RequestId | null }
}

const anyLine: fc.Arbitrary<Line> = fc
  .tuple(fc.constantFrom(...KINDS), fc.bigInt(0n, 40n), fc.constantFrom('a', 'b', 'c', null))
  .map(([kind, amount, id]) => line(kind, amount, id))

test('law: whatever is asked of a ledger, held is the sum of its holds and never above the balance', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 60 }), (lines) => {
      let ledger: Ledger = EMPTY_LEDGER
      for (const each of lines) {
        const after = step(ledger, each)
        if (typeof after === 'string') continue
        ledger = after
        const open = [...ledger.holds.values()].reduce((sum, amount) => sum + amount, 0n)
        expect(ledger.held).toBe(nano(open))
        expect(0n <= ledger.held && ledger.held <= ledger.balance).toBe(true)
      }
    }),
  )
})

test('law: the sum of the effects is the state, and a replay gives it again', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 60 }), (lines) => {
      let ledger: Ledger = EMPTY_LEDGER
      const accepted: Line[] = []
      for (const each of lines) {
        const after = step(ledger, each)
        if (typeof after === 'string') continue
        ledger = after
        accepted.push(each)
      }
      const sum = (effect: (kind: TransferKind, amount: Nano) => Nano) =>
        nano(accepted.reduce((total, { kind, amount }) => total + effect(kind, amount), 0n))
      expect(sum(balanceEffect)).toBe(ledger.balance)
      expect(sum(heldEffect)).toBe(ledger.held)
      expect(replay(accepted)).toEqual(ledger)
    }),
  )
})

test('law: a refused transfer is refused for its reason, an accepted one has exactly its effect', () => {
  const account = fc
    .tuple(fc.bigInt(0n, 100n), fc.bigInt(0n, 100n))
    .map(([free, held]) => ({ balance: nano(free + held), held: nano(held) }))
  fc.assert(
    fc.property(account, fc.constantFrom(...KINDS), fc.bigInt(0n, 150n), (account, kind, amount) => {
      const after = post(account, kind, nano(amount))
      if (after === 'insufficient') {
        expect(['adjust', 'charge', 'hold', 'extend']).toContain(kind)
        expect(amount > availableOf(account)).toBe(true)
      } else if (after === 'not_held') {
        expect(kind).toBe('release')
        expect(amount > account.held).toBe(true)
      } else if (typeof after !== 'string') {
        expect(after.balance - account.balance).toBe(balanceEffect(kind, nano(amount)))
        expect(after.held - account.held).toBe(heldEffect(kind, nano(amount)))
      }
    }),
  )
})

test('a balance beyond 64 bits is refused, not wrapped', () => {
  expect(post({ balance: NANO_MAX, held: nano(0n) }, 'topup', nano(1n))).toBe('too_large')
  expect(post({ balance: nano(NANO_MAX - 1n), held: nano(0n) }, 'topup', nano(1n))).toMatchObject({
    balance: NANO_MAX,
  })
})

test('an amount below zero is a bug, and so is a posting that was to be sure', () => {
  const account = { balance: nano(10n), held: nano(0n) }
  expect(() => post(account, 'charge', nano(-1n))).toThrow('unsigned')
  expect(() => mustPost(account, 'charge', nano(11n))).toThrow('refuses a charge')
})

test('a tally finds the first transfer whose balance is not the sum so far', () => {
  const transfers = [
    { id: 'tr_1' as TransferId, kind: 'topup', amount: nano(100n), balance: nano(100n) },
    { id: 'tr_2' as TransferId, kind: 'charge', amount: nano(30n), balance: nano(71n) },
    { id: 'tr_3' as TransferId, kind: 'charge', amount: nano(1n), balance: nano(69n) },
    { id: 'tr_4' as TransferId, kind: 'charge', amount: nano(1n), balance: nano(67n) },
  ] as const
  let sum = EMPTY_TALLY
  for (const transfer of transfers) sum = tally(sum, transfer)
  expect(sum).toMatchObject({ transfers: 4, balance: nano(68n), held: nano(0n), brokenAt: 'tr_2' })
})
