import { unreachable } from '../core/assert.ts'
import type { UpstreamFailure } from '../core/failure.ts'

/** What to do after a failed attempt (docs/routing.md#when-a-call-fails). */
export type NextMove =
  /** Call the same target again with the same credential, after a pause. */
  | 'retry'
  /** Call the same target at once with its next credential. */
  | 'rotate'
  /** Go on to the next target. */
  | 'next'
  /** Go on to a target that may take a longer prompt. */
  | 'next_larger'
  /** No target can do better: the request itself is at fault. */
  | 'stop'

/** A longer wait for the same target is not worth it: it is over for this target, or for the request. */
export const RETRY_AFTER_MS_MAX = 2_000
/** How often one target is called for one request, rotated credentials apart. */
export const TRIES_PER_TARGET_MAX = 2

/** Where else the request could go. */
export interface Alternatives {
  /** Another credential of the same provider is ready. */
  readonly credential: boolean
  /** Another target is still to be tried. */
  readonly target: boolean
}

/** Decides by the kind of failure; `tries` is how often this target has been called for this request. */
export function afterFailure(failure: UpstreamFailure, tries: number, others: Alternatives): NextMove {
  const mayRetry = tries < TRIES_PER_TARGET_MAX && (failure.retryAfterMs ?? 0) <= RETRY_AFTER_MS_MAX
  switch (failure.kind) {
    case 'bad_request':
    case 'content_policy':
    // The next one would need a file, too.
    case 'no_files':
    // Another target's answer would find no room either.
    case 'no_room':
    case 'no_share':
      return 'stop'
    case 'too_large':
      return 'next_larger'
    case 'credential':
    case 'billing':
    case 'too_dear':
    // Another account may have a higher limit.
    case 'over_limit':
      return others.credential ? 'rotate' : 'next'
    // A connection to another address may have the same local port.
    case 'no_ports':
    case 'not_found':
    // Another provider may take a larger part.
    case 'oversized':
    case 'invalid_answer':
    case 'malformed_output':
    // A provider that let a whole timeout pass would let another one pass.
    case 'timeout':
      return 'next'
    case 'connection':
    case 'server':
      return mayRetry ? 'retry' : 'next'
    case 'rate_limited':
      if (others.credential) return 'rotate'
      return mayRetry && !others.target ? 'retry' : 'next'
    case 'overloaded':
      // Waiting is worth it only where nobody else can answer at once.
      return mayRetry && !others.target ? 'retry' : 'next'
    default:
      return unreachable(failure.kind)
  }
}

export const BACKOFF_BASE_MS = 100
const BACKOFF_MAX_MS = 2_000
/** Callers who were all told the same moment do not all come at it. */
const RETRY_AFTER_SPREAD_MS = 250

/**
 * How long to wait before the next try of the same target: at least what it asked for, else doubling,
 * with jitter.
 *
 * @param random from 0 up to 1
 */
export function backoffMs(failure: UpstreamFailure, tries: number, random: number): number {
  if (failure.retryAfterMs !== undefined && failure.retryAfterMs > 0) {
    return Math.min(failure.retryAfterMs, RETRY_AFTER_MS_MAX) + random * RETRY_AFTER_SPREAD_MS
  }
  return Math.min(BACKOFF_BASE_MS * 2 ** (tries - 1), BACKOFF_MAX_MS) * (0.5 + random / 2)
}
