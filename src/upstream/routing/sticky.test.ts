import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { hashText, raceTime, stickyUnit } from './sticky.ts'

const TARGETS = ['a/one', 'b/one', 'c/one', 'd/one', 'e/one'].map(hashText)

function winnerOf(key: number, targets: readonly number[], weights: readonly number[] = []): number {
  const times = targets.map((target, index) => raceTime(stickyUnit(key, target), weights[index] ?? 1))
  return targets[times.indexOf(Math.min(...times))] ?? 0
}

test('units lie above 0 and up to 1', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (key, target) => {
      const unit = stickyUnit(hashText(key), hashText(target))
      expect(unit).toBeGreaterThan(0)
      expect(unit).toBeLessThanOrEqual(1)
      expect(raceTime(unit, 1)).toBeGreaterThanOrEqual(0)
    }),
  )
})

test('a target that leaves moves only those who had chosen it', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat({ max: TARGETS.length - 1 }), (text, gone) => {
      const key = hashText(text)
      const before = winnerOf(key, TARGETS)
      const left = TARGETS.filter((_, index) => index !== gone)
      const after = winnerOf(key, left)
      if (before !== TARGETS[gone]) expect(after).toBe(before)
      else expect(left).toContain(after)
    }),
  )
})

test('keys are spread as the weights say', () => {
  const weights = [5, 3, 1, 1, 0.001]
  const wins = TARGETS.map(() => 0)
  const keys = 20_000
  for (let i = 0; i < keys; i++) {
    const winner = TARGETS.indexOf(winnerOf(hashText(`user-${i}`), TARGETS, weights))
    wins[winner] = (wins[winner] ?? 0) + 1
  }
  const shares = wins.map((count) => count / keys)
  expect(shares[0]).toBeWithin(0.48, 0.52)
  expect(shares[1]).toBeWithin(0.28, 0.32)
  expect(shares[2]).toBeWithin(0.08, 0.12)
  expect(shares[3]).toBeWithin(0.08, 0.12)
  expect(shares[4]).toBeLessThan(0.01)
})
