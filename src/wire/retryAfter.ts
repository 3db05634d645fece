/** A longer wait is read as this one. */
export const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1000

const MS_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])
/** A number from here on is a Unix time in seconds; below, a number of seconds. */
const UNIX_SECONDS_MIN = 1e9
/** The same for milliseconds. */
const UNIX_MS_MIN = 1e12
/** A time of a day, with its zone: without one it may be hours away from what is meant. */
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$/i

/**
 * How long the headers of an answer ask to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as
 * a date (RFC 9110, 10.2.3), else the longest reset of a rate limit of which nothing is left. Dates are measured against
 * the answer's own `date`. Undefined when they do not say.
 */
export function retryAfterMs(headers: ReadonlyMap<string, string>): number | undefined {
  return (
    bounded(nonNegative(headers.get('retry-after-ms') ?? headers.get('x-ms-retry-after-ms'))) ??
    bounded(seconds(headers.get('retry-after'))) ??
    waitUntil(headers.get('retry-after'), headers.get('date')) ??
    windowReset(headers)
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

/**
 * How long it is until a time that a provider names, in milliseconds: as a duration (`6m0s`), a number of seconds, a Unix
 * time in seconds or milliseconds, or a date. Undefined when it is none of these.
 *
 * @param date the answer's own `date`; without it a time of a clock says nothing
 */
export function waitUntil(value: string | undefined, date: string | undefined): number | undefined {
  const text = value?.trim() ?? ''
  const number = nonNegative(text)
  if (number !== undefined && number < UNIX_SECONDS_MIN) return bounded(number * 1000)
  const duration = parseDuration(text)
  if (duration !== undefined) return bounded(duration)
  const now = Date.parse(date ?? '')
  const wait = timeOf(text, number) - now
  return Number.isNaN(wait) ? undefined : bounded(Math.max(0, wait))
}

/** In milliseconds since 1970; NaN when it is not a time. */
function timeOf(text: string, number: number | undefined): number {
  if (number !== undefined) return number >= UNIX_MS_MIN ? number : number * 1000
  if (ISO_TIME.test(text)) return Date.parse(text.replace(/ ?(?:UTC|GMT)$/i, 'Z').replace(' ', 'T'))
  // A date of HTTP: "Fri, 20 Nov 2026 12:01:00 GMT".
  return /^[a-z]{3}, .* GMT$/i.test(text) ? Date.parse(text) : Number.NaN
}

/** `x-ratelimit-reset-tokens` beside `x-ratelimit-remaining-tokens: 0`, and the same in other providers' spelling. */
function windowReset(headers: ReadonlyMap<string, string>): number | undefined {
  let longest: number | undefined
  for (const name of usedUpCounters(headers)) {
    const wait = waitUntil(headers.get(name.replace('remaining', 'reset')), headers.get('date'))
    if (wait !== undefined && wait > (longest ?? 0)) longest = wait
  }
  return longest
}

/**
 * The headers that say that nothing is left of a rate limit of the account: `x-ratelimit-remaining-requests` (OpenAI,
 * Groq), `x-ratelimit-remaining-tokens-minute` (Cerebras), `anthropic-ratelimit-tokens-remaining`, `ratelimit-remaining`.
 */
export function usedUpCounters(headers: ReadonlyMap<string, string>): string[] {
  return [...headers].flatMap(([name, value]) =>
    /ratelimit.*remaining/.test(name) && value.trim() === '0' ? [name] : [],
  )
}

function seconds(value: string | undefined): number | undefined {
  const number = nonNegative(value)
  return number === undefined ? undefined : number * 1000
}

function nonNegative(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined
  return Number(value)
}

function bounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.min(RETRY_AFTER_MS_MAX, Math.ceil(ms))
}
