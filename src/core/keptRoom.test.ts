import { expect, test } from 'bun:test'
import { canBeFound, makeRoom, mayBeKept, NOTHING_KEPT, placesById, without } from './keptRoom.ts'
import { type ItemPlace, KEPT_RESPONSES_MAX } from './ports/keptResponses.ts'

const { perAnswer, perWorkspace, answersInChain } = KEPT_RESPONSES_MAX
const ONE = { bytes: 10, items: 1 }

test('an answer of the largest size after the longest chain is kept, and nothing beyond either', () => {
  expect(mayBeKept(perAnswer, answersInChain)).toBe(true)
  expect(mayBeKept({ ...perAnswer, bytes: perAnswer.bytes + 1 }, 1)).toBe(false)
  expect(mayBeKept({ ...perAnswer, items: perAnswer.items + 1 }, 1)).toBe(false)
  expect(mayBeKept(ONE, answersInChain + 1)).toBe(false)
})

test('any answer that may be kept fits into an empty workspace', () => {
  expect(makeRoom(NOTHING_KEPT, perAnswer, [])).toEqual({ gone: [], isEnough: true })
})

test('what fits drives nothing out; what does not drives out as few of the oldest as it can, whatever is short', () => {
  const oldest = ['a', 'b', 'c'].map((id) => ({ id, bytes: 10, items: 2 }))
  const [fullBytes, fullAnswers, fullItems] = [
    { answers: 3, bytes: perWorkspace.bytes, items: 6 },
    { answers: perWorkspace.answers, bytes: 30, items: 6 },
    { answers: 3, bytes: 30, items: perWorkspace.items },
  ]
  for (const sums of [fullBytes, fullAnswers, fullItems]) {
    expect(makeRoom(without(sums, [{ bytes: 10, items: 2 }]), ONE, oldest).gone).toEqual([])
    expect(makeRoom(sums, ONE, oldest)).toEqual({ gone: oldest.slice(0, 1), isEnough: true })
  }
  expect(makeRoom(fullBytes, { bytes: 11, items: 0 }, oldest).gone).toHaveLength(2)
  expect(makeRoom(fullItems, { bytes: 0, items: 5 }, oldest).gone).toHaveLength(3)
  expect(makeRoom(fullItems, { bytes: 0, items: 7 }, oldest)).toEqual({ gone: oldest, isEnough: false })
})

test("an item is found under an id once: a model's before a caller's, of those the last", () => {
  const items: ItemPlace[] = [
    { id: 'a', from: 'input', place: 0 },
    { id: 'b', from: 'output', place: 1 },
    { id: 'b', from: 'input', place: 2 },
    { id: 'a', from: 'input', place: 3 },
    { id: 'a b', from: 'input', place: 4 },
    { id: 'é', from: 'output', place: 5 },
  ]
  expect(placesById(items)).toEqual([
    { id: 'a', from: 'input', place: 3 },
    { id: 'b', from: 'output', place: 1 },
  ])
  expect(['rs_1', 'fc/1+2==|x', 'x'.repeat(200)].every(canBeFound)).toBe(true)
  expect(['', 'x'.repeat(201), 'a\n', 'a\0'].some(canBeFound)).toBe(false)
})
