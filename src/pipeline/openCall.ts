import { assert } from '../core/assert.ts'
import { generatedTextOf } from '../core/answer/generatedText.ts'
import { GatewayError } from '../core/error.ts'
import type { Ending } from '../core/ports/books.ts'
import type { KeptAnswer } from '../core/ports/till.ts'
import type { Admitted } from './admit/admitted.ts'
import {
  type Attended,
  type Call,
  type CallStart,
  type HeldCall,
  type IdempotencyClaim,
  STOPPED,
} from './call.ts'
import type { DispatchLog } from './dispatch/answer.ts'
import { isBilled } from '../core/settlement.ts'
import { unseenBeforeAnswer } from './relay/unseenOutput.ts'
import { reportEnded } from './settle/ended.ts'
import { CLIENT_LEFT_STATUS, type Outcome, type PricedOutcome } from './settle/outcome.ts'
import { priceOutcome } from './settle/price.ts'
import type { Plan } from './plan/plan.ts'
import { type CallerState, settle } from './settle/settle.ts'

const NO_CLAIM: IdempotencyClaim = {
  keeps: false,
  keep: () => undefined,
  free: () => Promise.resolve(),
}

/** Opens a call, with room for its body. Whoever opens it passes every error to `fail`. */
export function openCall(start: CallStart): Call {
  const { deps, exchange } = start
  const { key, workspace } = start.caller
  const share = deps.bodies.open({ keyId: key.countersId, workspaceId: workspace.id })
  let hold: OwnedHold | undefined

  const call: Call = {
    ...start,
    share,
    claim: NO_CLAIM,
    hold(plan, admitted) {
      assert(hold === undefined, 'a call takes one hold')
      hold = takeHold(call, { plan, admitted, giveBack })
      exchange.holds = true
      return hold.call
    },
    async fail(error) {
      if (hold) await hold.fail(error)
      else await giveBack(false)
    },
    release: () => giveBack(false),
  }

  /** @param kept the store keeps an answer under the Idempotency-Key, so the key is not free */
  async function giveBack(kept: boolean): Promise<void> {
    share.release()
    const { claim } = call
    call.claim = NO_CLAIM
    if (!kept) await claim.free()
  }

  return call
}

interface OwnedHold {
  readonly call: HeldCall
  /** Settles a call whose answer never reached its caller; nothing when its settlement has begun. Does not throw. */
  fail(error: unknown): Promise<void>
}

interface HoldStart {
  readonly plan: Plan
  readonly admitted: Admitted
  /** Gives back everything but the hold. */
  readonly giveBack: (kept: boolean) => Promise<void>
}

function takeHold(opened: Call, { plan, admitted, giveBack }: HoldStart): OwnedHold {
  const { deps, incoming } = opened
  const log: DispatchLog = {
    attempts: [],
    sent: 0,
    underway: undefined,
    sentTo: undefined,
    sentBytes: 0,
    dropped: [],
  }
  let attended: Attended | undefined
  let stopped = false
  let settled = false

  const call: HeldCall = {
    ...opened,
    id: admitted.id,
    countersId: admitted.caller.key.countersId,
    parallel: 1,
    plan,
    admitted,
    log,
    answer: undefined,
    attend(step) {
      attended = step
      if (stopped) step.stop()
    },
    unlessStopped: (step) =>
      new Promise((resolve, reject) => {
        call.attend({ tick: () => undefined, stop: () => reject(new Stopped()) })
        step.then(resolve, reject)
      }),
    tick: (now) => attended?.tick(now),
    stop() {
      stopped = true
      attended?.stop()
    },
    async price(outcome) {
      const priced = await priceOutcome(call, outcome)
      reportEnded(call, outcome, priced)
      return priced
    },
    settle: (priced, keep) => settleOnce(priced, 'waits', keep),
    settleUnwatched: (priced) => settleOnce(priced, 'served'),
  }

  /** The only end of a hold. Everything else is given back when the first settlement has been tried to its end. */
  async function settleOnce(priced: PricedOutcome, caller: CallerState, keep?: KeptAnswer): Promise<void> {
    assert(!settled, 'a call is settled once')
    settled = true
    let kept = false
    try {
      await settle(priced, call, caller, keep)
      kept = keep !== undefined
    } finally {
      await end(kept)
    }
  }

  function end(kept: boolean): Promise<void> {
    const givenBack = giveBack(kept)
    deps.calls.delete(seat)
    return givenBack
  }

  async function fail(error: unknown): Promise<void> {
    abortStream()
    if (settled) return
    try {
      await call.settleUnwatched(await call.price(failedBefore(error)))
    } catch (cause) {
      deps.events.gatewayFailed({ id: admitted.id, at: 'settlement', cause })
      // Not renewed any longer, the hold ends with its lease.
      if (!settled) await end(false)
    }
  }

  function abortStream(): void {
    try {
      if (call.answer?.body.kind === 'stream') call.answer.body.stream.abort()
    } catch (cause) {
      deps.events.gatewayFailed({ id: admitted.id, at: 'answer', cause })
    }
  }

  /** The outcome of a call that failed before its answer could be sent. */
  function failedBefore(error: unknown): Outcome {
    const ending = endingOf(error, log, incoming.signal)
    const part = isBilled(ending) ? log.underway?.part : undefined
    return {
      ending,
      status: statusOf(error, ending),
      answer: undefined,
      reported: part?.usage,
      generatedText: () => (part ? generatedTextOf(part) : ''),
      unseen: isBilled(ending) ? unseenBeforeAnswer(call) : undefined,
    }
  }

  const seat = deps.calls.add(call)
  return { call, fail }
}

/** The process ends before the provider has answered. */
class Stopped extends GatewayError {
  constructor() {
    super(STOPPED)
  }
}

function statusOf(error: unknown, ending: Ending): number {
  if (ending === 'client_left_before_answer') return CLIENT_LEFT_STATUS
  return error instanceof GatewayError ? error.status : 500
}

function endingOf(error: unknown, log: DispatchLog, signal: AbortSignal): Ending {
  const last = log.attempts.at(-1)
  // With an answer in hand, what throws is a fault of ours, whether or not the caller is still there.
  if (last?.outcome === 'answered' && !(error instanceof GatewayError)) return 'gateway_failed'
  if (error instanceof Stopped) return 'gateway_failed'
  if (signal.aborted) return 'client_left_before_answer'
  if (!(error instanceof GatewayError)) return 'gateway_failed'
  if (!last) return 'refused'
  if (last.outcome === 'no_share') return 'request_at_fault'
  return last.outcome === 'timeout' ? 'timeout' : 'provider_failed_before_answer'
}
