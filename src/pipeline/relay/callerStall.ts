/**
 * A caller that reads nothing for so long may make its provider give up: its socket is full, so we do not
 * read, so the provider cannot write.
 */
export const STALL_MS = 5_000
/** A connection to the provider that is read freely for so long after a stall has survived it. */
const RECOVERY_MS = 5_000

/** Watches how a caller's pace holds up its provider, to tell whose fault a lost connection is. */
export interface CallerStall {
  pause(): void
  resume(): void
  /** Whether the caller has stopped reading, or did so just before: a connection lost now is its doing. */
  toBlame(): boolean
}

/** @param now in milliseconds */
export function watchCallerStall(now: () => number): CallerStall {
  let pausedAt: number | undefined
  /** The end of the last stall that nothing has shown to be survived. */
  let stalledUntil: number | undefined

  /** What the provider wrote before it gave up is still to be read, so its loss shows only some time later. */
  function forgetSurvived(at: number): void {
    if (stalledUntil !== undefined && at - stalledUntil >= RECOVERY_MS) stalledUntil = undefined
  }

  return {
    pause() {
      if (pausedAt !== undefined) return
      pausedAt = now()
      forgetSurvived(pausedAt)
    },
    resume() {
      if (pausedAt === undefined) return
      const at = now()
      // A caller that takes what is left in pieces has not shown that its provider is still there.
      if (stalledUntil !== undefined || at - pausedAt >= STALL_MS) stalledUntil = at
      pausedAt = undefined
    },
    toBlame() {
      const at = now()
      if (pausedAt === undefined) forgetSurvived(at)
      return stalledUntil !== undefined || (pausedAt !== undefined && at - pausedAt >= STALL_MS)
    },
  }
}
