import { refuse } from '../core/error.ts'
import type { RequestId } from '../core/id.ts'
import type { KeptAnswer } from '../core/ports/till.ts'
import type { Admitted } from './admit/admitted.ts'
import type { BodyShare } from './authenticate/bodyBudget.ts'
import type { Caller } from './authenticate/caller.ts'
import type { PipelineDeps } from './deps.ts'
import type { Answer, DispatchLog } from './dispatch/answer.ts'
import type { Incoming } from './authenticate/incoming.ts'
import type { LiveCall } from './liveCalls.ts'
import type { Outcome, PricedOutcome } from './settle/outcome.ts'
import type { Plan } from './plan/plan.ts'
import type { Exchange } from './reply.ts'

/** What a call begins with, once its key is verified. */
export interface CallStart {
  readonly exchange: Exchange
  readonly incoming: Incoming
  readonly caller: Caller
  readonly deps: PipelineDeps
}

/**
 * One request, from its verified key to its end. It owns what must be given back: room for its body, its
 * Idempotency-Key, its hold and the provider's stream. Each is given back once, in `openCall.ts` alone: when the
 * hold is settled, or by `fail` or `release`.
 */
export interface Call extends CallStart {
  /** Looked up again when the body took longer than a key is remembered. */
  caller: Caller
  /** Room for the body. */
  readonly share: BodyShare
  claim: IdempotencyClaim
  /** Takes a hold over. From then on the call is alive until the hold is settled, exactly once. */
  hold(plan: Plan, admitted: Admitted): HeldCall
  /** Ends a call that its caller gets no answer to: gives back whatever it owns by now. Does not throw. */
  fail(error: unknown): Promise<void>
  /** Ends a call that needs no hold: it costs nothing, or is answered from an earlier call. */
  release(): Promise<void>
}

/** A call that owns a hold. */
export interface HeldCall extends Call, LiveCall {
  readonly id: RequestId
  readonly plan: Plan
  readonly admitted: Admitted
  readonly log: DispatchLog
  /** The provider's answer. If it is a stream, `fail` aborts it. */
  answer: Answer | undefined
  /** Registers what receives the ticks of the live calls, and the stop, from now on. */
  attend(step: Attended): void
  /** The same as the step, but that it rejects when the process ends. */
  unlessStopped<Result>(step: Promise<Result>): Promise<Result>
  /** Computes what the outcome costs, and reports how the answer ended. Nothing is written yet. */
  price(outcome: Outcome): Promise<PricedOutcome>
  /**
   * Commits what the answer cost; the answer may be sent only after it. Throws `StoreUnavailable` when
   * the store stays away: then the answer must not be sent, and costs nothing. `OutcomeUnknown`: nor may it be said that
   * it costs nothing.
   *
   * @param keep the answer to keep under the Idempotency-Key; without it the key is freed
   */
  settle(priced: PricedOutcome, keep?: KeptAnswer): Promise<void>
  /** Commits an outcome that no caller waits for. While the store is away, the attempts go on in the background. */
  settleUnwatched(priced: PricedOutcome): Promise<void>
}

/** What a held call is at. */
export type Attended = Pick<LiveCall, 'tick' | 'stop'>

/** What the caller is answered whose call outlives the drain time. */
export const STOPPED = refuse(
  'service_unavailable',
  'The gateway had a server error: it is shutting down, and this call took longer than it waits. You were not charged. Retry now.',
  { retryAfterSeconds: 1 },
)

/** A held call with its answer: all that a reply is made of. */
export interface ReplyContext<Whole = unknown> {
  readonly call: HeldCall
  readonly answer: Answer<Whole>
}

/** The Idempotency-Key that a call has claimed: an answer is kept under it, or it is freed. */
export interface IdempotencyClaim {
  /** Whether there is a key to keep the answer for. */
  readonly keeps: boolean
  /** The answer as it is to be kept; undefined when it is too long, or when there is no key. */
  keep(contentType: string, body: string): KeptAnswer | undefined
  /** Does not throw. */
  free(): Promise<void>
}
