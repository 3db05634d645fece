import type { UsageRecord } from '../core/ports/books.ts'
import type { KeptAnswer, Settlement, SettlementResult } from '../core/ports/till.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import { type Nano, ZERO } from '../core/money.ts'
import { type WriteoffParts, writeoffParts } from '../core/writeoff.ts'
import type { Admitted } from './admit.ts'
import type { PipelineDeps } from './deps.ts'
import type { PricedOutcome } from './outcome.ts'

/** How long an answer waits for its settlement before the caller gets a 503 instead. */
export const SETTLEMENT_PATIENCE_MS = 10_000
/** How long a settlement that nobody waits for is tried again: the store may be away for a while. */
const SETTLEMENT_LIFE_MS = 10 * 60_000
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 2_000
/** Calls of which a delay was reported: one that is repeated in the background is the same delay. */
const delayed = new WeakSet<Admitted>()

/**
 * Commits a priced outcome: charge, release and usage record in one transaction. Repeating it is
 * harmless, so it is repeated while the store is away. Throws `StoreUnavailable` after `patienceMs`.
 */
export async function commit(
  priced: PricedOutcome,
  admitted: Admitted,
  deps: PipelineDeps,
  options: { patienceMs: number; answer?: KeptAnswer },
): Promise<SettlementResult> {
  const settlement: Settlement = {
    id: admitted.id,
    at: deps.now(),
    workspaceId: admitted.caller.workspace.id,
    keyId: admitted.caller.key.countersId,
    cost: priced.cost,
    keyMonthlySpend: admitted.caller.limits.keyMonthlySpend,
    record: priced.record,
    ...(options.answer && { answer: options.answer }),
  }
  const giveUpAt = deps.now() + options.patienceMs
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
    try {
      const result = await deps.store.till.settle(settlement)
      deps.events.settled({
        id: admitted.id,
        workspaceId: settlement.workspaceId,
        route: routeOf(priced.record),
        ending: priced.record.ending,
        charge: result.charge,
        estimated: priced.usageSource === 'estimated',
        writeoff: result.writeoff > 0n ? partsOf(result.writeoff, priced, admitted, deps) : undefined,
      })
      return result
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      const lost = deps.now() + waitMs > giveUpAt
      const first = !delayed.has(admitted)
      delayed.add(admitted)
      deps.events.settlementDelayed({ id: admitted.id, first, lost, cause: error })
      if (lost) throw error
      await deps.sleep(waitMs)
    }
  }
}

function routeOf({ provider, upstreamModel }: UsageRecord): string | null {
  return provider === null ? null : `${provider}/${upstreamModel}`
}

/** The call is settled: a fault in saying why part of it was written off undoes nothing, and keeps no part uncounted. */
function partsOf(
  writeoff: Nano,
  { overrun }: PricedOutcome,
  { id }: Admitted,
  deps: PipelineDeps,
): WriteoffParts {
  try {
    return writeoffParts(writeoff, overrun?.())
  } catch (cause) {
    deps.events.gatewayFailed({ id, at: 'report', cause })
    return writeoffParts(writeoff)
  }
}

/** Commits an outcome that costs nothing, in the background: its caller has already been answered with an error. */
export function commitFree(priced: PricedOutcome, admitted: Admitted, deps: PipelineDeps): void {
  const free: PricedOutcome = {
    ...priced,
    cost: ZERO,
    record: { ...priced.record, ending: 'gateway_failed', lines: [] },
  }
  commitLater(free, admitted, deps)
}

/** Commits in the background, for as long as the store may be away. */
export function commitLater(priced: PricedOutcome, admitted: Admitted, deps: PipelineDeps): void {
  commit(priced, admitted, deps, { patienceMs: SETTLEMENT_LIFE_MS }).catch((cause: unknown) => {
    // `commit` has reported a store that stayed away.
    if (cause instanceof StoreUnavailable) return
    deps.events.settlementDelayed({ id: admitted.id, first: true, lost: true, cause })
  })
}
