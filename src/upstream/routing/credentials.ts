import { unreachable } from '../../core/assert.ts'
import type { UpstreamFailure } from '../../core/failure.ts'

/** A refused credential is tried again after this long, doubled each time it is refused again. */
export const REFUSED_FIRST_MS = 30_000
export const REFUSED_MAX_MS = 10 * 60_000
/** An unpaid one. */
export const UNPAID_FIRST_MS = 5 * 60_000
export const UNPAID_MAX_MS = 60 * 60_000
/** A rate-limited one, when the provider names no time. */
export const LIMITED_FIRST_MS = 5_000
export const LIMITED_MAX_MS = 60_000
/** An overloaded target, when the provider names no time. */
export const OVERLOADED_FIRST_MS = 1_000
export const OVERLOADED_MAX_MS = 30_000
/** A target whose model the provider does not know. */
export const MISSING_FIRST_MS = 30_000
export const MISSING_MAX_MS = 5 * 60_000
/** A provider may ask for days; after this long it is asked again all the same. */
export const ASKED_MAX_MS = 60 * 60_000

/** What a failure says about the target and the credential it was called with (docs/routing.md#when-a-call-fails). */
export type Effect =
  /** The target is at fault. */
  | { readonly on: 'circuit' }
  /** The request is at fault, or what the model made of it: the target lives. */
  | { readonly on: 'request' }
  | Cooling

/** Something is to be left alone for a while. */
export interface Cooling {
  /** `place`: the credential at this target only. */
  readonly on: 'credential' | 'place' | 'target'
  readonly firstMs: number
  readonly maxMs: number
  /** The time the provider asked for; it is not doubled. */
  readonly askedMs?: number
  /** Not to be used at all meanwhile; else it is the last choice. */
  readonly firm: boolean
}

const CIRCUIT: Effect = { on: 'circuit' }
const REQUEST: Effect = { on: 'request' }

/** Firm is what the provider said plainly: a wait it asked for, a key it refuses, a bill. The rest is a guess. */
export function effectOf(failure: UpstreamFailure): Effect {
  switch (failure.kind) {
    case 'connection':
    case 'timeout':
    case 'server':
    case 'invalid_answer':
      return CIRCUIT
    case 'bad_request':
    case 'too_large':
    case 'content_policy':
    case 'malformed_output':
    case 'too_dear':
      return REQUEST
    case 'credential':
      if (failure.status === 401 || failure.status === 498)
        return { on: 'credential', firstMs: REFUSED_FIRST_MS, maxMs: REFUSED_MAX_MS, firm: true }
      // A 403 without a listed code may speak of this request only. With one it may speak of this model only.
      return failure.status === 403 && failure.sign === 'code'
        ? { on: 'place', firstMs: REFUSED_FIRST_MS, maxMs: REFUSED_MAX_MS, firm: false }
        : REQUEST
    case 'billing':
      return isTheBill(failure)
        ? { on: 'credential', firstMs: UNPAID_FIRST_MS, maxMs: UNPAID_MAX_MS, firm: true }
        : REQUEST
    case 'not_found':
      return { on: 'target', firstMs: MISSING_FIRST_MS, maxMs: MISSING_MAX_MS, firm: false }
    case 'rate_limited':
      return { on: 'place', firstMs: LIMITED_FIRST_MS, maxMs: LIMITED_MAX_MS, ...asked(failure) }
    case 'overloaded':
      return { on: 'target', firstMs: OVERLOADED_FIRST_MS, maxMs: OVERLOADED_MAX_MS, ...asked(failure) }
    default:
      return unreachable(failure.kind)
  }
}

/** Words decide nothing about others, and neither does a 400: a caller may have brought it about. */
function isTheBill({ status, sign }: UpstreamFailure): boolean {
  return status === 402 || (sign === 'code' && status !== undefined && status > 402 && status !== 422)
}

function asked({ retryAfterMs }: UpstreamFailure): { askedMs?: number; firm: boolean } {
  return retryAfterMs === undefined || retryAfterMs <= 0
    ? { firm: false }
    : { askedMs: Math.min(retryAfterMs, ASKED_MAX_MS), firm: true }
}

/** `last_choice`: usable when nothing better is there. */
export type Standing = 'ready' | 'last_choice' | 'parked'

/** Whether something is to be left alone: a state machine over coolings, successes and the time. */
export interface Parking {
  standing(now: number): Standing
  /** The failure's kind it was parked for last, while it is parked or cooling. */
  reason(now: number): UpstreamFailure['kind'] | undefined
  /** When it is ready again; undefined: it is. */
  until(now: number): number | undefined
  cool(cooling: Cooling, reason: UpstreamFailure['kind'], now: number): void
  /** It has proved good: the next cooling is the first again. */
  clear(): void
}

export function createParking(): Parking {
  let until = 0
  let firm = false
  let reason: UpstreamFailure['kind'] | undefined
  /** Coolings in a row without a success. */
  let rounds = 0

  return {
    standing(now) {
      if (now >= until) return 'ready'
      return firm ? 'parked' : 'last_choice'
    },
    reason: (now) => (now < until ? reason : undefined),
    until: (now) => (now < until ? until : undefined),
    cool(cooling, why, now) {
      // Calls that were under way together fail together: that is one round, not many.
      const again = now < until
      if (!again) rounds += 1
      const ms = cooling.askedMs ?? Math.min(cooling.firstMs * 2 ** (rounds - 1), cooling.maxMs)
      if (again && firm && !cooling.firm) return
      until = again && firm === cooling.firm ? Math.max(until, now + ms) : now + ms
      firm = cooling.firm
      reason = why
    },
    clear() {
      until = 0
      rounds = 0
      reason = undefined
    },
  }
}
