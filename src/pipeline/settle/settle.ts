import { ERRORS } from '../../core/error.ts'
import type { UsageRecord } from '../../core/ports/books.ts'
import type { KeptAnswer, Settlement } from '../../core/ports/till.ts'
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
/** How long a settlement is tried again that no caller waits for: the store may be away for a while. */
export const SETTLEMENT_LIFE_MS = 10 * 60_000
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 2_000

/** `waits`: the answer is sent after its settlement. `served`: the caller has what there is of the answer, or has left. */
export type CallerState = 'waits' | 'served'

/** What a call costs whose settlement goes on in the background, by its caller and by why it failed until then. */
const COST_IN_BACKGROUND = {
  /** The answer is not sent. */
  waits: { storeAway: 'nothing', fault: 'nothing' },
  served: { storeAway: 'its price', fault: 'nothing' },
} as const

/** What a settlement needs of its call. */
export interface SettlementContext {
  readonly admitted: Admitted
  readonly deps: PipelineDeps
}

/**
 * Settles a priced outcome. Where that fails, it goes on in the background. Throws for a caller that waits: then the
 * answer must not be sent. `OutcomeUnknown`: nor may it be said that it costs nothing.
 *
 * @param keep the answer to keep under the Idempotency-Key
 */
export async function settle(
  priced: PricedOutcome,
  context: SettlementContext,
  caller: CallerState,
  keep?: KeptAnswer,
): Promise<void> {
  try {
    await commit(settlementOf(priced, context, keep), priced, context, { patienceMs: SETTLEMENT_PATIENCE_MS })
  } catch (error) {
    const why = error instanceof StoreUnavailable ? 'storeAway' : 'fault'
    settleInBackground(priced, context, COST_IN_BACKGROUND[caller][why], error)
    if (caller === 'waits') throw error
    if (why === 'fault') {
      context.deps.events.gatewayFailed({ id: context.admitted.id, at: 'settlement', cause: error })
    }
  }
}

/** @param after why the attempts before have failed */
function settleInBackground(
  priced: PricedOutcome,
  context: SettlementContext,
  cost: 'its price' | 'nothing',
  after: unknown,
): void {
  const later = cost === 'nothing' ? madeFree(priced, after) : priced
  const settlement = {
    ...settlementOf(later, context),
    // An earlier attempt that was committed after all is taken back.
    ...(cost === 'nothing' && { refunds: true }),
  }
  const patience = { patienceMs: SETTLEMENT_LIFE_MS, inBackground: { after } }
  // `commit` has reported why it gave up.
  commit(settlement, later, context, patience).catch(() => undefined)
}

function settlementOf(
  { cost, record }: PricedOutcome,
  { admitted: { id, caller }, deps }: SettlementContext,
  answer?: KeptAnswer,
): Settlement {
  return {
    id,
    at: deps.now(),
    workspaceId: caller.workspace.id,
    keyId: caller.key.countersId,
    cost,
    keyMonthlySpend: caller.limits.keyMonthlySpend,
    record,
    ...(answer && { answer }),
  }
}

/** Its caller is answered with an error. */
function madeFree(priced: PricedOutcome, cause: unknown): PricedOutcome {
  const { record } = priced
  return {
    ...priced,
    cost: ZERO,
    record: { ...record, status: statusOf(record, cause), ending: 'gateway_failed', lines: [] },
  }
}

/** What the caller was answered: of a stream the 200 had been sent. */
function statusOf({ stream, status }: UsageRecord, cause: unknown): number {
  if (stream || status !== 200) return status
  return cause instanceof StoreUnavailable ? ERRORS.service_unavailable.status : ERRORS.internal_error.status
}

interface Patience {
  readonly patienceMs: number
  /** Only a stop waits for it, from its first attempt on. `after`: why the attempts before have failed. */
  readonly inBackground?: { readonly after: unknown }
}

/**
 * Commits charge, release and usage record in one transaction. Repeating it is harmless, so it is repeated while the store
 * does not take it; a caller waits for a store that is away only. Throws what the last attempt met: `OutcomeUnknown` when one
 * of the attempts may have been committed all the same. What its caller waits for no longer is still outstanding then, as it
 * goes on in the background.
 */
async function commit(
  settlement: Settlement,
  priced: PricedOutcome,
  { admitted, deps }: SettlementContext,
  { patienceMs, inBackground }: Patience,
): Promise<void> {
  const { outstanding } = deps
  const { id } = settlement
  let inDoubt = inBackground?.after instanceof OutcomeUnknown
  if (inBackground) {
    outstanding.add({ settlement, inDoubt, refused: false })
    if (outstanding.givenUp.aborted && inBackground.after instanceof StoreUnavailable)
      throw inBackground.after
  }
  const giveUpAt = deps.now() + patienceMs
  /** Between attempts. In the background this counts: a machine that has slept, or whose clock was set, has waited for nothing. */
  let waitedMs = 0
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
    try {
      const { charge, refund, writeoff } = await outstanding.attempt(deps.store.till.settle(settlement))
      outstanding.delete(id)
      outstanding.refusals.taken(id)
      deps.events.settled({
        id,
        workspaceId: settlement.workspaceId,
        route: routeOf(priced.record),
        ending: priced.record.ending,
        charge,
        refund,
        estimated: priced.usageSource === 'estimated',
        writeoff: writeoff > 0n ? { amount: writeoff, cause: causeOf(priced, admitted, deps) } : undefined,
      })
      return
    } catch (error) {
      inDoubt ||= error instanceof OutcomeUnknown
      outstanding.add({ settlement, inDoubt, refused: !(error instanceof StoreUnavailable) })
      const cause = error instanceof StoreUnavailable && inDoubt ? unknown(error) : error
      // Then one line names all that are left: see `Gateway.stop`.
      if (outstanding.givenUp.aborted) throw cause
      const at = deps.now()
      const isPatient = inBackground ? waitedMs + waitMs <= patienceMs : at + waitMs <= giveUpAt
      const isOver = !isPatient || (!inBackground && !(error instanceof StoreUnavailable))
      const lost = isOver && inBackground !== undefined
      const { first, setAside } = outstanding.refusals.refused(id, at)
      deps.events.settlementDelayed({ id, first, lost, cause })
      if (setAside) deps.events.settlementSetAside({ id, cost: settlement.cost, cause })
      if (lost) {
        outstanding.delete(id)
        outstanding.refusals.givenUp(id)
      }
      if (isOver) throw cause
      waitedMs += waitMs
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
