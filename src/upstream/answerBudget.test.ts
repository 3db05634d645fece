import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { UNCOUNTED_BYTES, createAnswerBudget } from './answerBudget.ts'

const MAX = 10 * UNCOUNTED_BYTES

const budgetOf = (max = MAX) =>
  createAnswerBudget(
    () => max,
    () => undefined,
  )

test('whatever calls keep and release, they never have more than the limit together, and room is never lost', () => {
  const act = fc.record({ call: fc.nat(5), bytes: fc.nat(4 * UNCOUNTED_BYTES), release: fc.boolean() })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const budget = budgetOf()
      const shares = Array.from({ length: 6 }, () => budget.open())
      const kept = shares.map(() => 0)
      for (const { call, bytes, release } of acts) {
        const before = budget.bytes
        if (release) {
          shares[call]?.release()
          kept[call] = 0
        } else if (shares[call]?.keep(bytes) === true) kept[call] = bytes
        else expect(budget.bytes).toBe(before)
        const counted = kept.filter((own) => own > UNCOUNTED_BYTES).reduce((sum, own) => sum + 2 * own, 0)
        expect(budget.bytes).toBe(counted)
        expect(budget.bytes).toBeLessThanOrEqual(MAX)
      }
      for (const share of shares) share.release()
      expect(budget.bytes).toBe(0)
    }),
  )
})

test('an ordinary answer has room where there is none', () => {
  const budget = budgetOf(0)
  expect(budget.open().keep(UNCOUNTED_BYTES)).toBe(true)
  expect(budget.open().keep(UNCOUNTED_BYTES + 1)).toBe(false)
})
