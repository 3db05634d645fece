import type { RequestId } from '../../core/id.ts'
import { addNano, formatUsd, type Nano, ZERO } from '../../core/money.ts'
import { type Settlement, type SettlementResult, StoreUnavailable } from '../../core/ports/till.ts'
import { createRecentList } from './recentList.ts'

/**
 * The settlements of the last minute: what a server that took over may not have, because its standby lagged or its last
 * writes were lost. Settling is idempotent, so all of them are made again there.
 */
export interface RecentSettlements {
  /** Takes one that the database has said to have committed. */
  remember(settlement: Settlement): void
  /**
   * Asks which server it is, and settles again what another one than the last does not have. Throws `StoreUnavailable`
   * when that cannot be done now: the next look does it.
   */
  look(): Promise<void>
  /** Looks no more. */
  close(): void
}

export interface RecentSettlementsDependencies {
  /** Names the server's life and the database: another answer means that something may be missing. */
  readonly server: () => Promise<string>
  readonly settle: (settlement: Settlement) => Promise<SettlementResult>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly onAgain: (again: SettledAgain) => void
  readonly sizeMax?: number
  readonly onFault: (fault: unknown) => void
}

/** What was found missing. */
export interface SettledAgain {
  readonly settled: number
  readonly charged: Nano
  /** What the balances there did not bear. */
  readonly writtenOff: Nano
  /** That the books did not take: their workspace or key is not there either. */
  readonly failed: readonly RequestId[]
}

/** How long one is remembered, in milliseconds: longer than a standby lags that anybody lets take over. */
export const REMEMBERED_MS = 60_000
/** So many are remembered, at most: the newest, some 6 MB. */
export const SIZE_MAX = 10_000
/** While anything is remembered, the server is asked so often who it is, in milliseconds. */
const LOOK_INTERVAL_MS = 2_000
/** So many are settled again together: new calls wait behind no more than these. */
const BATCH = 200

export function createRecentSettlements({
  server,
  settle,
  now,
  onAgain,
  onFault,
  sizeMax = SIZE_MAX,
}: RecentSettlementsDependencies): RecentSettlements {
  const recent = createRecentList(sizeMax)
  let known: string | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  let looking: Promise<void> | undefined
  let faulty = false
  let closed = false

  async function look(): Promise<void> {
    const askedAt = now()
    const answering = await server()
    if (known !== undefined && answering !== known) await settleAgain()
    known = answering
    recent.forget(askedAt - REMEMBERED_MS)
    if (recent.isEmpty()) rest()
  }

  async function settleAgain(): Promise<void> {
    const again = { settled: 0, charged: ZERO, writtenOff: ZERO, failed: [] as RequestId[] }
    const all = recent.all().map(({ settlement }) => settlement)
    const faults: unknown[] = []
    async function settleOne(settlement: Settlement): Promise<void> {
      try {
        const { charge, writeoff, repeated } = await settle({ ...settlement, at: now() })
        if (repeated) return
        again.settled++
        again.charged = addNano(again.charged, charge)
        again.writtenOff = addNano(again.writtenOff, writeoff)
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error
        faults.push(error)
        again.failed.push(settlement.id)
      }
    }
    try {
      for (let from = 0; from < all.length; from += BATCH) {
        const settled = await Promise.allSettled(all.slice(from, from + BATCH).map(settleOne))
        for (const one of settled) if (one.status === 'rejected') throw one.reason
      }
    } finally {
      if (again.settled > 0 || again.failed.length > 0) onAgain(again)
    }
    if (faults.length > 0) onFault(faults[0])
  }

  /** What is wrong with the database is the same at each look. */
  function tellOnce(fault: unknown): void {
    if (!faulty) onFault(fault)
    faulty = true
  }

  function lookInBackground(): void {
    looking ??= look()
      .then(() => {
        faulty = false
      })
      .catch((error: unknown) => {
        // The database is away: others say so.
        if (!(error instanceof StoreUnavailable)) tellOnce(error)
      })
      .finally(() => (looking = undefined))
  }

  function rest(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    remember({ answer: _answer, ...settlement }) {
      recent.add({ settlement, at: now() })
      if (!closed) timer ??= setInterval(lookInBackground, LOOK_INTERVAL_MS).unref()
    },
    look,
    close() {
      closed = true
      rest()
    },
  }
}

/** For the operator's log. */
export function againSentence({ settled, charged, writtenOff, failed }: SettledAgain): string {
  const amounts = `$${formatUsd(charged)} charged${writtenOff > 0n ? `, $${formatUsd(writtenOff)} written off, for the balances there do not bear it` : ''}`
  const made = `of the last settlements some are not in the database, as after a failover to a standby that lagged, or a restore: ${settled} were repeated (${amounts})`
  if (failed.length === 0) return made
  const named = failed.slice(0, NAMED_MAX).join(', ')
  return `${made}, ${failed.length} could not be made: ${named}${failed.length > NAMED_MAX ? ', …' : ''}`
}

/** How many calls the sentence names. */
const NAMED_MAX = 20
