import { assert } from '../core/assert.ts'
import { GatewayError, type Refusal, refuse } from '../core/error.ts'
import type { RequestId } from '../core/id.ts'
import { type Nano, ZERO, addNano, formatUsd } from '../core/money.ts'
import type {
  Admission,
  AdmissionVerdict,
  GrantedHold,
  HoldRequest,
  LimitName,
  RateStatus,
  Till,
} from '../core/ports/till.ts'
import type { Caller } from './caller.ts'
import type { PipelineDeps } from './deps.ts'
import type { Exchange } from './reply.ts'

/** A hold's lease (rulings, "Ledger"); renewed while its call lives. */
export const LEASE_MS = 30_000
/** What a 402 suggests to wait when only other calls' holds stand in the way. */
const HELD_RETRY_AFTER_SECONDS = 5

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

/** Takes every window and the hold in one step. Throws 429 or 402; the exchange hears the windows in every case. */
export async function admitWithHold(
  deps: Deps,
  caller: Caller,
  exchange: Exchange,
  at: number,
  hold: Omit<HoldRequest, 'expiresAt'>,
): Promise<Admitted> {
  const { id } = exchange
  const { till } = deps.store
  const verdict = await till.admit({
    ...admissionOf(caller, id, at),
    hold: { ...hold, expiresAt: at + LEASE_MS },
  })
  exchange.rate = verdict.rate
  deps.usedUp.learn(caller, verdict.rate)
  if (verdict.kind !== 'admitted') throw new GatewayError(refusalOfVerdict(verdict))
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
        keyId: caller.key.id,
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
  return { id, at, workspaceId: caller.workspace.id, keyId: caller.key.id, limits: caller.limits }
}

type RefusedVerdict = Exclude<AdmissionVerdict, { kind: 'admitted' }>

function refusalOfVerdict(verdict: RefusedVerdict): Refusal {
  switch (verdict.kind) {
    case 'rate_limited':
      return rateLimited(verdict)
    case 'insufficient_balance':
      return refuse(
        'insufficient_balance',
        verdict.heldByOthers
          ? `This request needs $${formatUsd(verdict.needed)} and $${formatUsd(verdict.available)} is free now: the rest of the balance is held by calls in flight. Retry when they have ended.`
          : `This request needs $${formatUsd(verdict.needed)} and $${formatUsd(verdict.available)} is available. Add credit, or ask for fewer tokens with max_tokens.`,
        verdict.heldByOthers ? { retryAfterSeconds: HELD_RETRY_AFTER_SECONDS } : {},
      )
    case 'spend_limit_exceeded':
      return refuse(
        'spend_limit_exceeded',
        verdict.heldByOthers
          ? `This request needs $${formatUsd(verdict.needed)} and $${formatUsd(verdict.available)} of the key's monthly spend limit is free now: the rest is held by calls in flight. Retry when they have ended.`
          : `This request needs $${formatUsd(verdict.needed)} and $${formatUsd(verdict.available)} is left of the key's monthly spend limit.`,
        verdict.heldByOthers ? { retryAfterSeconds: HELD_RETRY_AFTER_SECONDS } : {},
      )
  }
}

const LIMIT_WORDS: Record<LimitName, (limit: number) => string> = {
  workspace_minute: (limit) => `the workspace's limit of ${limit} requests per minute`,
  key_minute: (limit) => `the key's limit of ${limit} requests per minute`,
  key_day: (limit) => `the key's limit of ${limit} requests per day`,
  key_concurrency: (limit) => `the key's limit of ${limit} requests at once`,
}

function rateLimited(verdict: { rate: RateStatus; retryAfterMs: number }): Refusal {
  const seconds = Math.max(1, Math.ceil(verdict.retryAfterMs / 1000))
  const words = LIMIT_WORDS[verdict.rate.name](verdict.rate.limit)
  return refuse('rate_limit_exceeded', `Too many requests: ${words} is used up. Retry in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  })
}
