import { type Json, type JsonObject, isJsonObject, parseJson } from '../core/json.ts'
import { DECIDING_LENGTH_MAX, decidingWords } from './decidingWords.ts'
import { RETRY_AFTER_MS_MAX, parseDuration, retryAfterMs, waitUntil } from './retryAfter.ts'

/** An error of a provider, as far as it may ask to wait. */
export interface WaitingAnswer {
  readonly headers: ReadonlyMap<string, string>
  /** Parsed or as it came. */
  readonly body: Json | undefined
  /** The body of the request. */
  readonly sent: Json | undefined
}

/** What an error says of the time after which it may succeed. */
export interface AskedWait {
  /** In milliseconds; undefined: it does not say. */
  readonly ms: number | undefined
  /** Whether it speaks of a quota that comes back by itself within a day. */
  readonly renews: boolean
}

/** A day's quota comes back at a time of the provider's clock, and the wait beside it is that of a shorter one. */
export const DAY_QUOTA_WAIT_MS = 60 * 60 * 1000
/** More values of an error are not looked at. */
const VALUES_MAX = 500
const DEPTH_MAX = 10

/** Fields of bodies that hold seconds, a duration or a time. */
const WAIT_FIELDS =
  /^(?:retry_?(?:after|delay|in)(?:_?(?:seconds|secs?))?|(?:resets?|available)_?in(?:_?(?:seconds|secs?))?|seconds_?until_?reset|(?:quota_?|rate_?limit_?)?resets?_?(?:at|time|timestamp)|quota_?reset_?(?:delay|time_?stamp))$/i
const MS_FIELDS = /^retry_?(?:after|in)_?(?:ms|milliseconds)$/i
/** Names of quotas. Google: `GenerateRequestsPerDayPerProjectPerModel-FreeTier`, `Gemini25ProRequestsPerDay`. */
const QUOTA_FIELDS = /^quota_?(?:id|limit)$/i

/**
 * Finds the wait that an error asks for, wherever its provider puts it: in headers, in fields of the body (Google's
 * `RetryInfo`, `resets_in_seconds`), in headers that the body repeats (OpenRouter), in the JSON of another provider inside
 * a text, in sentences ("Please try again in 6m0s").
 */
export function askedWait({ headers, body, sent }: WaitingAnswer): AskedWait {
  const found = search(body, headers.get('date'))
  const inHeaders = retryAfterMs(headers)
  const day = found.quotas.some((quota) => /per_?day/i.test(quota))
  const inBody = day ? DAY_QUOTA_WAIT_MS : (found.wait ?? firstWait(found.texts, sent, headers.get('date')))
  return {
    ms: inHeaders ?? inBody,
    renews: inBody !== undefined || found.quotas.some((quota) => /per_?(?:second|minute|hour)/i.test(quota)),
  }
}

interface Found {
  wait: number | undefined
  readonly quotas: string[]
  readonly texts: string[]
}

function search(body: Json | undefined, date: string | undefined): Found {
  const found: Found = { wait: undefined, quotas: [], texts: [] }
  const left: { readonly value: Json | undefined; readonly depth: number }[] = [{ value: body, depth: 0 }]
  for (let seen = 0; seen < VALUES_MAX; seen++) {
    const next = left.shift()
    if (next === undefined) break
    const { value, depth } = next
    if (depth > DEPTH_MAX) continue
    if (typeof value === 'string') {
      const inner = /^\s*[[{]/.test(value) ? parseJson(value) : undefined
      if (inner === undefined) found.texts.push(value)
      else left.push({ value: inner, depth: depth + 1 })
    } else if (Array.isArray(value)) {
      for (const item of value.slice(0, VALUES_MAX)) left.push({ value: item, depth: depth + 1 })
    } else if (isJsonObject(value)) {
      readFields(value, date, found)
      for (const item of Object.values(value).slice(0, VALUES_MAX))
        left.push({ value: item, depth: depth + 1 })
    }
  }
  return found
}

function readFields(object: JsonObject, date: string | undefined, found: Found): void {
  for (const [name, value] of Object.entries(object).slice(0, VALUES_MAX)) {
    const text = typeof value === 'number' || typeof value === 'string' ? String(value) : undefined
    if (text === undefined) continue
    if (QUOTA_FIELDS.test(name)) found.quotas.push(text)
    else if (MS_FIELDS.test(name)) found.wait ??= parseDuration(`${text}ms`)
    else if (WAIT_FIELDS.test(name)) found.wait ??= waitUntil(text, date)
    else if (/ratelimit.*remaining/i.test(name)) found.wait ??= retryAfterMs(headersIn(object, date))
  }
}

/** OpenRouter: `metadata.headers` with `X-RateLimit-Remaining` and `X-RateLimit-Reset`. */
function headersIn(object: JsonObject, date: string | undefined): ReadonlyMap<string, string> {
  const headers = Object.entries(object).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number'
      ? [[name.toLowerCase(), String(value)] as const]
      : [],
  )
  return new Map([...(date === undefined ? [] : [['date', date] as const]), ...headers])
}

function firstWait(
  texts: readonly string[],
  sent: Json | undefined,
  date: string | undefined,
): number | undefined {
  for (const text of texts) {
    if (text.length > DECIDING_LENGTH_MAX || !WAIT_WORDS.test(text)) continue
    const wait = waitInWords(decidingWords(text, sent), date)
    if (wait !== undefined) return wait
  }
  return undefined
}

const WAIT_WORDS = /try again|retry|wait|reset|replenish|renew|come back|available/i
const EVENT =
  '(?:(?:try (?:it )?again|retry(?:ing)?|resets?|replenished|renews?|available(?: again)?|come back)\\b[^.\\d]{0,20}?'
/** What leads to a duration: "Please try again in", "retry after", "will reset after", "wait for". */
const BEFORE_DURATION = `${EVENT}\\b(?:in|after|for)|\\bwait(?:ing)?(?: for)?)[: ]+(?:about |approximately |at least )?`
const UNIT =
  '(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])(?:,? and |, | )?'
/** OpenAI, Groq: "6m0s"; Moonshot: "1 seconds"; "2 minutes and 3 seconds". */
const DURATION = new RegExp(`${BEFORE_DURATION}((?:\\d+(?:\\.\\d+)? ?${UNIT})+)`, 'i')
/** Azure's API Management: "Quota will be replenished in 2.12:34:45", days before the point. */
const CLOCK = new RegExp(`${BEFORE_DURATION}(?:(\\d+)\\.)?(\\d\\d):(\\d\\d):(\\d\\d)\\b`, 'i')
/** MiniMax: "resets at 2026-05-15T15:00:00Z". Z.ai's times have no zone, and say nothing. */
const TIME = new RegExp(
  `${EVENT}\\b(?:at|on|after|until))[: ]+(\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)? ?(?:Z|UTC|GMT|[+-]\\d\\d:?\\d\\d))`,
  'i',
)

/** The wait that a sentence names, in milliseconds. */
export function waitInWords(words: string, date: string | undefined): number | undefined {
  const time = TIME.exec(words)?.[1]
  if (time !== undefined) return waitUntil(time, date)
  const clock = CLOCK.exec(words)
  if (clock) {
    const [, days, hours, minutes, seconds] = clock
    return bounded(parseDuration(`${days ?? 0}d${hours}h${minutes}m${seconds}s`))
  }
  const duration = DURATION.exec(words)?.[1]
  if (duration === undefined) return undefined
  const parts = duration.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/gi)
  return bounded(
    parseDuration(Array.from(parts, ([, amount, unit]) => `${amount}${shortUnit(unit ?? '')}`).join('')),
  )
}

function shortUnit(unit: string): string {
  const lower = unit.toLowerCase()
  return lower === 'ms' || lower.startsWith('milli') ? 'ms' : (lower[0] ?? '')
}

function bounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.min(RETRY_AFTER_MS_MAX, ms)
}
