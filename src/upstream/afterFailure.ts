import { unreachable } from '../core/assert.ts'
import type { UpstreamFailure } from '../core/failure.ts'

/** What to do after a failed attempt (reference "Wire", B8). */
export type NextMove =
  /** Call the same target again. */
  | 'retry'
  /** Go on to the next target. */
  | 'next'
  /** No target can do better: the request itself is at fault. */
  | 'stop'

/** A longer wait is not worth it while another target may answer at once. */
export const RETRY_AFTER_MS_MAX = 2_000

/** Decides by the kind of failure; `tries` is how often this target has been called for this request. */
export function afterFailure(failure: UpstreamFailure, tries: number): NextMove {
  switch (failure.kind) {
    case 'bad_request':
    case 'content_policy':
      return 'stop'
    case 'too_large':
    case 'credential':
    case 'billing':
    case 'not_found':
    case 'invalid_answer':
    // A provider that let a whole timeout pass would let another one pass.
    case 'timeout':
      return 'next'
    case 'connection':
    case 'server':
      return tries < 2 ? 'retry' : 'next'
    case 'rate_limited':
    case 'overloaded':
      return tries < 2 && (failure.retryAfterMs ?? 0) <= RETRY_AFTER_MS_MAX ? 'retry' : 'next'
    default:
      return unreachable(failure.kind)
  }
}

const BACKOFF_BASE_MS = 100
const BACKOFF_MAX_MS = 2_000

/** How long to wait before the next try of the same target: what it asked for, else doubling, with jitter. */
export function backoffMs(failure: UpstreamFailure, tries: number, random: number): number {
  if (failure.retryAfterMs !== undefined) return Math.min(failure.retryAfterMs, RETRY_AFTER_MS_MAX)
  return Math.min(BACKOFF_BASE_MS * 2 ** (tries - 1), BACKOFF_MAX_MS) * (0.5 + random / 2)
}
