import { assert } from '../../core/assert.ts'
import { GatewayError } from '../../core/error.ts'
import type { RequestId } from '../../core/id.ts'
import { type Nano, ZERO, addNano } from '../../core/money.ts'
import type { Admission, HoldRequest, Till } from '../../core/ports/till.ts'
import type { Plan } from '../plan/plan.ts'
import { choiceTokensWithin } from './holdSize.ts'
import { holdTermsOf } from './holdTerms.ts'
import { rateLimited, refusalOfVerdict } from './refusal.ts'
import type { Admitted } from './admitted.ts'
import type { Call, CallStart } from '../call.ts'
import type { Caller } from '../authenticate/caller.ts'
import type { PipelineDeps } from '../deps.ts'
import type { Exchange } from '../reply.ts'

/** A hold's lease; renewed while its call lives. */
export const LEASE_MS = 30_000

/** A body up to this size is cheaper to read than it is to ask the store whether to. */
const UNASKED_BODY_BYTES_MAX = 1024 * 1024

type Deps = Pick<PipelineDeps, 'store' | 'usedUp'>

/**
 * Before a body is read: refuses a caller whose window is used up. Throws 429 only,
 * and counts nothing.
 */
export async function refuseUsedUp(start: CallStart, at: number): Promise<void> {
  const { deps, caller, exchange, incoming } = start
  const { bodyBytes } = incoming
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

/** Takes every window and the hold in one step. Throws 429 or 402; the exchange hears the windows in every case. */
export async function admitWithHold(call: Call, plan: Plan, at: number): Promise<Admitted> {
  const { deps, caller, exchange } = call
  const hold = holdTermsOf(plan, call, at)
  const verdict = await askTill(call, plan, {
    ...admissionOf(caller, exchange.id, at),
    hold: leased(hold, at),
  })
  assert(verdict.hold !== undefined, 'who asks for a hold and is admitted has one')
  const { amount, affordable } = verdict.hold
  return createAdmitted(deps.store.till, {
    id: exchange.id,
    caller,
    startedAt: at,
    held: amount,
    affordable,
    coversMost: amount >= hold.most,
  })
}

/** The same for a call that no target can take now: it is counted and its money is asked for, but nothing is held. */
export async function admitHoldingNothing(call: Call, plan: Plan, at: number): Promise<void> {
  const { caller, exchange } = call
  const hold = leased(holdTermsOf(plan, call, at), at)
  await askTill(call, plan, { ...admissionOf(caller, exchange.id, at), hold, holdsNothing: true })
}

async function askTill({ deps, caller, exchange }: Call, plan: Plan, admission: Admission) {
  const verdict = await deps.store.till.admit(admission)
  exchange.rate = verdict.rate
  deps.usedUp.learn(caller, verdict.rate)
  if (verdict.kind === 'admitted') return verdict
  const maxTokensWithin = (free: Nano): number => choiceTokensWithin(free, plan, admission.at)
  throw new GatewayError(refusalOfVerdict(verdict, caller, maxTokensWithin))
}

function leased(hold: Omit<HoldRequest, 'expiresAt'>, at: number): HoldRequest {
  return { ...hold, expiresAt: at + LEASE_MS }
}

function createAdmitted(till: Till, granted: Omit<Admitted, 'extend'>): Admitted {
  const { id, caller } = granted
  let { held } = granted
  return {
    ...granted,
    get held() {
      return held
    },
    async extend(amount, least, at) {
      if (amount === ZERO) return { kind: 'extended', amount }
      const verdict = await till.extend({
        id,
        at,
        workspaceId: caller.workspace.id,
        keyId: caller.key.countersId,
        amount,
        least,
        keyMonthlySpend: caller.limits.keyMonthlySpend,
      })
      if (verdict.kind === 'extended') held = addNano(held, verdict.amount)
      return verdict
    },
  }
}

function admissionOf(caller: Caller, id: RequestId, at: number): Admission {
  return { id, at, workspaceId: caller.workspace.id, keyId: caller.key.countersId, limits: caller.limits }
}
