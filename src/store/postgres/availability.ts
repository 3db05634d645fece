import type { StoreUnavailable } from '../../core/ports/till.ts'
import type { Outage } from '../../core/ports/store.ts'

/** How often a database that was found away is asked whether it can commit again, in milliseconds. */
const ASK_INTERVAL_MS = 500

/** Whether the database can be used, told once when that ends and once when it is so again. */
export interface Availability {
  /** A step that calls wait for has failed with it: it cannot be used. @param calls how many waited */
  failed(fault: StoreUnavailable, calls: number): void
  /** Something else has failed: a single query may have met a lock or a report, so calls are asked. */
  suspect(fault: StoreUnavailable): void
  close(): void
}

export interface AvailabilityOptions {
  /** Commits where calls are booked; rejects when that cannot be done. */
  prove(): Promise<void>
  /** Hears when the database goes away, and (undefined) when it is back, with what that has cost. */
  onChange(fault: StoreUnavailable | undefined, outage?: Outage): void
  /** Hears of everything that the database refused or did not answer. */
  onRefused(count: number): void
}

export function watchAvailability({ prove, onChange, onRefused }: AvailabilityOptions): Availability {
  let since: number | undefined
  let refused = 0
  let suspected = false
  let closed = false

  function away(fault: StoreUnavailable): void {
    if (since !== undefined || closed) return
    since = performance.now()
    refused = 0
    onChange(fault)
    void untilBack(since)
  }

  async function untilBack(from: number): Promise<void> {
    for (;;) {
      await Bun.sleep(ASK_INTERVAL_MS)
      if (closed) return
      if (!(await isBack())) continue
      since = undefined
      onChange(undefined, { ms: performance.now() - from, refused })
      return
    }
  }

  const isBack = (): Promise<boolean> =>
    prove().then(
      () => true,
      () => false,
    )

  return {
    failed(fault, calls) {
      onRefused(calls)
      away(fault)
      refused += calls
    },
    suspect(fault) {
      onRefused(1)
      refused++
      if (since !== undefined || suspected) return
      suspected = true
      void isBack().then((works) => {
        suspected = false
        if (!works) away(fault)
      })
    },
    close() {
      closed = true
    },
  }
}
