import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { FailureKind } from '../core/failure.ts'
import { RETRY_AFTER_MS_MAX, TRIES_PER_TARGET_MAX, afterFailure, backoffMs } from './afterFailure.ts'

const NOBODY_ELSE = { credential: false, target: false }
const OTHERS = { credential: true, target: true }
const KINDS: readonly FailureKind[] = [
  'connection',
  'timeout',
  'bad_request',
  'too_large',
  'oversized',
  'over_limit',
  'content_policy',
  'credential',
  'billing',
  'not_found',
  'no_files',
  'no_ports',
  'no_room',
  'no_share',
  'rate_limited',
  'overloaded',
  'server',
  'invalid_answer',
  'malformed_output',
]

describe('the move after a failure', () => {
  test.each([
    ['connection', 'retry', 'retry'],
    ['timeout', 'next', 'next'],
    ['bad_request', 'stop', 'stop'],
    ['too_large', 'next_larger', 'next_larger'],
    ['oversized', 'next', 'next'],
    ['over_limit', 'next', 'rotate'],
    ['content_policy', 'stop', 'stop'],
    ['credential', 'next', 'rotate'],
    ['billing', 'next', 'rotate'],
    ['not_found', 'next', 'next'],
    ['no_files', 'stop', 'stop'],
    ['no_ports', 'next', 'next'],
    ['no_room', 'stop', 'stop'],
    ['no_share', 'stop', 'stop'],
    ['rate_limited', 'retry', 'rotate'],
    ['overloaded', 'retry', 'next'],
    ['server', 'retry', 'retry'],
    ['invalid_answer', 'next', 'next'],
    ['malformed_output', 'next', 'next'],
  ] as const)('%s: %s when there is nobody else, %s when there is', (kind, alone, among) => {
    expect(afterFailure({ kind, detail: '' }, 1, NOBODY_ELSE)).toBe(alone)
    expect(afterFailure({ kind, detail: '' }, 1, OTHERS)).toBe(among)
  })

  test('a limited target gives way to another rather than make the caller wait', () => {
    const others = { credential: false, target: true }
    expect(afterFailure({ kind: 'rate_limited', detail: '' }, 1, others)).toBe('next')
  })

  test('nobody is retried for ever, or after a wait that is too long', () => {
    for (const kind of KINDS) {
      const late = afterFailure({ kind, detail: '' }, TRIES_PER_TARGET_MAX, NOBODY_ELSE)
      expect(late).not.toBe('retry')
      const slow = { kind, detail: '', retryAfterMs: RETRY_AFTER_MS_MAX + 1 }
      expect(afterFailure(slow, 1, NOBODY_ELSE)).not.toBe('retry')
    }
  })
})

test('a pause is at least what was asked for, capped, and spread', () => {
  const chance = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: RETRY_AFTER_MS_MAX }),
      fc.integer({ min: 1, max: 50 }),
      chance,
      (asked, tries, random) => {
        const told = backoffMs({ kind: 'server', detail: '', retryAfterMs: asked }, tries, random)
        expect(told).toBeWithin(asked, asked + 251)
        const own = backoffMs({ kind: 'server', detail: '' }, tries, random)
        expect(own).toBeWithin(50, 2_001)
      },
    ),
  )
  expect(backoffMs({ kind: 'server', detail: '' }, 1, 0)).not.toBe(
    backoffMs({ kind: 'server', detail: '' }, 1, 0.9),
  )
  expect(backoffMs({ kind: 'server', detail: '' }, 3, 0.5)).toBeGreaterThan(
    backoffMs({ kind: 'server', detail: '' }, 1, 0.5),
  )
})
