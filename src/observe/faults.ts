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
const REFUSED = 'calls were refused: the database did not respond'
/**
 * Calls that meet a database which is not known to be away have one line together, so many milliseconds after the first:
 * by then it may be known.
 */
const REFUSED_TOGETHER_MS = 10_000

export interface FaultsDependencies {
  readonly log: Logger
  readonly errors: ErrorLog
  /** Does something later; gives how to prevent it. Default: by a timer that keeps no process alive. */
  readonly after?: (ms: number, work: () => void) => () => void
}

export function createFaults({ log, errors, after = afterTimer }: FaultsDependencies): Faults {
  let storeFault: StoreUnavailable | undefined
  let refused: { count: number; readonly forget: () => void } | undefined

  /** Logged when it began: a line for each call and job that meets it meanwhile says nothing new. */
  function isKnown(error: unknown): boolean {
    return storeFault !== undefined && error instanceof StoreUnavailable
  }

  return {
    store(fault, outage) {
      storeFault = fault
      // The line on this outage says more.
      refused?.forget()
      refused = undefined
      if (fault) errors.error({ why: fault.message }, fault, 'the database cannot be used; calls are refused')
      else log.warn(outage && { away_ms: Math.round(outage.ms), refused: outage.refused }, BACK)
    },
    error(error, id) {
      if (isKnown(error)) return
      if (!(error instanceof StoreUnavailable)) errors.error({ id }, error, 'internal error')
      else if (refused) refused.count++
      else {
        const forget = after(REFUSED_TOGETHER_MS, () => {
          log.warn({ id, why: error.message, refused: refused?.count }, REFUSED)
          refused = undefined
        })
        refused = { count: 1, forget }
      }
    },
    job(job, error) {
      if (!isKnown(error)) log.warn({ job, err: error }, 'job failed')
    },
  }
}

function afterTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms).unref()
  return () => clearTimeout(timer)
}
