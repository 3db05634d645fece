import type { FailureKind, UpstreamFailure } from '../core/failure.ts'
import { type Json, isJsonObject } from '../core/json.ts'
import { type AskedWait, askedWait } from './askedWait.ts'
import { decidingWords } from './decidingWords.ts'
import { meaningOf } from './errorCodes.ts'
import { SENTENCES, type SentenceRule } from './errorSentences.ts'
import type { ErrorAnswer } from './wire.ts'
import { type Sizes, namesOutputLimit, sizesIn } from './errorSizes.ts'

/** What an error says, wherever its format puts it. */
export interface ErrorSays {
  /** The HTTP status, or the one that a 200's error gives; undefined: it gives none. */
  readonly status: number | undefined
  /** What the provider calls the error. */
  readonly codes: readonly unknown[]
  /** The field at fault, as the provider names it. */
  readonly param?: string | undefined
  readonly message: string
  /** The body of the request. */
  readonly sent?: Json | undefined
  /** Of the answer; absent in the middle of a stream. */
  readonly headers?: ReadonlyMap<string, string> | undefined
  /** The whole error, parsed or as it came. */
  readonly body: Json | undefined
}

export type Reading = Pick<
  UpstreamFailure,
  'kind' | 'part' | 'limit' | 'requested' | 'param' | 'retryAfterMs'
> &
  Required<Pick<UpstreamFailure, 'sign'>>

const NO_HEADERS: ReadonlyMap<string, string> = new Map()

/**
 * Reads an error by code, then by the field that it names, then by its words, then by its status, and finds the wait that
 * it asks for: one rule for all formats.
 */
export function readError(error: ErrorSays): Reading {
  const wait = askedWait({ headers: error.headers ?? NO_HEADERS, body: error.body, sent: error.sent })
  return waiting(kindOf(error, wait), wait)
}

/** Reads an answer with an error status that is none of the format's: a page, or a sentence. */
export function readPage({ status, headers, body, sent }: ErrorAnswer): Reading {
  return waiting(readStatus(status), askedWait({ headers, body, sent }))
}

function waiting(reading: Reading, { ms }: AskedWait): Reading {
  const waits = reading.kind === 'rate_limited' || reading.kind === 'overloaded'
  return waits && ms !== undefined ? { ...reading, retryAfterMs: ms } : reading
}

function kindOf(error: ErrorSays, wait: AskedWait): Reading {
  const code = meaningOf(error.codes, error.status)
  if (code && !code.vague) return sized({ kind: code.kind, ...partOf(code), sign: 'code' }, error)
  const words = sentenceIn(error, wait)
  if (words?.kind === 'rate_limited' && error.status !== 429) return readRateLimit(error, 'words')
  if (words && words.kind !== 'rate_limited')
    return sized({ kind: words.kind, ...partOf(words), sign: 'words' }, error)
  if (error.status === 429) return readRateLimit(error, 'status')
  if (error.status !== undefined) return sized(readStatus(error.status), error)
  return code ? { kind: code.kind, sign: 'code' } : { kind: 'invalid_answer', sign: 'words' }
}

/** A limit that the request exceeds by itself is not cured by a wait: its numbers say so. */
function readRateLimit(error: Pick<ErrorSays, 'message' | 'sent'>, sign: Reading['sign']): Reading {
  const { limit, requested } = sizesIn(decidingWords(error.message, error.sent)) ?? {}
  if (limit === undefined || requested === undefined || requested <= limit)
    return { kind: 'rate_limited', sign }
  return sized({ kind: 'over_limit', sign: 'words' }, error)
}

/** What a status alone says. */
function readStatus(status: number): Reading {
  const sign = 'status'
  return status === 413 ? { kind: 'oversized', part: 'body', sign } : { kind: kindOfStatus(status), sign }
}

/** Whether the failure can name a field of the request. */
export function namesField({ kind }: Pick<Reading, 'kind'>): boolean {
  return kind === 'bad_request' || kind === 'oversized'
}

function kindOfStatus(status: number): FailureKind {
  switch (status) {
    // Only these can be the caller's: a provider sends the others for a wrong address, method or protocol.
    case 400:
    case 416:
    case 422:
      return 'bad_request'
    case 401:
    case 403:
    case 451:
    case 498:
      return 'credential'
    case 402:
      return 'billing'
    case 429:
      return 'rate_limited'
    case 503:
    case 529:
      return 'overloaded'
    case 408:
    case 409:
    case 424:
    case 425:
    case 499:
      return 'server'
    default:
      if (status >= 500) return 'server'
      return status >= 400 ? 'not_found' : 'invalid_answer'
  }
}

function sentenceIn(
  { status, codes, param, message, sent }: ErrorSays,
  wait: AskedWait,
): SentenceRule | undefined {
  const renews = wait.renews || codes.some((code) => typeof code === 'string' && /rate_?limit/i.test(code))
  const rules = SENTENCES.filter(
    ({ statuses, besideParam, unlessRenewed }) =>
      statuses.includes(status) &&
      (besideParam || param === undefined || param === 'model') &&
      !(unlessRenewed && renews),
  )
  if (rules.length === 0) return undefined
  const words = decidingWords(message, sent)
  return rules.find((each) => each.words.test(words))
}

function partOf({ part }: Pick<Reading, 'part'>): Pick<Reading, 'part'> {
  return part === undefined ? {} : { part }
}

/** Adds the numbers that the message has, and `max_tokens` where it alone is too large. */
function sized(
  reading: Reading,
  error: Pick<ErrorSays, 'message' | 'sent'> & { param?: string | undefined },
): Reading {
  switch (reading.kind) {
    case 'bad_request': {
      const isOutput =
        namesOutputLimit(error.param) || (error.param === undefined && namesOutputLimit(error.message))
      const sizes = isOutput ? sizesIn(error.message) : undefined
      return sizes ? { ...reading, limit: sizes.limit, param: 'max_tokens' } : reading
    }
    case 'oversized': {
      const sizes = sizesIn(error.message)
      return sizes ? { ...reading, limit: sizes.limit } : reading
    }
    case 'too_large':
    case 'over_limit': {
      const sizes = sizesIn(error.message)
      if (!isExceeded(sizes)) return reading
      const { limit, requested } = sizes
      const prompt =
        sizes.prompt ?? (reading.kind === 'over_limit' ? requested - outputLimitOf(error.sent) : requested)
      return { ...reading, limit, requested, ...(prompt < limit && { param: 'max_tokens' }) }
    }
    default:
      return reading
  }
}

/** Some providers refuse what is exactly at the limit. */
function isExceeded(sizes: Sizes | undefined): sizes is Required<Pick<Sizes, 'limit' | 'requested'>> & Sizes {
  return sizes?.requested !== undefined && sizes.requested >= sizes.limit
}

/** The output limit of a request that was sent: its name differs from format to format. */
function outputLimitOf(sent: Json | undefined): number {
  if (!isJsonObject(sent)) return 0
  const places = [sent, sent.generationConfig, sent.inferenceConfig].filter(isJsonObject)
  const values = places.flatMap((place) => Object.entries(place).filter(([name]) => namesOutputLimit(name)))
  const [, value] = values[0] ?? []
  return typeof value === 'number' ? value : 0
}
