import { z } from 'zod'
import { parseUsd, type Nano } from '../core/money.ts'

const NAME_LENGTH_MAX = 200
const NOTE_LENGTH_MAX = 1000
const MODEL_ID_LENGTH_MAX = 256
const ALLOWED_MODELS_MAX = 1000
const LIMIT_MAX = 1_000_000_000
/** Numbers from here on can only be milliseconds: as seconds they lie beyond the year 5000. */
const UNIX_SECONDS_MAX = 100_000_000_000

/** Postgres keeps no NUL in a text. */
const NO_NUL = /^[^\0]*$/

/** An id or a name that a list is narrowed down by. */
export const filterField = z.string().regex(NO_NUL, 'must not hold a NUL')

/** What people call a workspace or a key. */
export const nameField = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX, `must not be longer than ${NAME_LENGTH_MAX} characters`)
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')

export const noteField = z
  .string()
  .max(NOTE_LENGTH_MAX, `must not be longer than ${NOTE_LENGTH_MAX} characters`)
  .regex(NO_NUL, 'must not hold a NUL')
  .nullable()
  .meta({ description: 'Free text, kept with the transfer.' })

/** A limit in requests; null: none of its own. */
export const requestLimitField = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(LIMIT_MAX, `must not be above ${LIMIT_MAX}`)
  .nullable()

/** Ids of models; null: all. */
export const modelsField = z
  .array(z.string().min(1, 'must not be empty').max(MODEL_ID_LENGTH_MAX).regex(NO_NUL, 'must not hold a NUL'))
  .max(ALLOWED_MODELS_MAX, `must not name more than ${ALLOWED_MODELS_MAX} models`)
  .nullable()
  .meta({ description: 'Ids or aliases of the models that may be used; null: all of them.' })

/** An amount in US dollars as a decimal string; a JSON number is read by the digits it is written with. */
export const usdField = z
  .union([z.string(), z.number()], 'must be a decimal amount in US dollars, such as "12.50"')
  .transform((value, context): Nano => {
    const amount = parseUsd(String(value))
    if (amount !== undefined) return amount
    context.addIssue({
      code: 'custom',
      message: 'must be a decimal amount in US dollars with at most nine decimals, such as "12.50"',
    })
    return z.NEVER
  })
  .meta({ description: 'US dollars as a decimal string.', example: '12.50' })

/** A moment: Unix seconds or ISO 8601; without a time zone it is UTC. Becomes milliseconds since the epoch. */
export const momentField = z
  .union([z.string(), z.number()], 'must be Unix seconds or an ISO 8601 time')
  .transform((value, context): number => {
    const at = readMoment(value)
    if (at !== undefined) return at
    context.addIssue({
      code: 'custom',
      message: 'must be Unix seconds or an ISO 8601 time, such as 2026-11-20T00:00:00Z',
    })
    return z.NEVER
  })
  .meta({ description: 'Unix seconds, or an ISO 8601 time (UTC unless it names a zone).' })

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

function readMoment(value: string | number): number | undefined {
  const text = String(value).trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const seconds = Number(text)
    return seconds < UNIX_SECONDS_MAX ? Math.round(seconds * 1000) : undefined
  }
  const match = ISO.exec(text)
  if (!match) return undefined
  const bare = text.length > 'YYYY-MM-DD'.length && match[1] === undefined
  const at = Date.parse(bare ? `${text}Z` : text)
  return Number.isNaN(at) ? undefined : at
}

/** Unix seconds of a moment in milliseconds. */
export function unixSeconds(at: number): number {
  return Math.floor(at / 1000)
}
