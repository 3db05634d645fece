import { describe, expect, test } from 'bun:test'
import { WIRE_FORMAT_IDS } from '../../src/wire/formats.ts'
import type { WatchedView } from './callerView.ts'
import { cellOf } from './rule.ts'
import { RULES } from './rules/rules.ts'

/** Of all rules, how many may be such that callers of a format say and read nothing of them. */
const ELSEWHERE_MAX = 0.15

/**
 * Tries every rule with every format as callers of another format than chat completions.
 *
 * @param title of the callers' format
 * @param elsewhere rules in which they say and read nothing, each with the reason
 */
export function testRulesFor(
  title: string,
  view: () => WatchedView,
  elsewhere: Readonly<Record<string, string>>,
): void {
  for (const { name, except = {}, check } of RULES) {
    describe(`for callers of ${title}, ${name}`, () => {
      for (const id of WIRE_FORMAT_IDS) {
        if (except[id] !== undefined) continue
        test(id, () => {
          const watched = view()
          check(cellOf(id, watched))
          expect(watched.took).toBe(elsewhere[name] === undefined)
        })
      }
    })
  }

  test(`what callers of ${title} say and read nothing of is a rule and says why, and there is little of it`, () => {
    const names = RULES.map(({ name }) => name)
    expect(Object.keys(elsewhere).length / names.length).toBeLessThan(ELSEWHERE_MAX)
    for (const [name, reason] of Object.entries(elsewhere)) {
      expect(names).toContain(name)
      expect(reason.length).toBeGreaterThan(15)
    }
  })
}
