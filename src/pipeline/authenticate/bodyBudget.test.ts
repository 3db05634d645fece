import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { KeyId } from '../../core/id.ts'
import { type BodyShare, createBodyBudget } from './bodyBudget.ts'

const LIMITS = { process: 100, key: 40 }
const KEYS = ['key_a', 'key_b', 'key_c', 'key_d'].map((id) => id as KeyId)

test('whatever is taken and given back, neither a key nor the process has more than its limit, and room is never lost', () => {
  const act = fc.record({ key: fc.nat({ max: 3 }), bytes: fc.nat({ max: 30 }), release: fc.boolean() })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const budget = createBodyBudget(
        () => LIMITS,
        () => undefined,
      )
      const open: { key: number; share: BodyShare; own: number }[] = []
      const sumOf = (found: typeof open) => found.reduce((sum, { own }) => sum + own, 0)
      for (const { key, bytes, release } of acts) {
        if (release) {
          const call = open.shift()
          call?.share.release()
          call?.share.release()
        } else {
          const share = budget.open(KEYS[key] as KeyId)
          const ofKey = sumOf(open.filter((call) => call.key === key))
          const fits = ofKey + bytes <= LIMITS.key && sumOf(open) + bytes <= LIMITS.process
          expect(share.take(bytes)).toBe(fits)
          open.push({ key, share, own: fits ? bytes : 0 })
        }
        expect(budget.bytes).toBe(sumOf(open))
      }
      for (const { share } of open) share.release()
      expect(budget.bytes).toBe(0)
      expect(budget.open(KEYS[0] as KeyId).take(LIMITS.key)).toBe(true)
    }),
  )
})
