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

export function createFaults({ log, errors }: { log: Logger; errors: ErrorLog }): Faults {
  let storeFault: StoreUnavailable | undefined

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
      if (!isKnown(error)) errors.error({ id }, error, 'internal error')
    },
    job(job, error) {
      if (!isKnown(error)) log.warn({ job, err: error }, 'job failed')
    },
  }
}
