import type { RequestId } from '../core/id.ts'
import type { Store } from '../core/ports/store.ts'
import { type Jobs, startJobs } from '../jobs/jobs.ts'
import { LEASE_MS } from '../pipeline/admit/admit.ts'
import type { Parts } from './parts.ts'

/** Starts what runs beside the requests. */
export function startBackground({ store, pipeline, refusals, door, platform, observers }: Parts): Jobs {
  const { calls } = pipeline
  return startJobs({
    tickCalls: (at) => calls.tick(at),
    renewLeases: (at) => renewLeases(store, calls.ids(), at),
    sweep: (at) => store.till.sweep(at),
    expireAnswers: (at) => store.answers.expire(at),
    expireResponses: (at) => store.keptResponses.expire(at),
    forgetAnswers: (at) => store.directory.forgetAnswers(at),
    keepRefusals: refusals.flush,
    forgetRefusals: (at) => store.refusals.forget(at),
    keepVisits: door.flush,
    forgetVisits: (at) => store.audit.forget(at),
    now: platform.now,
    reportError: observers.faults.job,
  })
}

async function renewLeases(store: Store, ids: readonly RequestId[], at: number): Promise<void> {
  if (ids.length > 0) await store.till.renew(ids, at + LEASE_MS)
}
