import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { WorkspaceId } from '../core/id.ts'
import {
  type AnswerShare,
  NO_ROOM,
  NO_SHARE,
  SMALL_ANSWERS_BYTES,
  SMALL_ANSWER_BYTES,
  UNCOUNTED_BYTES,
  createAnswerBudget,
} from './answerBudget.ts'

const MIB = 1024 * 1024
const MAX = 32 * UNCOUNTED_BYTES

const idOf = (number: number) => `ws_${number}` as WorkspaceId

const budgetOf = (max = MAX, smallBytesMax = 0) =>
  createAnswerBudget(
    () => max,
    () => undefined,
    smallBytesMax,
  )

const weightOf = (bytes: number): number => (bytes > UNCOUNTED_BYTES ? 2 * bytes : 0)

/** Opens calls that each keep so many bytes, until one finds no room. */
function fill(open: () => AnswerShare, bytes: number): number {
  let count = 0
  while (open().keep(bytes) === undefined) count += 1
  return count
}

test('whatever calls keep and release, no workspace takes more than it leaves free, and room is never lost', () => {
  const act = fc.record({ call: fc.nat(5), bytes: fc.nat(8 * UNCOUNTED_BYTES), release: fc.boolean() })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), fc.constantFrom(0, MAX), (acts, smallBytesMax) => {
      const budget = budgetOf(MAX, smallBytesMax)
      // Two calls of each workspace.
      const shares = Array.from({ length: 6 }, (_, call) => budget.open(idOf(call >> 1)))
      const kept = shares.map(() => 0)
      for (const { call, bytes, release } of acts) {
        const before = budget.bytes
        if (release) {
          shares[call]?.release()
          kept[call] = 0
        } else if (shares[call]?.keep(bytes) === undefined) kept[call] = weightOf(bytes)
        else expect(budget.bytes).toBe(before)
        const total = kept.reduce((sum, own) => sum + own, 0)
        expect(budget.bytes).toBe(total)
        const ofWorkspace = (kept[call] ?? 0) + (kept[call ^ 1] ?? 0)
        if (smallBytesMax === 0 && (kept[call] ?? 0) > 0 && !release && budget.bytes > before)
          expect(ofWorkspace).toBeLessThanOrEqual(MAX - total)
      }
      for (const share of shares) share.release()
      expect(budget.bytes).toBe(0)
    }),
  )
})

test('an ordinary answer has room where there is none', () => {
  const share = budgetOf(0).open(idOf(0))
  expect(share.keep(UNCOUNTED_BYTES)).toBeUndefined()
  expect(share.keep(UNCOUNTED_BYTES + 1)).toBeDefined()
})

test("one workspace's large answers leave half of the room to another, and all of the room for small ones", () => {
  const budget = budgetOf(256 * MIB, SMALL_ANSWERS_BYTES)
  expect(fill(() => budget.open(idOf(0)), 13 * MIB)).toBe(4)
  expect(budget.bytes).toBeLessThanOrEqual(128 * MIB)
  expect(budget.open(idOf(1)).keep(3 * MIB)).toBeUndefined()
  const small = fill(() => budget.open(idOf(2)), SMALL_ANSWER_BYTES)
  expect(small).toBeGreaterThanOrEqual(SMALL_ANSWERS_BYTES / 2 / (2 * SMALL_ANSWER_BYTES))
})

test('many workspaces with large answers leave the room for small ones', () => {
  const budget = budgetOf(64 * MIB, SMALL_ANSWERS_BYTES)
  for (let number = 1; number < 20; number++) fill(() => budget.open(idOf(number)), MIB)
  const share = budget.open(idOf(0))
  expect(share.keep(MIB)).toBe(NO_ROOM)
  expect(share.keep(SMALL_ANSWER_BYTES)).toBeUndefined()
})

test('an answer that outgrows the small ones moves to the room of all, with all that it keeps', () => {
  const budget = budgetOf(8 * MIB, MIB)
  const growing = budget.open(idOf(0))
  expect(growing.keep(SMALL_ANSWER_BYTES)).toBeUndefined()
  expect(growing.keep(MIB)).toBeUndefined()
  expect(budget.bytes).toBe(2 * MIB)
  // The small ones have their room back.
  expect(fill(() => budget.open(idOf(0)), SMALL_ANSWER_BYTES)).toBe(1 + 4)
})

test("an answer without room says whether its own workspace's answers are in the way, or those of others", () => {
  const budget = budgetOf(12 * MIB)
  // Larger than any share, and beside one of its own workspace.
  expect(budget.open(idOf(0)).keep(4 * MIB)).toBe(NO_SHARE)
  expect(budget.open(idOf(0)).keep(2 * MIB)).toBeUndefined()
  expect(budget.open(idOf(0)).keep(2 * MIB)).toBe(NO_SHARE)
  // Alone in its workspace, beside that of another.
  expect(budget.open(idOf(1)).keep(3 * MIB)).toBe(NO_ROOM)
  expect(budget.open(idOf(1)).keep(MIB)).toBeUndefined()
})
