import type { StoreUnavailable } from '../../core/ports/till.ts'
import type { Outage } from '../../core/ports/store.ts'

/** How often a database that was found away is looked at again, in milliseconds. */
const ASK_INTERVAL_MS = 500
/**
 * A proof is less than a call (it fills no page of a full disk). Where calls fail again within this time after a proof
 * alone has said that the database is back, in milliseconds, the next proof has to wait.
 */
const RELAPSE_MS = 60_000
/** How long at first, and at most, in milliseconds: twice as long each time. */
const DISTRUST_FIRST_MS = 5_000
const DISTRUST_MAX_MS = 60_000

/** Whether the database can be used, told once when that ends and once when it is so again. */
export interface Availability {
  /** A step that calls wait for has failed with it: it cannot be used. @param calls how many waited */
  failed(fault: StoreUnavailable, calls: number, step: string): void
  /** The step has been done for some calls. */
  succeeded(step: string): void
  /**
   * Something else has failed: a single query may have met a lock or a report, so calls are asked.
   * @param refused how many queries of callers that were; 0 where only a proof has failed
   */
  suspect(fault: StoreUnavailable, refused: number): void
  /** Why the database cannot be used now. */
  readonly fault: StoreUnavailable | undefined
  close(): void
}

export interface AvailabilityOptions {
  /** Commits where calls are booked; rejects when that cannot be done. */
  prove(): Promise<void>
  /** Hears when the database goes away, and (undefined) when it is back, with what that has cost. */
  onChange(fault: StoreUnavailable | undefined, outage?: Outage): void
  /** Hears of everything that the database refused or did not answer. */
  onRefused(count: number): void
  /** Milliseconds of a clock that never goes back. Default: the process's. */
  readonly monotonic?: () => number
  readonly sleep?: (ms: number) => Promise<void>
}

interface Away {
  readonly since: number
  readonly fault: StoreUnavailable
  /** Steps that have failed and were not done since. */
  readonly failing: Set<string>
  refused: number
}

export function watchAvailability({
  prove,
  onChange,
  onRefused,
  monotonic = () => performance.now(),
  sleep = Bun.sleep,
}: AvailabilityOptions): Availability {
  let away: Away | undefined
  let suspected = false
  let closed = false
  /** When a proof has last said that it is back, and no call has since. */
  let trustedAt = Number.NEGATIVE_INFINITY
  let distrustMs = 0

  function goAway(fault: StoreUnavailable, calls: number): Away {
    if (away) return away
    const now = monotonic()
    const isRelapse = now - trustedAt < RELAPSE_MS
    distrustMs = isRelapse ? Math.min(Math.max(distrustMs * 2, DISTRUST_FIRST_MS), DISTRUST_MAX_MS) : 0
    away = { since: now, fault, failing: new Set(), refused: calls }
    onChange(fault)
    void untilBack(away)
    return away
  }

  async function untilBack(outage: Away): Promise<void> {
    const { since, failing } = outage
    let hadFailing = false
    for (;;) {
      await sleep(ASK_INTERVAL_MS)
      if (closed) return
      hadFailing ||= failing.size > 0
      const isDone = hadFailing && failing.size === 0
      const mayAsk = monotonic() - since >= distrustMs
      if (!isDone && !(mayAsk && (await proves()))) continue
      away = undefined
      trustedAt = isDone ? Number.NEGATIVE_INFINITY : monotonic()
      onChange(undefined, { ms: monotonic() - since, refused: outage.refused })
      return
    }
  }

  const proves = (): Promise<boolean> =>
    prove().then(
      () => true,
      () => false,
    )

  return {
    failed(fault, calls, step) {
      onRefused(calls)
      if (closed) return
      if (away) away.refused += calls
      goAway(fault, calls).failing.add(step)
    },
    succeeded(step) {
      away?.failing.delete(step)
    },
    suspect(fault, refused) {
      onRefused(refused)
      if (away) away.refused += refused
      if (closed || away || suspected) return
      suspected = true
      void proves().then((works) => {
        suspected = false
        if (!works && !closed) goAway(fault, refused)
      })
    },
    get fault() {
      return away?.fault
    },
    close() {
      closed = true
    },
  }
}
