import { ERRORS } from '../../core/error.ts'
import type { UsageRecord } from '../../core/ports/books.ts'
import type { KeptAnswer, Settlement, SettlementResult } from '../../core/ports/till.ts'
import { OutcomeUnknown, StoreUnavailable } from '../../core/ports/till.ts'
import { ZERO } from '../../core/money.ts'
import { type WriteoffCause, writeoffCause } from '../../core/writeoff.ts'
import type { Admitted } from '../admit/admitted.ts'
import type { PipelineDeps } from '../deps.ts'
import type { PricedOutcome } from './outcome.ts'

/**
 * How long an answer waits for its settlement before the caller gets a 503 instead: longer than two round trips that get
 * no answer.
 */
export const SETTLEMENT_PATIENCE_MS = 13_000
/** How long a settlement that nobody waits for is tried again: the store may be away for a while. */
export const SETTLEMENT_LIFE_MS = 10 * 60_000
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 2_000
/** Calls of which a delay was reported: one that is repeated in the background is the same delay. */
const delayed = new WeakSet<Admitted>()

export interface CommitOptions {
  readonly patienceMs: number
  readonly answer?: KeptAnswer
  /** The answer was not sent: what an earlier attempt has charged is given back. */
  readonly refunds?: boolean
  /** Why the attempts before this one failed. */
  readonly after?: unknown
  /** Nobody waits for it: a stop has to, from its first attempt on. */
  readonly inBackground?: boolean
}

/**
 * Commits a priced outcome: charge, release and usage record in one transaction. Repeating it is
 * harmless, so it is repeated while the store is away. Throws `StoreUnavailable` after `patienceMs`: `OutcomeUnknown` when
 * one of the attempts may have been committed all the same.
 */
export async function commit(
  priced: PricedOutcome,
  admitted: Admitted,
  deps: PipelineDeps,
  options: CommitOptions,
): Promise<SettlementResult> {
  const { outstanding } = deps
  const settlement: Settlement = {
    id: admitted.id,
    at: deps.now(),
    workspaceId: admitted.caller.workspace.id,
    keyId: admitted.caller.key.countersId,
    cost: priced.cost,
    keyMonthlySpend: admitted.caller.limits.keyMonthlySpend,
    record: priced.record,
    ...(options.answer && { answer: options.answer }),
    ...(options.refunds && { refunds: true }),
  }
  const { after } = options
  let inDoubt = after instanceof OutcomeUnknown
  if (options.inBackground) {
    outstanding.add({ settlement, inDoubt })
    if (outstanding.givenUp.aborted && after instanceof StoreUnavailable) throw after
  }
  const giveUpAt = deps.now() + options.patienceMs
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
    try {
      const result = await outstanding.attempt(deps.store.till.settle(settlement))
      outstanding.delete(admitted.id)
      deps.events.settled({
        id: admitted.id,
        workspaceId: settlement.workspaceId,
        route: routeOf(priced.record),
        ending: priced.record.ending,
        charge: result.charge,
        refund: result.refund,
        estimated: priced.usageSource === 'estimated',
        writeoff:
          result.writeoff > 0n
            ? { amount: result.writeoff, cause: causeOf(priced, admitted, deps) }
            : undefined,
      })
      return result
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        outstanding.delete(admitted.id)
        throw error
      }
      inDoubt ||= error instanceof OutcomeUnknown
      outstanding.add({ settlement, inDoubt })
      const cause = inDoubt ? unknown(error) : error
      // Then one line names all that are left: see `Gateway.stop`.
      if (outstanding.givenUp.aborted) throw cause
      const isOver = deps.now() + waitMs > giveUpAt
      // What its caller waits for no longer goes on in the background, as it is or free.
      const lost = isOver && options.inBackground === true
      const first = !delayed.has(admitted)
      delayed.add(admitted)
      deps.events.settlementDelayed({ id: admitted.id, first, lost, cause })
      if (isOver) {
        outstanding.delete(admitted.id)
        throw cause
      }
      await deps.sleep(waitMs, outstanding.givenUp)
    }
  }
}

/** Whatever the last attempt met, an earlier one may have been committed. */
function unknown(error: StoreUnavailable): OutcomeUnknown {
  if (error instanceof OutcomeUnknown) return error
  return new OutcomeUnknown('the store did not say whether a settlement was committed', { cause: error })
}

function routeOf({ provider, upstreamModel }: UsageRecord): string | null {
  return provider === null ? null : `${provider}/${upstreamModel}`
}

/** The call is settled: a fault in saying why part of it was written off undoes nothing, and leaves nothing uncounted. */
function causeOf({ overrun }: PricedOutcome, { id }: Admitted, deps: PipelineDeps): WriteoffCause {
  try {
    return overrun ? writeoffCause(overrun()) : 'hold_gone'
  } catch (cause) {
    deps.events.gatewayFailed({ id, at: 'report', cause })
    return 'unseen_output'
  }
}

/**
 * Commits an outcome that costs nothing, in the background: its caller is answered with an error. An earlier attempt to
 * charge it that was committed after all is refunded.
 * @param cause why that attempt failed
 */
export function commitFree(
  priced: PricedOutcome,
  admitted: Admitted,
  deps: PipelineDeps,
  cause: unknown,
): void {
  const free: PricedOutcome = {
    ...priced,
    cost: ZERO,
    record: { ...priced.record, status: statusOf(priced.record, cause), ending: 'gateway_failed', lines: [] },
  }
  commitLater(free, admitted, deps, { refunds: true, after: cause })
}

/** What the caller was answered: of a stream the 200 had been sent. */
function statusOf({ stream, status }: UsageRecord, cause: unknown): number {
  if (stream || status !== 200) return status
  return cause instanceof StoreUnavailable ? ERRORS.service_unavailable.status : ERRORS.internal_error.status
}

/** Commits in the background, for as long as the store may be away. */
export function commitLater(
  priced: PricedOutcome,
  admitted: Admitted,
  deps: PipelineDeps,
  options: Pick<CommitOptions, 'refunds' | 'after'> = {},
): void {
  const patient = { ...options, patienceMs: SETTLEMENT_LIFE_MS, inBackground: true }
  commit(priced, admitted, deps, patient).catch((cause: unknown) => {
    // `commit` has reported a store that stayed away.
    if (cause instanceof StoreUnavailable) return
    deps.events.settlementDelayed({ id: admitted.id, first: true, lost: true, cause })
  })
}
