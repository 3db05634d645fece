import { describe, expect, test } from 'bun:test'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { WorkspaceId } from '../../core/id.ts'
import { type Cooling, LIMITED_EVERYONE_MAX_MS, effectOf } from './effect.ts'
import { EVERYONE, FORGOTTEN_AFTER_MS, WORKSPACES_REMEMBERED_MAX } from './scope.ts'
import { ScopedCooldown } from './scopedCooldown.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const A = 'ws_a' as WorkspaceId
const B = 'ws_b' as WorkspaceId
const C = 'ws_c' as WorkspaceId

function coolingOf(failure: Omit<UpstreamFailure, 'detail'>): Cooling {
  const effect = effectOf({ detail: 'scripted', ...failure })
  if (!('scope' in effect)) throw new Error(`cools nothing: ${failure.kind}`)
  return effect
}

const LIMITED = coolingOf({ kind: 'rate_limited', retryAfterMs: 9_000 })
const REFUSED = coolingOf({ kind: 'credential', status: 401 })

/** For whom it is not ready. */
function heldFor(cooldown: ScopedCooldown, at = NOON): string[] {
  return cooldown.blocks(at).map(({ scope }) => scope)
}

function limit(cooldown: ScopedCooldown, workspaceId: WorkspaceId, at = NOON, cooling = LIMITED): void {
  cooldown.cool(workspaceId, cooling, 'rate_limited', at)
}

describe('a limit', () => {
  test('that one workspace meets holds for that workspace', () => {
    const cooldown = new ScopedCooldown()
    limit(cooldown, A)
    expect(cooldown.standing(A, NOON)).toBe('parked')
    expect(cooldown.firmWaitMs(A, NOON)).toBe(9_000)
    expect([cooldown.standing(B, NOON), cooldown.firmWaitMs(B, NOON)]).toEqual(['ready', 0])
  })

  test('that two workspaces meet holds for everyone', () => {
    const cooldown = new ScopedCooldown()
    limit(cooldown, A)
    limit(cooldown, B, NOON + 1_000)
    expect(heldFor(cooldown)).toEqual([EVERYONE, A, B])
    expect(cooldown.standing(C, NOON)).toBe('parked')
  })

  test('that two workspaces meet holds for each of them when one was answered in between', () => {
    const cooldown = new ScopedCooldown()
    limit(cooldown, A)
    cooldown.answered(C, NOON)
    limit(cooldown, B)
    expect(heldFor(cooldown)).toEqual([A, B])
  })

  test('that the second one meets when the first is over holds for the second', () => {
    const cooldown = new ScopedCooldown()
    limit(cooldown, A)
    limit(cooldown, B, NOON + 9_000)
    expect(heldFor(cooldown, NOON + 9_000)).toEqual([B])
  })

  test('that one workspace meets again and again holds for that workspace', () => {
    const cooldown = new ScopedCooldown()
    for (let i = 0; i < 100; i++) limit(cooldown, A, NOON + i)
    expect(heldFor(cooldown)).toEqual([A])
  })

  test('with nothing left holds for everyone, at most a minute', () => {
    const cooldown = new ScopedCooldown()
    const long = coolingOf({ kind: 'rate_limited', retryAfterMs: 600_000, remainingZero: true })
    limit(cooldown, A, NOON, long)
    expect(cooldown.firmWaitMs(B, NOON)).toBe(LIMITED_EVERYONE_MAX_MS)
    expect(cooldown.firmWaitMs(A, NOON)).toBe(600_000)
  })

  test('that two workspaces meet holds for everyone no longer than a minute', () => {
    const cooldown = new ScopedCooldown()
    const long = coolingOf({ kind: 'rate_limited', retryAfterMs: 600_000 })
    limit(cooldown, A, NOON, long)
    limit(cooldown, B, NOON, long)
    expect(cooldown.firmWaitMs(C, NOON)).toBe(LIMITED_EVERYONE_MAX_MS)
  })
})

test('an answer ends it for all but those with one of their own', () => {
  const cooldown = new ScopedCooldown()
  cooldown.cool(A, REFUSED, 'credential', NOON)
  limit(cooldown, B)
  expect(heldFor(cooldown)).toEqual([EVERYONE, B])
  cooldown.answered(C, NOON)
  expect(heldFor(cooldown)).toEqual([B])
  cooldown.answered(B, NOON)
  expect(heldFor(cooldown)).toEqual([])
})

test('what parks it is reported once for each scope, and only where it is firm', () => {
  const cooldown = new ScopedCooldown()
  const guess = coolingOf({ kind: 'rate_limited' })
  expect(cooldown.cool(A, guess, 'rate_limited', NOON)).toEqual([])
  const parked = cooldown.cool(A, LIMITED, 'rate_limited', NOON)
  expect(parked).toEqual([{ scope: A, reason: 'rate_limited', until: NOON + 9_000, firm: true }])
  expect(cooldown.cool(A, LIMITED, 'rate_limited', NOON)).toEqual([])
  expect(cooldown.cool(B, LIMITED, 'rate_limited', NOON).map(({ scope }) => scope)).toEqual([B, EVERYONE])
})

test('the workspaces that are remembered are bounded: the one that met it longest ago goes first', () => {
  const cooldown = new ScopedCooldown()
  limit(cooldown, A)
  for (let i = 0; i < WORKSPACES_REMEMBERED_MAX; i++) {
    expect(heldFor(cooldown)).toContain(A)
    cooldown.answered(C, NOON)
    limit(cooldown, `ws_${i}` as WorkspaceId)
  }
  expect(heldFor(cooldown)).not.toContain(A)
  expect(heldFor(cooldown)).not.toContain(EVERYONE)
})

test('what was over an hour ago is forgotten: the next time is the first again', () => {
  const cooldown = new ScopedCooldown()
  const guess = coolingOf({ kind: 'overloaded' })
  limit(cooldown, A, NOON, guess)
  limit(cooldown, A, NOON + 10_000, guess)
  const later = NOON + 20_000 + FORGOTTEN_AFTER_MS
  cooldown.answered(B, later)
  limit(cooldown, A, later, guess)
  expect(cooldown.blocks(later)).toMatchObject([{ until: later + guess.time.firstMs }])
})

test('a lift for one workspace leaves the others; one for everyone leaves nothing', () => {
  const cooldown = new ScopedCooldown()
  for (const each of [A, B]) limit(cooldown, each)
  cooldown.lift(A)
  expect(heldFor(cooldown)).toEqual([EVERYONE, B])
  cooldown.lift(EVERYONE)
  expect(heldFor(cooldown)).toEqual([])
})
