import { describe, expect, test } from 'bun:test'
import type { FailureKind, UpstreamFailure } from '../../core/failure.ts'
import { ASKED_MAX_MS, LIMITED_EVERYONE_MAX_MS, effectOf } from './effect.ts'

function effect(kind: FailureKind, more: Partial<UpstreamFailure> = {}) {
  return effectOf({ kind, detail: 'scripted', ...more })
}

/** What is cooled, for whom, and whether for sure. */
function summary(kind: FailureKind, more: Partial<UpstreamFailure> = {}): string {
  const found = effect(kind, more)
  if (found.on === 'request') return 'nothing'
  if (found.on === 'nothing') return 'no failure of the target'
  if (found.on === 'own_circuit') return 'strike for its workspace alone'
  if (found.on === 'circuit') return found.forEveryone ? 'strike for everyone' : 'strike'
  return `${found.on} ${found.scope} ${found.time.firm ? 'parked' : 'last_choice'}`
}

describe('a failure', () => {
  test.each([
    ['connection', 'strike'],
    ['timeout', 'strike'],
    ['server', 'strike'],
    ['invalid_answer', 'strike'],
    ['bad_request', 'nothing'],
    ['too_large', 'nothing'],
    ['oversized', 'nothing'],
    ['over_limit', 'nothing'],
    ['content_policy', 'nothing'],
    ['no_files', 'no failure of the target'],
    ['no_ports', 'no failure of the target'],
    ['no_room', 'no failure of the target'],
    ['no_share', 'no failure of the target'],
    ['malformed_output', 'strike for its workspace alone'],
    ['too_dear', 'nothing'],
    ['not_found', 'target second_workspace last_choice'],
    ['rate_limited', 'place second_workspace last_choice'],
    ['overloaded', 'target second_workspace last_choice'],
  ] as const)('of kind %s is: %s', (kind, expected) => {
    expect(summary(kind)).toBe(expected)
  })

  test('to make a connection is a strike for everyone', () => {
    expect(summary('connection', { unreachable: true })).toBe('strike for everyone')
  })
})

describe('a refused credential', () => {
  test.each([
    [{ status: 401, sign: 'status' }, 'credential everyone parked'],
    [{ status: 401, sign: 'code' }, 'credential everyone parked'],
    [{ status: 498, sign: 'status' }, 'credential workspace last_choice'],
    [{ status: 498, sign: 'code' }, 'credential workspace parked'],
    [{ status: 451, sign: 'status' }, 'nothing'],
    [{ status: 403, sign: 'code' }, 'place everyone last_choice'],
    [{ status: 403, sign: 'status' }, 'nothing'],
    [{ status: 403, sign: 'words' }, 'nothing'],
    [{ status: 400, sign: 'code' }, 'credential workspace parked'],
    [{ status: 400, sign: 'words' }, 'credential workspace last_choice'],
    [{ status: 422, sign: 'words' }, 'credential workspace last_choice'],
    [{ sign: 'code' }, 'credential workspace parked'],
  ] as const)('by %p: %s', (more, expected) => {
    expect(summary('credential', more)).toBe(expected)
  })
})

describe('a bill', () => {
  test.each([
    [{ status: 402, sign: 'status' }, 'credential everyone parked'],
    [{ status: 429, sign: 'code' }, 'credential everyone parked'],
    [{ status: 403, sign: 'code' }, 'credential everyone parked'],
    [{ status: 500, sign: 'code' }, 'credential everyone parked'],
    [{ status: 403, sign: 'words' }, 'nothing'],
    [{ status: 429, sign: 'words' }, 'credential workspace last_choice'],
    [{ status: 400, sign: 'code' }, 'credential workspace parked'],
    [{ status: 400, sign: 'words' }, 'credential workspace last_choice'],
    [{ status: 412, sign: 'code' }, 'credential workspace parked'],
    [{ status: 422, sign: 'code' }, 'credential workspace parked'],
    [{ sign: 'words' }, 'credential workspace last_choice'],
    [{}, 'credential workspace last_choice'],
  ] as const)('by %p: %s', (more, expected) => {
    expect(summary('billing', more)).toBe(expected)
  })
})

describe('a wait', () => {
  test.each(['rate_limited', 'overloaded'] as const)('that the provider asked for is kept: %s', (kind) => {
    expect(effect(kind, { retryAfterMs: 7000 })).toMatchObject({ time: { askedMs: 7000, firm: true } })
    expect(effect(kind, { retryAfterMs: 864e5 })).toMatchObject({ time: { askedMs: ASKED_MAX_MS } })
    expect(effect(kind)).toMatchObject({ time: { firm: false } })
  })

  test('for a rate limit with nothing left holds for everyone, bounded', () => {
    expect(effect('rate_limited', { remainingZero: true })).toMatchObject({
      scope: 'workspace_and_everyone',
      everyoneMaxMs: LIMITED_EVERYONE_MAX_MS,
    })
  })
})
