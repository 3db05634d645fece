import { GatewayError } from '../core/error.ts'
import type { Ending } from '../core/ports/books.ts'
import { type KeptAnswer, type SettlementResult, StoreUnavailable } from '../core/ports/till.ts'
import { routeName } from '../upstream/route.ts'
import type { WireServer } from '../wire/wire.ts'
import type { Admitted } from './admit.ts'
import type { PipelineDeps } from './deps.ts'
import type { Answer, DispatchLog } from './dispatch.ts'
import type { Claimed } from './idempotency.ts'
import type { Incoming } from './incoming.ts'
import type { LiveCall } from './liveCalls.ts'
import {
  CLIENT_LEFT_STATUS,
  type Outcome,
  type PricedOutcome,
  priceByEstimate,
  priceOutcome,
} from './outcome.ts'
import type { Plan } from './plan.ts'
import { SETTLEMENT_PATIENCE_MS, commit, commitFree, commitLater } from './settle.ts'
import { learnFromWriteoff } from './unseenLearner.ts'

/** A call that owns a hold: alive until it is settled, and settled exactly once. */
export interface CallScope extends LiveCall {
  readonly admitted: Admitted
  readonly log: DispatchLog
  /** From now on hears the ticks of the live calls. */
  onTick(listener: (now: number) => void): void
  /** Settles a call whose answer never reached its caller. Does not throw. */
  fail(error: unknown): Promise<void>
  /** Says what the outcome costs. Nothing is written yet. */
  price(outcome: Outcome): Promise<PricedOutcome>
  /**
   * Commits what the answer cost; the answer may be sent only after it. Throws `StoreUnavailable` when
   * the store stays away: then the answer must not be sent, and costs nothing. `OutcomeUnknown`: nor may it be said that
   * it costs nothing.
   */
  settle(priced: PricedOutcome, keep?: KeptAnswer): Promise<void>
  /** Commits an outcome that nobody waits for, for as long as the store is away. */
  settleUnwatched(priced: PricedOutcome): Promise<void>
}

/** Everything a reply is made of, once a provider has answered. */
export interface Answering {
  readonly incoming: Incoming
  readonly plan: Plan
  readonly answer: Answer
  readonly call: CallScope
  readonly claimed: Claimed
  readonly server: WireServer
  readonly deps: PipelineDeps
}

/** @param onOver called when the call is settled or given up; maybe more than once */
export function openCall(
  plan: Plan,
  admitted: Admitted,
  signal: AbortSignal,
  onOver: () => void,
  deps: PipelineDeps,
): CallScope {
  const log: DispatchLog = { attempts: [], sent: 0, sentTo: undefined, sentBytes: 0, dropped: [] }
  let listener: ((now: number) => void) | undefined
  let settled = false
  let answered: Answer | undefined

  const scope: CallScope = {
    id: admitted.id,
    admitted,
    log,
    onTick(to) {
      listener = to
    },
    tick: (now) => listener?.(now),
    async price(outcome) {
      const priced = await priceAnyway(outcome)
      answered = outcome.answer
      try {
        tellRouter(outcome, priced)
        learnNeed(outcome, priced)
        deps.events.conversation(admitted.id, () => ({
          messages: plan.request.messages,
          answer: outcome.generatedText(),
        }))
      } catch (cause) {
        deps.events.gatewayFailed({ id: admitted.id, at: 'report', cause })
      }
      return priced
    },
    async fail(error) {
      if (settled) return
      const ending = endingOf(error, log, signal)
      const priced = await scope.price({
        ending,
        status: statusOf(error, ending),
        answer: undefined,
        reported: undefined,
        generatedText: () => '',
      })
      await scope.settleUnwatched(priced)
    },
    async settle(priced, keep) {
      settled = true
      try {
        const result = await commit(priced, admitted, deps, {
          patienceMs: SETTLEMENT_PATIENCE_MS,
          ...(keep && { answer: keep }),
        })
        learnLoss(priced, result)
      } catch (error) {
        // The answer will not be sent, so it costs nothing.
        commitFree(priced, admitted, deps, error)
        throw error
      } finally {
        onOver()
        deps.calls.delete(scope)
      }
    },
    async settleUnwatched(priced) {
      settled = true
      try {
        learnLoss(priced, await commit(priced, admitted, deps, { patienceMs: SETTLEMENT_PATIENCE_MS }))
      } catch (error) {
        if (error instanceof StoreUnavailable) {
          // The caller is not kept waiting for a store that is away; the settlement goes on without it.
          commitLater(priced, admitted, deps, { after: error })
        } else {
          deps.events.gatewayFailed({ id: admitted.id, at: 'settlement', cause: error })
          commitFree(priced, admitted, deps, error)
        }
      } finally {
        onOver()
        deps.calls.delete(scope)
      }
    },
  }

  /** What a whole answer took is what the next ones may need. */
  function learnNeed({ answer, ending }: Outcome, { usage }: PricedOutcome): void {
    if (!answer || (ending !== 'completed' && ending !== 'length')) return
    const each = Math.ceil(usage.completionTokens / plan.request.n)
    deps.learntNeeds.learn(admitted.caller.workspace.id, answer.route.model, each)
  }

  /** The call is settled: a fault in learning from it undoes nothing. */
  function learnLoss(priced: PricedOutcome, result: SettlementResult): void {
    if (!answered) return
    try {
      learnFromWriteoff({ answer: answered, plan, deps }, priced, result)
    } catch (cause) {
      deps.events.gatewayFailed({ id: admitted.id, at: 'report', cause })
    }
  }

  /** A fault in counting strands no call, and makes none free while the estimate can stand in for the count. */
  async function priceAnyway(outcome: Outcome): Promise<PricedOutcome> {
    try {
      return await priceOutcome(outcome, admitted, plan, log, deps)
    } catch (cause) {
      deps.events.gatewayFailed({ id: admitted.id, at: 'pricing', cause })
    }
    try {
      return priceByEstimate(outcome, admitted, plan, log, deps)
    } catch (cause) {
      deps.events.gatewayFailed({ id: admitted.id, at: 'pricing', cause })
      const free: Outcome = { ...outcome, ending: 'gateway_failed', generatedText: () => '' }
      return priceByEstimate(free, admitted, plan, log, deps)
    }
  }

  /** Every answer that began is priced once, whoever ended it. */
  function tellRouter(
    { answer, ending, failure }: Outcome,
    { usage, usageSource, record }: PricedOutcome,
  ): void {
    if (!answer) return
    if (failure) deps.events.answerFailed({ id: admitted.id, route: routeName(answer.route), failure })
    deps.router.ended(answer.route, {
      failure,
      whole: ending === 'completed' || ending === 'length',
      outputTokens: usage.completionTokens / plan.request.n,
      reported: usageSource === 'reported',
      durationMs: record.endedAt - (log.attempts.at(-1)?.startedAt ?? admitted.startedAt),
    })
  }

  deps.calls.add(scope)
  return scope
}

function statusOf(error: unknown, ending: Ending): number {
  if (ending === 'client_left_before_answer') return CLIENT_LEFT_STATUS
  return error instanceof GatewayError ? error.status : 500
}

function endingOf(error: unknown, log: DispatchLog, signal: AbortSignal): Ending {
  const last = log.attempts.at(-1)
  // With an answer in hand, what throws is a fault of ours, whether or not the caller is still there.
  if (last?.outcome === 'answered' && !(error instanceof GatewayError)) return 'gateway_failed'
  if (signal.aborted) return 'client_left_before_answer'
  if (!(error instanceof GatewayError)) return 'gateway_failed'
  if (!last) return 'refused'
  return last.outcome === 'timeout' ? 'timeout' : 'provider_failed_before_answer'
}
