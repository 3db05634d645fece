import { describe, expect, test } from 'bun:test'
import { WIRE_FORMAT_IDS, type WireFormatId } from '../../src/wire/formats.ts'
import { cellOf } from './rule.ts'
import { RULES } from './rules/rules.ts'

/** Of all cells, how many may be such that the case cannot happen there. */
const EXCEPTIONS_MAX = 0.15

for (const { name, except = {}, check } of RULES) {
  describe(name, () => {
    for (const id of WIRE_FORMAT_IDS) {
      if (except[id] === undefined) test(id, () => check(cellOf(id)))
    }
  })
}

describe('the table', () => {
  test('has each rule once', () => {
    expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length)
  })

  test('says why a cell is empty, and has few of them', () => {
    const reasons = RULES.flatMap(({ except = {} }) => Object.values(except))
    for (const reason of reasons) expect(reason.length).toBeGreaterThan(20)
    expect(reasons.length / (RULES.length * WIRE_FORMAT_IDS.length)).toBeLessThan(EXCEPTIONS_MAX)
  })

  test('says of no format that a case cannot happen in which the column has it', () => {
    const kept = RULES.flatMap(({ name, except = {}, check }) =>
      Object.keys(except).flatMap((id) =>
        passes(() => check(cellOf(id as WireFormatId))) ? [`${id}: ${name}`] : [],
      ),
    )
    expect(kept).toEqual([])
  })
})

function passes(check: () => void): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}
