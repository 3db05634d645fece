import type { RequestId } from '../../core/id.ts'
import { addNano, formatUsd, type Nano, ZERO } from '../../core/money.ts'
import { type Settlement, type SettlementResult, StoreUnavailable } from '../../core/ports/till.ts'

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
  /** That the books could not take: their workspace or key is not there either, as in the books of somebody else. */
  readonly failed: readonly RequestId[]
}

/** How long one is remembered, in milliseconds: longer than a standby lags that anybody lets take over. */
const REMEMBERED_MS = 60_000
/** So many are remembered, at most: the newest, some 20 MB. */
const SIZE_MAX = 10_000
/** While anything is remembered, the server is asked so often who it is, in milliseconds. */
const LOOK_INTERVAL_MS = 2_000
/** So many are settled again together: new calls wait behind no more than these. */
const BATCH = 200

interface Remembered {
  readonly settlement: Settlement
  readonly at: number
}

export function createRecentSettlements({
  server,
  chargesOf,
  settle,
  now,
  onAgain,
  onFault,
  sizeMax = SIZE_MAX,
}: RecentSettlementsDependencies): RecentSettlements {
  /** In the order of their commits. */
  const recent = new Map<RequestId, Remembered>()
  let known: string | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  let looking: Promise<void> | undefined
  let closed = false

  async function look(): Promise<void> {
    const askedAt = now()
    const answering = await server()
    if (known !== undefined && answering !== known) await settleAgain()
    known = answering
    for (const [id, { at }] of recent) {
      if (at > askedAt - REMEMBERED_MS) break
      recent.delete(id)
    }
    if (recent.size === 0) rest()
  }

  async function settleAgain(): Promise<void> {
    const all = [...recent.values()]
    const failed: RequestId[] = []
    let settled = 0
    let charged = ZERO
    try {
      for (let from = 0; from < all.length; from += BATCH) {
        const batch = all.slice(from, from + BATCH).map(({ settlement }) => settlement)
        const charges = await chargesOf(batch.map(({ id }) => id))
        const missing = batch.filter((settlement) => isMissing(settlement, charges.get(settlement.id)))
        const at = now()
        let away: StoreUnavailable | undefined
        async function makeAgain(settlement: Settlement): Promise<void> {
          try {
            const { charge } = await settle({ ...settlement, at })
            settled++
            charged = addNano(charged, charge)
          } catch (error) {
            if (error instanceof StoreUnavailable) away = error
            else {
              failed.push(settlement.id)
              onFault(error)
            }
          }
        }
        await Promise.all(missing.map(makeAgain))
        if (away) throw away
      }
    } finally {
      if (settled > 0 || failed.length > 0) onAgain({ settled, charged, failed })
    }
  }

  function lookInBackground(): void {
    looking ??= look()
      .catch((error: unknown) => {
        // The database is away: others say so.
        if (!(error instanceof StoreUnavailable)) onFault(error)
      })
      .finally(() => (looking = undefined))
  }

  function rest(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    remember({ answer: _answer, ...settlement }) {
      const { id } = settlement
      recent.delete(id)
      recent.set(id, { settlement, at: now() })
      if (recent.size > sizeMax) {
        const [oldest] = recent.keys()
        if (oldest !== undefined) recent.delete(oldest)
      }
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
export function againSentence({ settled, charged, failed }: SettledAgain): string {
  const made = `another database server answers, or it has restarted, and ${settled + failed.length} of the last settlements were not there, as after a failover to a standby that lagged: ${settled} were made again ($${formatUsd(charged)} charged)`
  if (failed.length === 0) return made
  const named = failed.slice(0, NAMED_MAX).join(', ')
  return `${made}, ${failed.length} could not be made: ${named}${failed.length > NAMED_MAX ? ', …' : ''}`
}

/** How many calls the sentence names. */
const NAMED_MAX = 20
