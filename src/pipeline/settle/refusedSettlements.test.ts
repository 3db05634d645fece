import { expect, test } from 'bun:test'
import type { RequestId } from '../../core/id.ts'
import { REFUSED_LIMIT_MS, createRefusedSettlements } from './refusedSettlements.ts'

const [A, B, C] = ['chatcmpl-a', 'chatcmpl-b', 'chatcmpl-c'].map((id) => id as RequestId) as [
  RequestId,
  RequestId,
  RequestId,
]
const LATE = REFUSED_LIMIT_MS + 1

test('settlements of several calls that are refused for longer than the limit stop admissions, until one is taken', () => {
  const refusals = createRefusedSettlements()
  refusals.refused(A, 0)
  refusals.refused(B, 9_000)
  expect(refusals.stuck(REFUSED_LIMIT_MS)).toBe(false)
  expect(refusals.stuck(LATE)).toBe(true)
  refusals.taken(A)
  expect(refusals.stuck(LATE)).toBe(false)
  refusals.refused(C, LATE)
  refusals.refused(B, 2 * LATE)
  expect(refusals.stuck(2 * LATE)).toBe(false)
})

test('one call alone stops nothing, however long it is refused', () => {
  const refusals = createRefusedSettlements()
  for (let at = 0; at < 10 * LATE; at += 1_000) refusals.refused(A, at)
  expect(refusals.stuck(10 * LATE)).toBe(false)
})

test('when nothing is tried any longer, calls are admitted again: only they can show how the database is', () => {
  const refusals = createRefusedSettlements()
  refusals.refused(A, 0)
  refusals.refused(B, LATE)
  refusals.givenUp(A)
  refusals.givenUp(B)
  expect(refusals.stuck(LATE + REFUSED_LIMIT_MS)).toBe(true)
  expect(refusals.stuck(2 * LATE + REFUSED_LIMIT_MS)).toBe(false)
})

test('a call that is refused for longer than the limit, while others are taken, is set aside once', () => {
  const refusals = createRefusedSettlements()
  expect(refusals.refused(A, 0)).toEqual({ first: true, setAside: false })
  expect(refusals.refused(A, LATE)).toEqual({ first: false, setAside: false })
  refusals.taken(B)
  expect(refusals.refused(A, 2 * LATE)).toEqual({ first: false, setAside: true })
  expect(refusals.refused(A, 3 * LATE)).toEqual({ first: false, setAside: false })
  expect(refusals.refused(C, 3 * LATE)).toEqual({ first: true, setAside: false })
})
