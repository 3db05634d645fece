import { z } from 'zod'
import { ADMIN_TOKEN_PREFIX, KEY_PREFIX, SECRET_LENGTH } from '../core/id.ts'
import { withoutInvisible } from '../core/invisible.ts'
import { NANO_MAX, formatUsd, parseUsd, type Nano } from '../core/money.ts'
import { printableStart } from '../core/printable.ts'

export const NAME_LENGTH_MAX = 200
export const NOTE_LENGTH_MAX = 1000
const MODEL_ID_LENGTH_MAX = 256
export const ALLOWED_MODELS_MAX = 1000
export const LIMIT_MAX = 1_000_000_000
/** Numbers from here on can only be milliseconds: as seconds they lie beyond the year 5000. */
const UNIX_SECONDS_MAX = 100_000_000_000

/** So many characters of a moment stand in its refusal: a second may have decimals without end. */
const MOMENT_SHOWN_MAX = 40

/** Smaller numbers of seconds are before 2001: most likely a date without its dashes, or a year. */
const UNIX_SECONDS_MIN = 1_000_000_000
/** A JSON number of more digits is not what was written: 2^53 is where readers of JSON begin to round. */
const NUMBER_DIGITS_MAX = 15

/** Postgres keeps no NUL in a text. */
const NO_NUL = /^[^\0]*$/

/** The characters of the class `Cc`. Without a flag, which a pattern of JSON Schema cannot have. */
const NO_CONTROL = new RegExp(String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`)

/** An id or a name that a list is narrowed down by. */
export const filterField = z.string().min(1, 'must not be empty').regex(NO_NUL, 'must not hold a NUL')

/** An issued secret, pasted into the wrong place: names and notes are shown, logged and kept. */
export const ISSUED_SECRET = new RegExp(
  `(?:${KEY_PREFIX}|${ADMIN_TOKEN_PREFIX})[0-9A-Z]{${SECRET_LENGTH}}`,
  'i',
)
const NO_SECRET = 'must not hold the secret of a key or an admin token'

/** What people call a workspace or a key. */
export const nameField = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX, `must not be longer than ${NAME_LENGTH_MAX} characters`)
  .refine((text) => text.isWellFormed(), 'must be well-formed text: half of a surrogate pair stands alone')
  .regex(NO_CONTROL, 'must not hold control characters')
  // Joiners make one sign of several, in emoji and in Persian or Indic scripts.
  .regex(
    /^(?:[\u200c\u200d]|[^\p{Cf}\p{Zl}\p{Zp}])*$/u,
    'must not hold invisible characters, or marks that turn the direction of text',
  )
  .refine((text) => !ISSUED_SECRET.test(withoutInvisible(text)), NO_SECRET)

export const noteField = z
  .string()
  .max(NOTE_LENGTH_MAX, `must not be longer than ${NOTE_LENGTH_MAX} characters`)
  .regex(NO_NUL, 'must not hold a NUL')
  .refine((text) => text.isWellFormed(), 'must be well-formed text: half of a surrogate pair stands alone')
  .refine((text) => !ISSUED_SECRET.test(withoutInvisible(text)), NO_SECRET)
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

const AMOUNT =
  'must be a decimal amount in US dollars with at most nine decimals, such as "12.50": digits and one point, no comma, no currency sign'

const TOO_MUCH = `must not be above ${formatUsd(NANO_MAX)}, or below the same with a minus`
/** An amount that is well written, and can only be too large. */
const LARGE_AMOUNT = /^-?\d{10,}(?:\.\d{1,9})?$/

/** An amount in US dollars as a decimal string; a JSON number is read by its digits, where it has them all. */
export const usdField = z
  .union([z.string(), z.number()], AMOUNT)
  .transform((value, context): Nano => {
    if (typeof value === 'number' && digitsOf(value) > NUMBER_DIGITS_MAX) {
      context.addIssue({
        code: 'custom',
        message: `must be a string: a JSON number of more than ${NUMBER_DIGITS_MAX} digits is not kept as it was written`,
      })
      return z.NEVER
    }
    const amount = parseUsd(String(value))
    if (amount !== undefined) return amount
    context.addIssue({ code: 'custom', message: LARGE_AMOUNT.test(String(value)) ? TOO_MUCH : AMOUNT })
    return z.NEVER
  })
  .meta({ description: 'US dollars as a decimal string.', example: '12.50' })

function digitsOf(value: number): number {
  return String(value).replaceAll(/\D/g, '').replace(/^0+/, '').length
}

/** A moment: Unix seconds or ISO 8601; without a time zone it is UTC. Becomes milliseconds since the epoch. */
export const momentField = z
  .union([z.string(), z.number()], 'must be Unix seconds or an ISO 8601 time')
  .transform((value, context): number => {
    const at = readMoment(value)
    if (typeof at === 'number') return at
    context.addIssue({ code: 'custom', message: at })
    return z.NEVER
  })
  .meta({ description: 'Unix seconds, or an ISO 8601 time (UTC unless it names a zone).' })

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** Milliseconds since the epoch, or what is wrong with it. */
function readMoment(value: string | number): number | string {
  const text = String(value).trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return readSeconds(text)
  const [, year, month, day, zone] = ISO.exec(text) ?? []
  if (day === undefined) return 'must be Unix seconds or an ISO 8601 time, such as 2026-11-20T00:00:00Z'
  const bare = text.length > 'YYYY-MM-DD'.length && zone === undefined
  const at = Date.parse(bare ? `${text}Z` : text)
  // A date that overflows is taken for one in the next month.
  if (Number.isNaN(at) || Number(day) > daysIn(Number(year), Number(month)))
    return `this date or time does not exist: ${printableStart(text, MOMENT_SHOWN_MAX)}`
  return at
}

function readSeconds(text: string): number | string {
  const seconds = Number(text)
  if (seconds >= UNIX_SECONDS_MIN && seconds < UNIX_SECONDS_MAX) return Math.round(seconds * 1000)
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? []
  const meant = day === undefined ? '' : `; for the day write ${year}-${month}-${day}`
  return `must be Unix seconds of a time after 2001, or an ISO 8601 time${meant}`
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Unix seconds of a moment in milliseconds. */
export function unixSeconds(at: number): number {
  return Math.floor(at / 1000)
}
