import { assert } from '../core/assert.ts'
import { GatewayError } from '../core/error.ts'
import type { RequestId } from '../core/id.ts'
import { type Nano, ZERO, addNano } from '../core/money.ts'
import type { Admission, GrantedHold, HoldRequest, Till } from '../core/ports/till.ts'
import { rateLimited, refusalOfVerdict } from './admitRefusal.ts'
import type { Caller } from './caller.ts'
import type { PipelineDeps } from './deps.ts'
import type { Exchange } from './reply.ts'

/** A hold's lease (rulings, "Ledger"); renewed while its call lives. */
export const LEASE_MS = 30_000

/** A request that every gate let through: owns its hold and its slot until it is settled. */
export interface Admitted {
  readonly id: RequestId
  readonly caller: Caller
  readonly startedAt: number
  /** Everything held so far, extensions included. */
  readonly held: Nano
  /** What the call could pay when it was admitted: its hold and all that was free beside it. */
  readonly affordable: Nano
  /** The hold covers the most that the call can cost: it will not have to grow. */
  readonly coversMost: boolean
  /** Grows the hold; false when balance or spend limit do not allow it. */
  extend(amount: Nano, at: number): Promise<boolean>
}

/** A body up to this size is cheaper to read than it is to ask the store whether to. */
const UNASKED_BODY_BYTES_MAX = 1024 * 1024

type Deps = Pick<PipelineDeps, 'store' | 'usedUp'>

/**
 * Before a body is read: refuses a caller whose window is used up (rulings, "Validation"). Throws 429 only,
 * and counts nothing.
 *
 * @param bodyBytes the body's length; undefined when it is not known
 */
export async function refuseUsedUp(
  deps: Deps,
  caller: Caller,
  exchange: Exchange,
  at: number,
  bodyBytes: number | undefined,
): Promise<void> {
  const rate = deps.usedUp.find(caller, at)
  if (rate) {
    exchange.rate = rate
    throw new GatewayError(rateLimited({ rate, retryAfterMs: rate.resetAt - at }))
  }
  if (bodyBytes !== undefined && bodyBytes <= UNASKED_BODY_BYTES_MAX) return
  const verdict = await deps.store.till.admit({ ...admissionOf(caller, exchange.id, at), look: true })
  if (verdict.kind !== 'rate_limited') return
  exchange.rate = verdict.rate
  deps.usedUp.learn(caller, verdict.rate)
  throw new GatewayError(rateLimited(verdict))
}

/** Counts a request that holds nothing against its windows. Throws 429 only; the exchange hears the windows in every case. */
export async function admitWithoutHold(
  deps: Deps,
  caller: Caller,
  exchange: Exchange,
  at: number,
): Promise<void> {
  const verdict = await deps.store.till.admit(admissionOf(caller, exchange.id, at))
  exchange.rate = verdict.rate
  deps.usedUp.learn(caller, verdict.rate)
  if (verdict.kind === 'rate_limited') throw new GatewayError(rateLimited(verdict))
}

/**
 * Takes every window and the hold in one step. Throws 429 or 402; the exchange hears the windows in every case.
 *
 * @param remediesFor what would let the request through where only so much is free: ends of a sentence for the caller
 */
export async function admitWithHold(
  deps: Deps,
  caller: Caller,
  exchange: Exchange,
  at: number,
  hold: Omit<HoldRequest, 'expiresAt'>,
  remediesFor: (free: Nano) => readonly string[],
): Promise<Admitted> {
  const { id } = exchange
  const { till } = deps.store
  const verdict = await till.admit({
    ...admissionOf(caller, id, at),
    hold: { ...hold, expiresAt: at + LEASE_MS },
  })
  exchange.rate = verdict.rate
  deps.usedUp.learn(caller, verdict.rate)
  if (verdict.kind !== 'admitted') throw new GatewayError(refusalOfVerdict(verdict, caller, remediesFor))
  assert(verdict.hold !== undefined, 'who asks for a hold and is admitted has one')
  return createAdmitted(till, caller, id, at, verdict.hold, hold.most)
}

function createAdmitted(
  till: Till,
  caller: Caller,
  id: RequestId,
  startedAt: number,
  granted: GrantedHold,
  most: Nano,
): Admitted {
  let held = granted.amount
  return {
    id,
    caller,
    startedAt,
    get held() {
      return held
    },
    affordable: granted.affordable,
    coversMost: granted.amount >= most,
    async extend(amount, at) {
      if (amount === ZERO) return true
      const verdict = await till.extend({
        id,
        at,
        workspaceId: caller.workspace.id,
        keyId: caller.key.countersId,
        amount,
        keyMonthlySpend: caller.limits.keyMonthlySpend,
      })
      if (verdict.kind !== 'extended') return false
      held = addNano(held, amount)
      return true
    },
  }
}

function admissionOf(caller: Caller, id: RequestId, at: number): Admission {
  return { id, at, workspaceId: caller.workspace.id, keyId: caller.key.countersId, limits: caller.limits }
}
