/** A longer wait is read as this one. */
export const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1000

const MS_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/**
 * How long an answer asks us to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or
 * as a date (RFC 9110, 10.2.3; measured against the answer's own `date`), else the reset of a used-up
 * `x-ratelimit-*` window (a duration such as `6m0s`). Undefined when it does not say.
 */
export function retryAfterMs(headers: ReadonlyMap<string, string>): number | undefined {
  return (
    bounded(nonNegative(headers.get('retry-after-ms'))) ??
    bounded(secondsOrDate(headers.get('retry-after'), headers.get('date'))) ??
    bounded(windowReset(headers))
  )
}

/** Reads a duration such as `12s`, `1.5s`, `6m0s` or `20ms` in milliseconds; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (text.length > 40 || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (MS_PER_UNIT.get(unit ?? '') ?? 0)
  }
  return Math.ceil(total)
}

function secondsOrDate(value: string | undefined, date: string | undefined): number | undefined {
  const seconds = nonNegative(value)
  if (seconds !== undefined) return seconds * 1000
  if (value === undefined || date === undefined) return undefined
  const wait = Date.parse(value) - Date.parse(date)
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

function windowReset(headers: ReadonlyMap<string, string>): number | undefined {
  let longest: number | undefined
  for (const window of ['requests', 'tokens']) {
    if (headers.get(`x-ratelimit-remaining-${window}`)?.trim() !== '0') continue
    const reset = headers.get(`x-ratelimit-reset-${window}`)?.trim() ?? ''
    const wait = parseDuration(reset)
    if (wait !== undefined && wait > (longest ?? 0)) longest = wait
  }
  return longest
}

function nonNegative(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined
  return Number(value)
}

function bounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.min(RETRY_AFTER_MS_MAX, Math.ceil(ms))
}
