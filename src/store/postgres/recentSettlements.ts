import type { RequestId } from '../../core/id.ts'
import { addNano, formatUsd, type Nano, ZERO } from '../../core/money.ts'
import { type Settlement, type SettlementResult, StoreUnavailable } from '../../core/ports/till.ts'
import { createRecentList, type Remembered } from './recentList.ts'

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
  /** What was charged, of those of the calls that are settled. */
  readonly chargesOf: (ids: readonly RequestId[]) => Promise<ReadonlyMap<RequestId, Nano>>
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
  /** That the books did not take for ten minutes: their workspace or key is not there either. */
  readonly failed: readonly RequestId[]
}

/** How long one is remembered, in milliseconds: longer than a standby lags that anybody lets take over. */
export const REMEMBERED_MS = 60_000
/**
 * How long one is tried that another server does not have, in milliseconds: its database may still be under way from a
 * backup.
 */
const DOUBTFUL_MS = 600_000
/** So many are remembered, at most: the newest, some 6 MB. */
export const SIZE_MAX = 10_000
/** While anything is remembered, the server is asked so often who it is, in milliseconds. */
const LOOK_INTERVAL_MS = 2_000
/** So many are settled again together: new calls wait behind no more than these. */
const BATCH = 200

export function createRecentSettlements({
  server,
  chargesOf,
  settle,
  now,
  onAgain,
  onFault,
  sizeMax = SIZE_MAX,
}: RecentSettlementsDependencies): RecentSettlements {
  const recent = createRecentList(sizeMax)
  /** What may be missing where calls are settled now; `at`: since when that is tried. */
  const doubtful = new Map<RequestId, Remembered>()
  let known: string | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  let looking: Promise<void> | undefined
  let faulty = false
  let closed = false

  async function look(): Promise<void> {
    const askedAt = now()
    const answering = await server()
    if (known !== undefined && answering !== known) {
      for (const { settlement } of recent.all()) {
        const { id } = settlement
        doubtful.set(id, { settlement, at: doubtful.get(id)?.at ?? askedAt })
      }
    }
    known = answering
    if (doubtful.size > 0) await settleAgain(askedAt)
    recent.forget(askedAt - REMEMBERED_MS)
    if (recent.isEmpty() && doubtful.size === 0) rest()
  }

  async function settleAgain(askedAt: number): Promise<void> {
    const again = { settled: 0, charged: ZERO, writtenOff: ZERO, failed: [] as RequestId[] }
    const all = [...doubtful.values()]
    try {
      for (let from = 0; from < all.length; from += BATCH) await settleBatch(all.slice(from, from + BATCH))
    } finally {
      for (const [id, { at }] of doubtful) {
        if (at > askedAt - DOUBTFUL_MS) continue
        doubtful.delete(id)
        again.failed.push(id)
      }
      if (again.settled > 0 || again.failed.length > 0) onAgain(again)
    }

    async function settleBatch(batch: readonly Remembered[]): Promise<void> {
      const charges = await chargesOf(batch.map(({ settlement }) => settlement.id))
      const at = now()
      let away: StoreUnavailable | undefined
      async function settleOne({ settlement }: Remembered): Promise<void> {
        const { id } = settlement
        if (isMissing(settlement, charges.get(id))) {
          try {
            const { charge, writeoff } = await settle({ ...settlement, at })
            again.settled++
            again.charged = addNano(again.charged, charge)
            again.writtenOff = addNano(again.writtenOff, writeoff)
          } catch (error) {
            if (error instanceof StoreUnavailable) away = error
            else tellOnce(error)
            return
          }
        }
        doubtful.delete(id)
      }
      await Promise.all(batch.map(settleOne))
      if (away) throw away
    }
  }

  /** What is wrong with the database is the same at each look. */
  function tellOnce(fault: unknown): void {
    if (!faulty) onFault(fault)
    faulty = true
  }

  function lookInBackground(): void {
    looking ??= look()
      .then(() => (faulty &&= doubtful.size > 0))
      .catch((error: unknown) => {
        // The database is away: others say so.
        if (!(error instanceof StoreUnavailable)) tellOnce(error)
      })
      .then(() => undefined)
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

/** Also of a charge that is there again, though it had been given back. */
function isMissing({ refunds }: Settlement, charge: Nano | undefined): boolean {
  return charge === undefined || (refunds === true && charge > 0n)
}

/** For the operator's log. */
export function againSentence({ settled, charged, writtenOff, failed }: SettledAgain): string {
  const amounts = `$${formatUsd(charged)} charged${writtenOff > 0n ? `, $${formatUsd(writtenOff)} written off, for the balances there do not bear it` : ''}`
  const made = `of the last settlements some are not in the database, as after a failover to a standby that lagged, or a restore: ${settled} were repeated (${amounts})`
  if (failed.length === 0) return made
  const named = failed.slice(0, NAMED_MAX).join(', ')
  return `${made}, ${failed.length} could not be made for ten minutes: ${named}${failed.length > NAMED_MAX ? ', …' : ''}`
}

/** How many calls the sentence names. */
const NAMED_MAX = 20
