/** Strikes in a row, without a good call between them, that open a circuit. */
export const STRIKES_TO_OPEN = 5
/** Or this share of failed calls, once so many have been made within the window. */
export const ERROR_RATE_TO_OPEN = 0.5
export const ERROR_RATE_CALLS_MIN = 20
export const ERROR_WINDOW_MS = 60_000
/** How long an open circuit waits for its first probe; doubled after each probe that fails. */
export const OPEN_FIRST_MS = 10_000
export const OPEN_MAX_MS = 5 * 60_000

/** `half_open`: the wait is over, one call at a time may try. */
export type Circuit = 'closed' | 'open' | 'half_open'

/** What `enter` gives when no call may be made now. */
export const REFUSED = -1

/**
 * The circuit of one target: a state machine over calls, their outcomes and the time, in milliseconds
 * since the epoch. A pass is good for one outcome; outcomes of calls that entered before the circuit
 * last changed tell nothing about now and change nothing.
 */
export interface Breaker {
  circuit(now: number): Circuit
  /** A pass for one call, or `REFUSED`. When half-open the call is the probe, and the only one. */
  enter(now: number): number
  /** The target answered: its first event is in hand, or it refused the request for the request's sake. */
  answered(pass: number, now: number): void
  /** The target failed. */
  struck(pass: number, now: number): void
  /** The call ended without telling anything about the target. */
  released(pass: number): void
  /** An answer came to its end. */
  completed(): void
  /** An answer that had begun broke off. */
  brokeOff(now: number): void
  /** When the next call may be made; undefined: now. */
  retryAt(now: number): number | undefined
  /** Calls and failures within the window. */
  recent(now: number): { readonly calls: number; readonly failures: number }
}

export function createBreaker(): Breaker {
  /** Grows with every change of the circuit; a pass is the epoch it was given in. */
  let epoch = 0
  let opened = false
  let probing = false
  let retryAt = 0
  let openForMs = OPEN_FIRST_MS
  let strikes = 0
  /** Answers that broke off, with none completed between them. */
  let breaks = 0
  const window = createErrorWindow()

  function open(now: number): void {
    epoch += 1
    opened = true
    probing = false
    retryAt = now + openForMs
    openForMs = Math.min(openForMs * 2, OPEN_MAX_MS)
    strikes = 0
    breaks = 0
  }

  function close(): void {
    epoch += 1
    opened = false
    probing = false
    openForMs = OPEN_FIRST_MS
    window.clear()
  }

  function openIfBad(now: number): void {
    if (opened) return
    if (strikes >= STRIKES_TO_OPEN || breaks >= STRIKES_TO_OPEN || window.isBad(now)) open(now)
  }

  return {
    circuit(now) {
      if (!opened) return 'closed'
      return probing || now >= retryAt ? 'half_open' : 'open'
    },
    enter(now) {
      if (!opened) return epoch
      if (probing || now < retryAt) return REFUSED
      probing = true
      epoch += 1
      return epoch
    },
    answered(pass, now) {
      window.add(now, false)
      if (pass !== epoch) return
      strikes = 0
      if (opened) close()
    },
    struck(pass, now) {
      window.add(now, true)
      if (pass !== epoch) return
      if (opened) {
        open(now)
        return
      }
      strikes += 1
      openIfBad(now)
    },
    released(pass) {
      if (pass === epoch) probing = false
    },
    completed() {
      breaks = 0
    },
    brokeOff(now) {
      window.turnBad(now)
      breaks += 1
      openIfBad(now)
    },
    retryAt(now) {
      if (!opened) return undefined
      // The probe under way may close the circuit any moment.
      if (probing) return now
      return now < retryAt ? retryAt : undefined
    },
    recent: (now) => window.counts(now),
  }
}

/** Counts over the current half of the window and the one before: constant memory, no timer. */
function createErrorWindow() {
  let half = 0
  let calls = 0
  let failures = 0
  let callsBefore = 0
  let failuresBefore = 0

  function turn(now: number): void {
    const current = Math.floor(now / (ERROR_WINDOW_MS / 2))
    if (current === half) return
    const adjacent = current === half + 1
    callsBefore = adjacent ? calls : 0
    failuresBefore = adjacent ? failures : 0
    calls = 0
    failures = 0
    half = current
  }

  return {
    add(now: number, failed: boolean): void {
      turn(now)
      calls += 1
      if (failed) failures += 1
    },
    /** A call that was counted as good turns out bad. */
    turnBad(now: number): void {
      turn(now)
      failures += 1
      // Its good beginning may lie before the window.
      if (failures > calls) calls = failures
    },
    isBad(now: number): boolean {
      turn(now)
      const all = calls + callsBefore
      return all >= ERROR_RATE_CALLS_MIN && failures + failuresBefore >= all * ERROR_RATE_TO_OPEN
    },
    counts(now: number) {
      turn(now)
      return { calls: calls + callsBefore, failures: failures + failuresBefore }
    },
    clear(): void {
      calls = failures = callsBefore = failuresBefore = 0
    },
  }
}
