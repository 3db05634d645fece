import type { Limits, LimitName, RateStatus } from './ports/till.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
/** Requests per minute of a workspace without a limit of its own (docs/limits.md#rate-limits-and-keys). */
export const DEFAULT_REQUESTS_PER_MINUTE = { personal: 60, organization: 120 } as const
/** How long a caller at its limit of calls at once is asked to wait: one of them may end at any time. */
export const CONCURRENCY_RETRY_MS = 1_000
/**
 * A window is not replaced by an older one: clocks of several machines differ, and a request may have waited. Only a
 * window that lies further ahead than this was opened by a clock that was wrong; it would refuse its caller for years.
 */
const AHEAD_MAX_MS = DAY_MS

/** A window that has counted at least one request. `openedAt` in milliseconds since the epoch. */
export interface Window {
  readonly openedAt: number
  readonly count: number
}

/** The windows that one request is counted in; undefined: none has been opened yet. */
export interface Windows {
  readonly workspaceMinute: Window | undefined
  readonly keyMinute: Window | undefined
  readonly keyDay: Window | undefined
}

export type WindowsVerdict =
  | { readonly kind: 'taken'; readonly windows: Windows; readonly rate: RateStatus }
  /** Nothing was counted. `rate` is the exceeded window that resets last: waiting for it is enough. */
  | { readonly kind: 'exceeded'; readonly rate: RateStatus; readonly retryAfterMs: number }

/**
 * Counts one request in all of its windows, or in none when one of them is full (docs/api.md#limits).
 * Windows without a limit are counted too, so that a limit set at noon knows of the morning.
 */
export function takeWindows(windows: Windows, limits: Limits, at: number): WindowsVerdict {
  const workspaceMinute = minuteAt(windows.workspaceMinute, at)
  const keyMinute = minuteAt(windows.keyMinute, at)
  const keyDay = dayAt(windows.keyDay, at)

  let tightest = status('workspace_minute', limits.workspacePerMinute, workspaceMinute, MINUTE_MS)
  if (limits.keyPerMinute !== null) {
    tightest = tighter(tightest, status('key_minute', limits.keyPerMinute, keyMinute, MINUTE_MS))
  }
  if (limits.keyPerDay !== null) {
    tightest = tighter(tightest, status('key_day', limits.keyPerDay, keyDay, DAY_MS))
  }

  if (tightest.remaining < 0) {
    const rate = { ...tightest, remaining: 0 }
    return { kind: 'exceeded', rate, retryAfterMs: Math.max(1, rate.resetAt - at) }
  }
  const taken = {
    workspaceMinute: counted(workspaceMinute),
    keyMinute: counted(keyMinute),
    keyDay: counted(keyDay),
  }
  return { kind: 'taken', windows: taken, rate: tightest }
}

/** The minute window that a request at this moment is counted in: the open one, or a fresh one that it opens. */
export function minuteAt(window: Window | undefined, at: number): Window {
  return window && isOpen(window, MINUTE_MS, at) ? window : { openedAt: at, count: 0 }
}

/** The window of the UTC calendar day. */
export function dayAt(window: Window | undefined, at: number): Window {
  return window && isOpen(window, DAY_MS, at) ? window : { openedAt: at - (at % DAY_MS), count: 0 }
}

/** The UTC calendar day of a moment: `2026-11-20`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** The day whose month was asked for last, and that month: nearly every call asks for today's. */
let lastDay = NaN
let lastMonth = ''

/** The UTC calendar month of a moment: `2026-11`. */
export function utcMonth(at: number): string {
  const day = Math.floor(at / DAY_MS)
  if (day === lastDay) return lastMonth
  const date = new Date(at)
  const month = date.getUTCMonth() + 1
  lastDay = day
  lastMonth = `${date.getUTCFullYear()}-${month < 10 ? '0' : ''}${month}`
  return lastMonth
}

function isOpen(window: Window, lengthMs: number, at: number): boolean {
  return at < window.openedAt + lengthMs && at >= window.openedAt - AHEAD_MAX_MS
}

function counted(window: Window): Window {
  return { openedAt: window.openedAt, count: window.count + 1 }
}

/** The window after this request; `remaining` is -1 when it has no room for it, however far it is over. */
function status(name: LimitName, limit: number, window: Window, lengthMs: number): RateStatus {
  const remaining = Math.max(-1, limit - window.count - 1)
  return { name, limit, remaining, resetAt: window.openedAt + lengthMs }
}

/** Least remaining; of two that leave the same, the one that resets later. */
function tighter(a: RateStatus, b: RateStatus): RateStatus {
  if (b.remaining !== a.remaining) return b.remaining < a.remaining ? b : a
  return b.resetAt > a.resetAt ? b : a
}
