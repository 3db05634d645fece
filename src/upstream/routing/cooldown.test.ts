import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { Cooldown } from './cooldown.ts'
import { ASKED_MAX_MS, LIMITED_FIRST_MS, REFUSED_FIRST_MS, REFUSED_MAX_MS } from './effect.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const REFUSED = { firstMs: REFUSED_FIRST_MS, maxMs: REFUSED_MAX_MS, firm: true }
const GUESS = { firstMs: LIMITED_FIRST_MS, maxMs: LIMITED_FIRST_MS, firm: false }

describe('a cooldown', () => {
  test('lasts its time, and says why and until when', () => {
    const cooldown = new Cooldown()
    expect(cooldown.standing(NOON)).toBe('ready')
    cooldown.cool(REFUSED, 'credential', NOON)
    expect(cooldown.standing(NOON + REFUSED_FIRST_MS - 1)).toBe('parked')
    expect(cooldown.reason).toBe('credential')
    expect(cooldown.until(NOON)).toBe(NOON + REFUSED_FIRST_MS)
    expect(cooldown.standing(NOON + REFUSED_FIRST_MS)).toBe('ready')
    expect(cooldown.until(NOON + REFUSED_FIRST_MS)).toBeUndefined()
  })

  test('doubles with each round, up to its cap, and begins again after a success', () => {
    const cooldown = new Cooldown()
    let at = NOON
    let wait = REFUSED_FIRST_MS
    for (let round = 0; round < 8; round++) {
      cooldown.cool(REFUSED, 'credential', at)
      expect(cooldown.until(at)).toBe(at + wait)
      at += wait
      wait = Math.min(wait * 2, REFUSED_MAX_MS)
    }
    cooldown.clear()
    cooldown.cool(REFUSED, 'credential', at)
    expect(cooldown.until(at)).toBe(at + REFUSED_FIRST_MS)
  })

  test('counts calls that fail together as one round', () => {
    const cooldown = new Cooldown()
    for (let i = 0; i < 100; i++) cooldown.cool(REFUSED, 'credential', NOON + i)
    expect(cooldown.until(NOON + 100)).toBe(NOON + 99 + REFUSED_FIRST_MS)
  })

  test('a guess leaves it the last choice, and a guess never loosens what is firm', () => {
    const cooldown = new Cooldown()
    cooldown.cool(GUESS, 'rate_limited', NOON)
    expect(cooldown.standing(NOON)).toBe('last_choice')
    cooldown.cool(REFUSED, 'credential', NOON)
    cooldown.cool(GUESS, 'rate_limited', NOON)
    expect(cooldown.standing(NOON)).toBe('parked')
    expect(cooldown.until(NOON)).toBe(NOON + REFUSED_FIRST_MS)
  })

  test('never lasts longer than its cap or what was asked for, whatever happens', () => {
    const time = fc.record({
      firstMs: fc.constant(LIMITED_FIRST_MS),
      maxMs: fc.constant(REFUSED_MAX_MS),
      firm: fc.boolean(),
      askedMs: fc.integer({ min: 1, max: ASKED_MAX_MS }),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(time, fc.nat({ max: 100_000 }))), (steps) => {
        const cooldown = new Cooldown()
        let at = NOON
        for (const [step, after] of steps) {
          at += after
          cooldown.cool(step, 'rate_limited', at)
          expect((cooldown.until(at) ?? at) - at).toBeLessThanOrEqual(ASKED_MAX_MS)
          expect(cooldown.standing(at + ASKED_MAX_MS)).toBe('ready')
        }
      }),
    )
  })
})
