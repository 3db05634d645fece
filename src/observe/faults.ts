import type { Logger } from 'pino'
import { StoreUnavailable } from '../core/ports/till.ts'
import type { Outage } from '../core/ports/store.ts'
import type { ErrorLog } from './errorLog.ts'

/** Logs what goes wrong outside of the steps of a call. A database that is known to be away is logged once. */
export interface Faults {
  /** The database cannot be used, or (undefined) can be used again. */
  store(fault: StoreUnavailable | undefined, outage?: Outage): void
  error(error: unknown, id?: string): void
  /** A job that runs again at its next turn. */
  job(job: string, error: unknown): void
}

const BACK = 'the database can be used again'
const REFUSED = 'calls are refused: the database did not answer them, though it answers others'
/** Of calls that meet a database which is not known to be away, one line in so many milliseconds. */
const REFUSED_INTERVAL_MS = 10_000

export interface FaultsDependencies {
  readonly log: Logger
  readonly errors: ErrorLog
  /** Milliseconds of a clock that never goes back. Default: the process's. */
  readonly monotonic?: () => number
}

export function createFaults({
  log,
  errors,
  monotonic = () => performance.now(),
}: FaultsDependencies): Faults {
  let storeFault: StoreUnavailable | undefined
  let refusedToldAt = Number.NEGATIVE_INFINITY

  /** Logged when it began: a line for each call and job that meets it meanwhile says nothing new. */
  function isKnown(error: unknown): boolean {
    return storeFault !== undefined && error instanceof StoreUnavailable
  }

  return {
    store(fault, outage) {
      storeFault = fault
      if (fault) errors.error({}, fault, 'the database cannot be used; calls are refused')
      else log.warn(outage && { away_ms: Math.round(outage.ms), refused: outage.refused }, BACK)
    },
    error(error, id) {
      if (isKnown(error)) return
      if (!(error instanceof StoreUnavailable)) errors.error({ id }, error, 'internal error')
      else if (monotonic() - refusedToldAt >= REFUSED_INTERVAL_MS) {
        refusedToldAt = monotonic()
        log.warn({ id, why: error.message }, REFUSED)
      }
    },
    job(job, error) {
      if (!isKnown(error)) log.warn({ job, err: error }, 'job failed')
    },
  }
}
