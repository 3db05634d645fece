/**
 * How long a provider asks us to wait, in milliseconds, never negative: `retry-after-ms` (OpenAI,
 * Azure) before `retry-after` in seconds or as an HTTP date (RFC 9110, 10.2.3). Undefined when it
 * does not say, or says what nobody can read.
 *
 * @param headers lowercase names
 * @param now milliseconds since the epoch
 */
export function retryAfterMs(headers: ReadonlyMap<string, string>, now: number): number | undefined {
  const precise = decimal(headers.get('retry-after-ms'))
  if (precise !== undefined) return Math.ceil(precise)
  const text = headers.get('retry-after')
  const seconds = decimal(text)
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  if (text === undefined || !HTTP_DATE.test(text)) return undefined
  // The oldest form names no zone; all HTTP dates are GMT.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

const DECIMAL = /^\d{1,10}(\.\d{1,10})?$/
/** All three forms begin with the name of a day; `Date.parse` alone takes far too much. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/

function decimal(text: string | undefined): number | undefined {
  return text !== undefined && DECIMAL.test(text) ? Number(text) : undefined
}
