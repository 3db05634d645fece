/** What runs beside the requests. */
export interface JobDeps {
  /** Visits every live call: keep-alives, ends that do not come. */
  readonly tickCalls: (now: number) => void
  /** Renews the leases of all live calls. */
  readonly renewLeases: (now: number) => Promise<void>
  /** Releases holds that dead processes left; returns how many. */
  readonly sweep: (now: number) => Promise<number>
  /** Deletes kept answers that have expired. */
  readonly expireAnswers: (now: number) => Promise<number>
  /** Deletes what the memory of Responses has kept long enough; returns how many answers. */
  readonly expireResponses: (now: number) => Promise<number>
  /** Forgets the answers of the admin API that hold secrets, when their time is over. */
  readonly forgetAnswers: (now: number) => Promise<number>
  /** Stores the refused calls that have come together. */
  readonly keepRefusals: () => Promise<void>
  /** Deletes refused calls that were kept long enough. */
  readonly forgetRefusals: (now: number) => Promise<number>
  /** Stores which admin tokens were refused, and which were used. */
  readonly keepVisits: () => Promise<void>
  /** Deletes wrong admin tokens that were kept long enough. */
  readonly forgetVisits: (now: number) => Promise<number>
  readonly now: () => number
  /** Called with a job that failed; it runs again at its next turn. */
  readonly reportError: (job: string, error: unknown) => void
}

export const CALL_TICK_MS = 1_000
/** A third of a lease: two renewals may fail before it runs out. */
export const RENEW_MS = 10_000
/** With a lease of 30 s, a dead process's holds are gone within 45 s. */
export const SWEEP_MS = 15_000
export const EXPIRE_ANSWERS_MS = 10 * 60_000
export const EXPIRE_RESPONSES_MS = 10 * 60_000
export const FORGET_ANSWERS_MS = 60_000
export const KEEP_REFUSALS_MS = 1_000
export const FORGET_REFUSALS_MS = 10 * 60_000
export const KEEP_VISITS_MS = 1_000
export const FORGET_VISITS_MS = 10 * 60_000

export interface Jobs {
  stop(): void
}

/** Starts the jobs; the first sweep immediately, for what an earlier process left. */
export function startJobs(deps: JobDeps): Jobs {
  const timers = [
    setInterval(() => deps.tickCalls(deps.now()), CALL_TICK_MS),
    every('renew leases', RENEW_MS, deps.renewLeases),
    every('sweep holds', SWEEP_MS, deps.sweep),
    every('expire answers', EXPIRE_ANSWERS_MS, deps.expireAnswers),
    every('expire responses', EXPIRE_RESPONSES_MS, deps.expireResponses),
    every('forget answers', FORGET_ANSWERS_MS, deps.forgetAnswers),
    every('keep refusals', KEEP_REFUSALS_MS, deps.keepRefusals),
    every('forget refusals', FORGET_REFUSALS_MS, deps.forgetRefusals),
    every('keep visits', KEEP_VISITS_MS, deps.keepVisits),
    every('forget visits', FORGET_VISITS_MS, deps.forgetVisits),
  ]

  /** Never two runs of one job at the same time: a slow store is not asked twice. */
  function every(job: string, intervalMs: number, run: (now: number) => Promise<unknown>): NodeJS.Timeout {
    let running = false
    function turn(): void {
      if (running) return
      running = true
      run(deps.now())
        .catch((error: unknown) => deps.reportError(job, error))
        .finally(() => (running = false))
    }
    if (job === 'sweep holds') turn()
    return setInterval(turn, intervalMs)
  }

  return {
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
