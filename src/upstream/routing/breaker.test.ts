import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  type Breaker,
  ERROR_RATE_CALLS_MIN,
  ERROR_WINDOW_MS,
  OPEN_FIRST_MS,
  OPEN_MAX_MS,
  REFUSED,
  STRIKES_TO_OPEN,
  createBreaker,
} from './breaker.ts'

const NOON = Date.UTC(2026, 10, 20, 12)

function strike(breaker: Breaker, at: number): void {
  breaker.struck(breaker.enter(at), at)
}

function opened(at: number): Breaker {
  const breaker = createBreaker()
  for (let i = 0; i < STRIKES_TO_OPEN; i++) strike(breaker, at)
  return breaker
}

describe('a closed circuit', () => {
  test('opens at the strike that makes them enough in a row, not before', () => {
    const breaker = createBreaker()
    for (let i = 1; i < STRIKES_TO_OPEN; i++) strike(breaker, NOON)
    expect(breaker.circuit(NOON)).toBe('closed')
    strike(breaker, NOON)
    expect(breaker.circuit(NOON)).toBe('open')
    expect(breaker.enter(NOON)).toBe(REFUSED)
  })

  test('forgets its strikes with one answer', () => {
    const breaker = createBreaker()
    for (let round = 0; round < 3; round++) {
      for (let i = 1; i < STRIKES_TO_OPEN; i++) strike(breaker, NOON)
      breaker.answered(breaker.enter(NOON), NOON)
    }
    expect(breaker.circuit(NOON)).toBe('closed')
  })

  test('opens when half of enough calls fail, though never many in a row', () => {
    const breaker = createBreaker()
    for (let i = 0; i < ERROR_RATE_CALLS_MIN / 2; i++) {
      expect(breaker.circuit(NOON)).toBe('closed')
      breaker.answered(breaker.enter(NOON), NOON)
      strike(breaker, NOON)
    }
    expect(breaker.circuit(NOON)).toBe('open')
  })

  test('forgets failures that are older than the window', () => {
    const breaker = createBreaker()
    for (let i = 0; i < ERROR_RATE_CALLS_MIN; i++) {
      const at = NOON + i * ERROR_WINDOW_MS
      breaker.answered(breaker.enter(at), at)
      strike(breaker, at)
      expect(breaker.circuit(at)).toBe('closed')
    }
  })

  test('opens for answers that break off in a row, though each began well', () => {
    const breaker = createBreaker()
    for (let i = 0; i < STRIKES_TO_OPEN; i++) {
      expect(breaker.circuit(NOON)).toBe('closed')
      breaker.answered(breaker.enter(NOON), NOON)
      breaker.brokeOff(NOON)
    }
    expect(breaker.circuit(NOON)).toBe('open')
  })
})

describe('an open circuit', () => {
  test('admits one probe when its time is over, and nobody beside it', () => {
    const breaker = opened(NOON)
    expect(breaker.enter(NOON + OPEN_FIRST_MS - 1)).toBe(REFUSED)
    expect(breaker.retryAt(NOON)).toBe(NOON + OPEN_FIRST_MS)
    const due = NOON + OPEN_FIRST_MS
    expect(breaker.circuit(due)).toBe('half_open')
    expect(breaker.enter(due)).not.toBe(REFUSED)
    expect(breaker.enter(due)).toBe(REFUSED)
    expect(breaker.circuit(due)).toBe('half_open')
  })

  test('closes when the probe is answered', () => {
    const breaker = opened(NOON)
    const due = NOON + OPEN_FIRST_MS
    breaker.answered(breaker.enter(due), due)
    expect(breaker.circuit(due)).toBe('closed')
    expect(breaker.recent(due)).toEqual({ calls: 0, failures: 0 })
  })

  test('admits another probe when the one before told nothing', () => {
    const breaker = opened(NOON)
    const due = NOON + OPEN_FIRST_MS
    breaker.released(breaker.enter(due))
    expect(breaker.enter(due)).not.toBe(REFUSED)
  })

  test('stays open twice as long after each probe that fails, up to the cap', () => {
    const breaker = opened(NOON)
    let at = NOON
    let wait = OPEN_FIRST_MS
    for (let i = 0; i < 10; i++) {
      expect(breaker.retryAt(at)).toBe(at + wait)
      at += wait
      strike(breaker, at)
      wait = Math.min(wait * 2, OPEN_MAX_MS)
    }
    expect(wait).toBe(OPEN_MAX_MS)
  })

  test('is not moved by calls that began before it opened', () => {
    const breaker = createBreaker()
    const early = Array.from({ length: STRIKES_TO_OPEN + 3 }, () => breaker.enter(NOON))
    for (const pass of early.slice(0, STRIKES_TO_OPEN)) breaker.struck(pass, NOON)
    const [late = 0, later = 0, latest = 0] = early.slice(STRIKES_TO_OPEN)
    breaker.answered(late, NOON)
    expect(breaker.circuit(NOON)).toBe('open')
    const due = NOON + OPEN_FIRST_MS
    const probe = breaker.enter(due)
    breaker.struck(later, due)
    breaker.released(latest)
    // The probe is still the only one.
    expect(breaker.enter(due)).toBe(REFUSED)
    breaker.answered(probe, due)
    expect(breaker.circuit(due)).toBe('closed')
  })
})

test('whatever happens, an open circuit admits at most one call at a time, and none before its time', () => {
  const step = fc.record({
    does: fc.constantFrom('enter', 'answer', 'strike', 'release', 'break', 'complete'),
    after: fc.integer({ min: 0, max: 30_000 }),
    which: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const breaker = createBreaker()
      let at = NOON
      const passes: number[] = []
      let probe: number | undefined
      for (const { does, after, which } of steps) {
        at += after
        const before = breaker.circuit(at)
        const promised = breaker.retryAt(at)
        if (does === 'enter') {
          const pass = breaker.enter(at)
          if (before === 'open') expect(pass).toBe(REFUSED)
          if (before === 'closed') expect(pass).not.toBe(REFUSED)
          if (before === 'half_open') {
            expect(pass === REFUSED).toBe(probe !== undefined)
            if (pass !== REFUSED) probe = pass
          }
          expect(pass === REFUSED).toBe(promised !== undefined)
          if (pass !== REFUSED) passes.push(pass)
        } else if (does === 'break') breaker.brokeOff(at)
        else if (does === 'complete') breaker.completed()
        else if (passes.length > 0) {
          const [pass = 0] = passes.splice(which % passes.length, 1)
          if (does === 'answer') breaker.answered(pass, at)
          else if (does === 'strike') breaker.struck(pass, at)
          else breaker.released(pass)
          if (pass === probe) probe = undefined
        }
      }
    }),
  )
})
