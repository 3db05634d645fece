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
/** The same for everyone, where a workspace met a rate limit. */
export const LIMITED_EVERYONE_MAX_MS = 60_000

/** What a failure says about the target and the credential it was called with (docs/routing.md#when-a-call-fails). */
export type Effect =
  /** The target is at fault. `forEveryone`: no request can have caused it. */
  | { readonly on: 'circuit'; readonly forEveryone: boolean }
  /** The request is at fault: the target lives. */
  | { readonly on: 'request' }
  /** The gateway is at fault: nothing is known of the target. */
  | { readonly on: 'nothing' }
  /** What the model made of the request is at fault: the target lives, and the workspace has a strike of its own. */
  | { readonly on: 'own_circuit' }
  | Cooling

/** Something is not to be used for a while. */
export interface Cooling {
  /** `place`: the credential at this target only. */
  readonly on: 'credential' | 'place' | 'target'
  /** `second_workspace`: for the workspace that met it, and for everyone once a second one meets it. */
  readonly scope: 'everyone' | 'workspace' | 'second_workspace' | 'workspace_and_everyone'
  readonly time: CoolingTime
  /** A time that the provider asked for is cut to this for everyone. */
  readonly everyoneMaxMs?: number
}

/** How long, in milliseconds. */
export interface CoolingTime {
  readonly firstMs: number
  readonly maxMs: number
  /** The time the provider asked for; it is not doubled. */
  readonly askedMs?: number
  /** Not to be used at all meanwhile; else it is the last choice. */
  readonly firm: boolean
}

const REQUEST: Effect = { on: 'request' }
const REFUSED = { firstMs: REFUSED_FIRST_MS, maxMs: REFUSED_MAX_MS }
const UNPAID = { firstMs: UNPAID_FIRST_MS, maxMs: UNPAID_MAX_MS }
const MISSING = { firstMs: MISSING_FIRST_MS, maxMs: MISSING_MAX_MS }
const LIMITED = { firstMs: LIMITED_FIRST_MS, maxMs: LIMITED_MAX_MS }
const OVERLOADED = { firstMs: OVERLOADED_FIRST_MS, maxMs: OVERLOADED_MAX_MS }

/** Firm is what the provider said plainly: a wait it asked for, a key it refuses, a bill. The rest is a guess. */
export function effectOf(failure: UpstreamFailure): Effect {
  switch (failure.kind) {
    case 'connection':
    case 'timeout':
    case 'server':
    case 'invalid_answer':
      return { on: 'circuit', forEveryone: failure.unreachable === true }
    case 'bad_request':
    case 'too_large':
    case 'oversized':
    case 'over_limit':
    case 'content_policy':
    case 'too_dear':
      return REQUEST
    case 'malformed_output':
      return { on: 'own_circuit' }
    case 'no_files':
    case 'no_ports':
    case 'no_room':
    case 'no_share':
      return { on: 'nothing' }
    case 'credential':
      return ofRefusal(failure)
    case 'billing':
      return ofBill(failure)
    case 'not_found':
      return { on: 'target', scope: 'second_workspace', time: { ...MISSING, firm: false } }
    case 'rate_limited':
      return {
        on: 'place',
        scope: failure.remainingZero ? 'workspace_and_everyone' : 'second_workspace',
        time: { ...LIMITED, ...asked(failure) },
        everyoneMaxMs: LIMITED_EVERYONE_MAX_MS,
      }
    case 'overloaded':
      return { on: 'target', scope: 'second_workspace', time: { ...OVERLOADED, ...asked(failure) } }
    default:
      return unreachable(failure.kind)
  }
}

function ofRefusal({ status, sign }: UpstreamFailure): Effect {
  if (status === 401) return { on: 'credential', scope: 'everyone', time: { ...REFUSED, firm: true } }
  // With a listed code it may still speak of this model only, without one of this request only.
  if (status === 403 || status === 451)
    return sign === 'code' ? { on: 'place', scope: 'everyone', time: { ...REFUSED, firm: false } } : REQUEST
  return { on: 'credential', scope: 'workspace', time: { ...REFUSED, firm: sign === 'code' } }
}

/** A 400, and words, bind only the workspace that met them: its request may have caused them. */
function ofBill({ status, sign }: UpstreamFailure): Effect {
  const byCode = sign === 'code'
  if (status === 403 && !byCode) return REQUEST
  const isCallers = status === undefined || status === 400 || status === 412 || status === 422
  const forEveryone = status === 402 || (byCode && !isCallers)
  const scope = forEveryone ? 'everyone' : 'workspace'
  return { on: 'credential', scope, time: { ...UNPAID, firm: forEveryone || byCode } }
}

function asked({ retryAfterMs }: UpstreamFailure): { askedMs?: number; firm: boolean } {
  return retryAfterMs === undefined || retryAfterMs <= 0
    ? { firm: false }
    : { askedMs: Math.min(retryAfterMs, ASKED_MAX_MS), firm: true }
}
