import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { WorkspaceId } from '../../core/id.ts'
import { type Breaker, REFUSED } from './breaker.ts'
import { OPEN_FIRST_MS, OPEN_MAX_MS } from './circuit.ts'
import type { CircuitChange } from './circuitChange.ts'
import { createBreaker } from './createBreaker.ts'
import { ERROR_RATE_CALLS_MIN, ERROR_WINDOW_MS } from './errorWindow.ts'
import { EVERYONE, FORGOTTEN_AFTER_MS, type Scope, WORKSPACES_REMEMBERED_MAX } from './scope.ts'
import { STRIKES_TO_OPEN } from './streak.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const A = 'ws_a' as WorkspaceId
const B = 'ws_b' as WorkspaceId
const C = 'ws_c' as WorkspaceId
const SERVER = { kind: 'server', forEveryone: false } as const
const UNREACHABLE = { kind: 'connection', forEveryone: true } as const

function strike(breaker: Breaker, workspaceId: WorkspaceId, at = NOON, strike_ = SERVER): void {
  breaker.struck({ workspaceId, epoch: breaker.enter(workspaceId, at) }, strike_, at)
}

function answer(breaker: Breaker, workspaceId: WorkspaceId, at = NOON): void {
  breaker.answered({ workspaceId, epoch: breaker.enter(workspaceId, at) }, at)
}

function strikes(breaker: Breaker, workspaceId: WorkspaceId, count: number, at = NOON): void {
  for (let i = 0; i < count; i++) strike(breaker, workspaceId, at)
}

/** For whom circuits are open. */
function openFor(breaker: Breaker, at = NOON): Scope[] {
  return breaker.blocks(at).map(({ scope }) => scope)
}

/** Open for everyone: three strikes of A, two of B. */
function openedForEveryone(onChange?: (change: CircuitChange) => void): Breaker {
  const breaker = createBreaker(onChange)
  strikes(breaker, A, STRIKES_TO_OPEN - 2)
  strikes(breaker, B, 2)
  return breaker
}

function openedFor(workspaceId: WorkspaceId, at = NOON): Breaker {
  const breaker = createBreaker()
  strikes(breaker, workspaceId, STRIKES_TO_OPEN, at)
  return breaker
}

describe('strikes of one workspace', () => {
  test('open a circuit when they are enough in a row, not before, and for that workspace only', () => {
    const breaker = createBreaker()
    strikes(breaker, A, STRIKES_TO_OPEN - 1)
    expect(openFor(breaker)).toEqual([])
    strike(breaker, A)
    expect(openFor(breaker)).toEqual([A])
    expect(breaker.enter(A, NOON)).toBe(REFUSED)
    expect(breaker.enter(B, NOON)).not.toBe(REFUSED)
    expect(breaker.retryAt(A, NOON)).toBe(NOON + OPEN_FIRST_MS)
    expect(breaker.retryAt(B, NOON)).toBeUndefined()
    expect(breaker.forEveryone(NOON)).toEqual({ state: 'closed', retryAt: undefined })
  })

  test('are forgotten with one answer to it', () => {
    const breaker = createBreaker()
    for (let round = 0; round < 3; round++) {
      strikes(breaker, A, STRIKES_TO_OPEN - 1)
      answer(breaker, A)
    }
    expect(openFor(breaker)).toEqual([])
  })

  test('stay its own when others are answered in between', () => {
    const breaker = createBreaker()
    for (let i = 0; i < STRIKES_TO_OPEN; i++) {
      strike(breaker, A)
      answer(breaker, B)
    }
    expect(openFor(breaker)).toEqual([A])
    answer(breaker, B)
    expect(openFor(breaker)).toEqual([A])
  })

  test('open it when half of enough calls since the first of them fail, though never many in a row', () => {
    const breaker = createBreaker()
    for (let i = 0; i < ERROR_RATE_CALLS_MIN / 2; i++) {
      expect(openFor(breaker)).toEqual([])
      strike(breaker, A)
      answer(breaker, A)
    }
    strike(breaker, A)
    expect(openFor(breaker)).toEqual([A])
  })

  test('are forgotten when they are older than the window', () => {
    const breaker = createBreaker()
    for (let i = 0; i < ERROR_RATE_CALLS_MIN; i++) {
      const at = NOON + i * ERROR_WINDOW_MS
      answer(breaker, A, at)
      strike(breaker, A, at)
      expect(openFor(breaker, at)).toEqual([])
    }
  })

  test('open it for answers that break off in a row, though each began well', () => {
    const breaker = createBreaker()
    for (let i = 0; i < STRIKES_TO_OPEN; i++) {
      expect(openFor(breaker)).toEqual([])
      answer(breaker, A)
      breaker.brokeOff(A, 'connection', NOON)
    }
    expect(openFor(breaker)).toEqual([A])
  })

  test('do not open it for answers that break off when one of them came to its end', () => {
    const breaker = createBreaker()
    for (let i = 0; i < 2 * STRIKES_TO_OPEN; i++) {
      answer(breaker, A)
      breaker.brokeOff(A, 'connection', NOON)
      for (let good = 0; good < 2; good++) answer(breaker, A)
      breaker.completed(A)
    }
    expect(openFor(breaker)).toEqual([])
  })
})

describe('strikes of two workspaces', () => {
  test('open the circuit for everyone when they are enough together', () => {
    const breaker = createBreaker()
    strikes(breaker, A, STRIKES_TO_OPEN - 2)
    strike(breaker, B)
    expect(openFor(breaker)).toEqual([])
    strike(breaker, B)
    expect(openFor(breaker)).toEqual([EVERYONE])
    for (const each of [A, B, C]) expect(breaker.enter(each, NOON)).toBe(REFUSED)
    expect(breaker.forEveryone(NOON)).toEqual({ state: 'open', retryAt: NOON + OPEN_FIRST_MS })
  })

  test.each([A, B, C])('do not when %s has had an answer in between', (answered) => {
    const breaker = createBreaker()
    strikes(breaker, A, STRIKES_TO_OPEN - 2)
    strike(breaker, B)
    answer(breaker, answered)
    strike(breaker, B)
    strike(breaker, A)
    expect(openFor(breaker)).toEqual([])
  })

  test('open it when one of them has opened its own before', () => {
    const breaker = openedFor(A)
    strike(breaker, B)
    expect(openFor(breaker)).toEqual([EVERYONE, A])
  })

  test('open it when answers to both break off in a row, with none completed between them', () => {
    const breaker = createBreaker()
    for (const each of [A, B, A, B]) {
      answer(breaker, each)
      breaker.brokeOff(each, 'connection', NOON)
    }
    expect(openFor(breaker)).toEqual([])
    breaker.brokeOff(B, 'connection', NOON)
    expect(openFor(breaker)).toEqual([EVERYONE])
  })

  test('open it when half of enough calls fail, without the one that fails most, too', () => {
    const breaker = createBreaker()
    for (let i = 0; i < ERROR_RATE_CALLS_MIN / 4; i++) {
      for (const each of [A, B]) {
        expect(openFor(breaker)).toEqual([])
        strike(breaker, each)
        answer(breaker, each)
      }
    }
    strike(breaker, A)
    expect(openFor(breaker)).toEqual([EVERYONE])
  })

  test('do not when the rate is bad because of one of them', () => {
    const breaker = createBreaker()
    for (let i = 0; i < 3 * ERROR_RATE_CALLS_MIN; i++) {
      if (breaker.enter(A, NOON) !== REFUSED) strike(breaker, A)
      if (i % 10 === 0) strike(breaker, B)
      answer(breaker, B)
    }
    expect(openFor(breaker)).toEqual([A])
  })

  test('are told by the change: who they are, why, and until when', () => {
    const changes: CircuitChange[] = []
    openedForEveryone((change) => changes.push(change))
    expect(changes).toEqual([
      {
        scope: EVERYONE,
        state: 'open',
        reason: 'server',
        until: NOON + OPEN_FIRST_MS,
        struck: [A, B],
        struckMore: 0,
      },
    ])
  })
})

describe('failures that no request can have caused', () => {
  test('open the circuit for everyone, whoever met them', () => {
    const breaker = createBreaker()
    for (let i = 0; i < STRIKES_TO_OPEN; i++) {
      expect(openFor(breaker)).toEqual([])
      breaker.struck({ workspaceId: A, epoch: breaker.enter(A, NOON) }, UNREACHABLE, NOON)
    }
    expect(openFor(breaker)).toEqual([EVERYONE])
    expect(breaker.enter(A, NOON + OPEN_FIRST_MS)).not.toBe(REFUSED)
  })

  test('are no strikes of a workspace: with its own they open its own circuit', () => {
    const breaker = createBreaker()
    breaker.struck({ workspaceId: A, epoch: breaker.enter(A, NOON) }, UNREACHABLE, NOON)
    strikes(breaker, A, STRIKES_TO_OPEN - 1)
    expect(openFor(breaker)).toEqual([A])
  })

  test('open it by their rate, too', () => {
    const breaker = createBreaker()
    for (let i = 0; i < ERROR_RATE_CALLS_MIN / 2; i++) {
      answer(breaker, B)
      breaker.struck({ workspaceId: A, epoch: breaker.enter(A, NOON) }, UNREACHABLE, NOON)
    }
    expect(openFor(breaker)).toEqual([EVERYONE])
  })
})

describe('a circuit that is open for everyone', () => {
  const due = NOON + OPEN_FIRST_MS

  test('is probed by any workspace but the one with most of its strikes', () => {
    const breaker = openedForEveryone()
    expect(breaker.enter(A, due)).toBe(REFUSED)
    expect(breaker.retryAt(A, due)).toBe(NOON + 2 * OPEN_FIRST_MS)
    expect(breaker.retryAt(C, due)).toBeUndefined()
    expect(breaker.enter(C, due)).not.toBe(REFUSED)
  })

  test('is probed by any after twice the wait', () => {
    const breaker = openedForEveryone()
    expect(breaker.enter(A, NOON + 2 * OPEN_FIRST_MS - 1)).toBe(REFUSED)
    expect(breaker.enter(A, NOON + 2 * OPEN_FIRST_MS)).not.toBe(REFUSED)
  })

  test('is probed by both where both have as many strikes', () => {
    const breaker = createBreaker()
    for (const each of [A, B, C, A, B]) strike(breaker, each)
    expect(breaker.enter(A, due)).not.toBe(REFUSED)
  })

  test('admits one probe, and no call beside it', () => {
    const breaker = openedForEveryone()
    expect(breaker.enter(B, due - 1)).toBe(REFUSED)
    expect(breaker.enter(B, due)).not.toBe(REFUSED)
    expect(breaker.enter(C, due)).toBe(REFUSED)
    expect(breaker.forEveryone(due).state).toBe('half_open')
  })

  test('is closed for all by an answer, but for those whose own strikes opened theirs', () => {
    const breaker = openedFor(A)
    strike(breaker, B)
    answer(breaker, C, due)
    expect(openFor(breaker, due)).toEqual([])
    expect(breaker.enter(B, due)).not.toBe(REFUSED)
    const later = openedFor(A, NOON + 5_000)
    strike(later, B, NOON)
    answer(later, B, due)
    expect(openFor(later, due)).toEqual([A])
  })

  test('begins to count again when it has closed', () => {
    const breaker = openedForEveryone()
    answer(breaker, C, due)
    strikes(breaker, C, STRIKES_TO_OPEN - 2, due)
    strike(breaker, B, due)
    expect(openFor(breaker, due)).toEqual([])
    strike(breaker, B, due)
    expect(openFor(breaker, due)).toEqual([EVERYONE])
  })

  test.each([
    ['the failures of two workspaces', (breaker: Breaker, i: number) => strike(breaker, i % 2 === 0 ? A : B)],
    [
      'failures that no request can have caused',
      (breaker: Breaker) =>
        breaker.struck({ workspaceId: A, epoch: breaker.enter(A, NOON) }, UNREACHABLE, NOON),
    ],
  ])('begins to count rates again when it has closed: %s', (_, fail) => {
    const breaker = createBreaker()
    for (let i = 0; i < ERROR_RATE_CALLS_MIN / 2; i++) {
      fail(breaker, i)
      answer(breaker, i % 2 === 0 ? A : B)
    }
    fail(breaker, 0)
    expect(openFor(breaker)).toEqual([EVERYONE])
    answer(breaker, C, due)
    for (let i = 0; i < ERROR_RATE_CALLS_MIN / 2; i++) {
      strike(breaker, C, due)
      answer(breaker, C, due)
    }
    strike(breaker, C, due)
    expect(openFor(breaker, due)).toEqual([C])
  })

  test('begins to count answers that break off again when it has closed', () => {
    const breaker = createBreaker()
    for (const each of [A, B, A, B, A]) breaker.brokeOff(each, 'connection', NOON)
    answer(breaker, C, due)
    breaker.brokeOff(C, 'connection', due)
    expect(openFor(breaker, due)).toEqual([])
  })

  test('counts a failed probe for the workspace that made it', () => {
    const breaker = openedForEveryone()
    let at = NOON
    for (const wait of [1, 2, 4]) {
      at += wait * OPEN_FIRST_MS
      strike(breaker, C, at)
    }
    // A and C have three strikes each: each of them may probe.
    at += 8 * OPEN_FIRST_MS
    expect(breaker.retryAt(A, at)).toBeUndefined()
    strike(breaker, C, at)
    at += 16 * OPEN_FIRST_MS
    expect(breaker.enter(C, at)).toBe(REFUSED)
    expect(breaker.enter(A, at)).not.toBe(REFUSED)
  })
})

describe.each([
  ['for one workspace', (at: number) => openedFor(A, at), A],
  ['for everyone', () => openedForEveryone(), B],
] as const)('a circuit that is open %s', (_, openedAt, prober) => {
  const due = NOON + OPEN_FIRST_MS

  test('closes when the probe is answered', () => {
    const breaker = openedAt(NOON)
    answer(breaker, prober, due)
    expect(openFor(breaker, due)).toEqual([])
    expect(breaker.enter(prober, due)).not.toBe(REFUSED)
  })

  test('admits another probe when the one before said nothing', () => {
    const breaker = openedAt(NOON)
    breaker.released({ workspaceId: prober, epoch: breaker.enter(prober, due) })
    expect(breaker.enter(prober, due)).not.toBe(REFUSED)
  })

  test('stays open twice as long after each probe that fails, up to the cap', () => {
    const breaker = openedAt(NOON)
    let at = NOON
    let wait = OPEN_FIRST_MS
    for (let i = 0; i < 10; i++) {
      expect(breaker.blocks(at)[0]?.until).toBe(at + wait)
      at += 2 * wait
      strike(breaker, prober, at)
      wait = Math.min(wait * 2, OPEN_MAX_MS)
    }
    expect(wait).toBe(OPEN_MAX_MS)
  })

  test('is not moved by calls that began before it opened', () => {
    const breaker = createBreaker()
    const workspaces = prober === A ? [A] : [A, B]
    const early = Array.from({ length: STRIKES_TO_OPEN + 3 }, (__, i) => {
      const workspaceId = workspaces[i % workspaces.length] ?? A
      return { workspaceId, epoch: breaker.enter(workspaceId, NOON) }
    })
    for (const call of early.slice(0, STRIKES_TO_OPEN)) breaker.struck(call, SERVER, NOON)
    const [late, later, latest] = early.slice(STRIKES_TO_OPEN)
    if (!late || !later || !latest) throw new Error('too few calls')
    breaker.answered(late, NOON)
    expect(breaker.enter(A, NOON)).toBe(REFUSED)
    const again = NOON + 2 * OPEN_FIRST_MS
    const probe = { workspaceId: A, epoch: breaker.enter(A, again) }
    breaker.struck(later, SERVER, again)
    breaker.released(latest)
    // The probe is still the only one.
    expect(breaker.enter(A, again)).toBe(REFUSED)
    breaker.answered(probe, again)
    expect(breaker.enter(A, again)).not.toBe(REFUSED)
  })
})

describe('what is remembered', () => {
  test('is bounded: the workspace that failed longest ago goes first', () => {
    const breaker = createBreaker()
    strikes(breaker, A, STRIKES_TO_OPEN)
    for (let i = 0; i < WORKSPACES_REMEMBERED_MAX; i++) {
      expect(openFor(breaker)).toEqual([A])
      for (let good = 0; good < 3; good++) answer(breaker, B)
      strike(breaker, `ws_${i}` as WorkspaceId)
    }
    expect(openFor(breaker)).toEqual([])
  })

  test('of a workspace that is forgotten opens nothing for others', () => {
    const breaker = createBreaker()
    // Answers to others do not end a run of answers that broke off.
    for (let i = 0; i < STRIKES_TO_OPEN - 1; i++) breaker.brokeOff(A, 'connection', NOON)
    for (let i = 0; i < WORKSPACES_REMEMBERED_MAX; i++) {
      for (let good = 0; good < 3; good++) answer(breaker, B)
      strike(breaker, `ws_${i}` as WorkspaceId)
    }
    answer(breaker, B)
    breaker.brokeOff(B, 'connection', NOON)
    expect(openFor(breaker)).toEqual([])
  })

  test('is forgotten an hour after the last failure', () => {
    const breaker = createBreaker()
    strikes(breaker, A, STRIKES_TO_OPEN - 1)
    const later = NOON + FORGOTTEN_AFTER_MS
    answer(breaker, B, later)
    strikes(breaker, A, 1, later)
    expect(openFor(breaker, later)).toEqual([])
  })
})

describe('a lift', () => {
  test('for one workspace opens the target to it again, and forgets its strikes', () => {
    const breaker = openedFor(A)
    const early = { workspaceId: A, epoch: breaker.enter(B, NOON) }
    breaker.lift(A)
    expect(breaker.enter(A, NOON)).not.toBe(REFUSED)
    strikes(breaker, A, STRIKES_TO_OPEN - 1)
    // A call from before the lift does not count.
    breaker.struck(early, SERVER, NOON)
    expect(openFor(breaker)).toEqual([])
    strike(breaker, A)
    expect(openFor(breaker)).toEqual([A])
  })

  test('for one workspace leaves the others, and the circuit for everyone', () => {
    const breaker = openedFor(A)
    strikes(breaker, B, STRIKES_TO_OPEN)
    breaker.lift(A)
    expect(openFor(breaker)).toEqual([EVERYONE])
  })

  test('for everyone closes all circuits', () => {
    const changes: string[] = []
    const breaker = createBreaker(({ scope, state }) => changes.push(`${scope} ${state}`))
    strikes(breaker, A, STRIKES_TO_OPEN)
    strike(breaker, B)
    breaker.lift(EVERYONE)
    for (const each of [A, B, C]) expect(breaker.enter(each, NOON)).not.toBe(REFUSED)
    expect(changes).toEqual([`${A} open`, 'everyone open', `${A} closed`, 'everyone closed'])
    expect(breaker.recent(NOON)).toEqual({ calls: 0, failures: 0 })
  })
})

const step = fc.record({
  who: fc.constantFrom(A, B, C),
  does: fc.constantFrom('enter', 'answer', 'strike', 'unreachable', 'release', 'break', 'complete', 'lift'),
  after: fc.integer({ min: 0, max: 30_000 }),
  which: fc.nat(),
})

test('whatever happens, an open circuit admits at most one call at a time, and none before its time', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const breaker = createBreaker()
      let at = NOON
      const calls: { workspaceId: WorkspaceId; epoch: number }[] = []
      let probe: number | undefined
      for (const { who, does, after, which } of steps) {
        at += after
        const before = breaker.forEveryone(at).state
        const promised = breaker.retryAt(who, at)
        if (does === 'enter') {
          const epoch = breaker.enter(who, at)
          expect(epoch === REFUSED).toBe(promised !== undefined)
          if (before === 'open') expect(epoch).toBe(REFUSED)
          if (before === 'half_open' && epoch !== REFUSED) {
            expect(probe).toBeUndefined()
            probe = epoch
          }
          if (epoch !== REFUSED) calls.push({ workspaceId: who, epoch })
        } else if (does === 'break') breaker.brokeOff(who, 'connection', at)
        else if (does === 'complete') breaker.completed(who)
        else if (does === 'lift') {
          breaker.lift(which % 2 === 0 ? who : EVERYONE)
          if (which % 2 !== 0) probe = undefined
        } else if (calls.length > 0) {
          const [call] = calls.splice(which % calls.length, 1)
          if (!call) continue
          if (does === 'answer') breaker.answered(call, at)
          else if (does === 'strike') breaker.struck(call, SERVER, at)
          else if (does === 'unreachable') breaker.struck(call, UNREACHABLE, at)
          else breaker.released(call)
          if (call.epoch === probe) probe = undefined
        }
      }
    }),
  )
})
