import * as z from 'zod'
import { NANO_MAX, nano, type Nano } from '../core/money.ts'
import { didYouMean } from '../core/didYouMean.ts'
import { printable, REPEATED_LENGTH_MAX } from '../core/printable.ts'
import { writeUnknownKeys } from './unknownKeys.ts'

/** A longer value is shown by its beginning: it may be a key in the wrong line, and mistakes go to the log. */
const QUOTED_LENGTH_MAX = 24
const BEGINNING_LENGTH = 8

/** A value in the sentence of its mistake. */
export function quoted(text: string, wholeUpTo = QUOTED_LENGTH_MAX): string {
  return JSON.stringify(text.length > wholeUpTo ? `${text.slice(0, BEGINNING_LENGTH)}…` : text)
}

/** The same for names and addresses, which are not secret: the operator looks for them in the file. */
export function quotedName(text: string): string {
  return quoted(text, REPEATED_LENGTH_MAX)
}

/** Builds a type for a scalar: `what` completes the sentence "must be …". */
export function scalar<T>(what: string, parse: (text: string) => T | undefined) {
  return z.string({ error: (issue) => expected(what, issue.input) }).transform((text, context): T => {
    const value = parse(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: `must be ${what}, not ${quoted(text)}` })
    return z.NEVER
  })
}

/** A mapping that knows its keys: any other key is a mistake, with a guess at what was meant. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') return writeUnknownKeys(issue.keys, known)
      // `port:1` is a text to YAML.
      return typeof issue.input === 'string' && /^[\w-]+:\S/.test(issue.input)
        ? 'must be a mapping: is a space missing after the colon?'
        : expected('a mapping', issue.input)
    },
  })
}

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: (issue) => expected('a list', issue.input) })
}

/** One of the given words. `unquoted`: another value is not shown, because it may be a key in the wrong line. */
export function oneOf<const Word extends string>(words: readonly Word[], { unquoted = false } = {}) {
  return z
    .string({ error: (issue) => expected(listWords(words), issue.input) })
    .transform((text, context) => {
      const word = words.find((candidate) => candidate === text)
      if (word !== undefined) return word
      const instead = unquoted ? '' : `, not ${quoted(text)}`
      context.addIssue({
        code: 'custom',
        message: `must be ${listWords(words)}${instead}${didYouMean(text, words)}`,
      })
      return z.NEVER
    })
}

/** A list of some of the given words. */
export function listOfWords<const Word extends string>(words: readonly Word[]) {
  const what = `a list of ${listWords(words)}, such as [${words[0]}]`
  return z.array(oneOf(words), { error: (issue) => expected(what, issue.input) })
}

/** Takes the schema that suits what was written, so that its mistakes are named as if it stood there alone. */
export function choose<Schema extends z.ZodType>(pick: (value: unknown) => Schema) {
  return z.unknown().transform((value, context): z.output<Schema> => {
    const result = pick(value).safeParse(value)
    if (result.success) return result.data
    for (const issue of result.error.issues) context.issues.push({ ...issue, input: value } as never)
    return z.NEVER
  })
}

export const text = z
  .string({ error: (issue) => expected('a text', issue.input) })
  .min(1, { error: 'must not be empty' })

export const LABEL_LENGTH_MAX = 200

/** A text that people read on pages and in tables. */
export const label = text
  .max(LABEL_LENGTH_MAX, { error: `must not be longer than ${LABEL_LENGTH_MAX} characters` })
  .refine((shown) => shown.isWellFormed() && printable(shown) === shown, {
    error: 'must not hold control characters, or marks that hide text or turn its direction',
  })

/** What callers write as `model`, and what is in the path of `GET /v1/models/{model_id}`. */
export const modelName = scalar('a name of letters, digits and . _ : / @ + - (at most 200)', (name) =>
  /^[\w.:/@+-]{1,200}$/.test(name) ? name : undefined,
)

export const flag = scalar('true or false', (word) =>
  word === 'true' ? true : word === 'false' ? false : undefined,
)

export function integer(least: number, most: number) {
  return scalar(`a whole number from ${least} to ${most}`, (digits) => {
    const value = /^[+-]?\d+$/.test(digits) ? Number(digits) : Number.NaN
    return value >= least && value <= most ? value : undefined
  })
}

export function decimal(least: number, most: number) {
  return scalar(`a number from ${least} to ${most}`, (digits) => {
    const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(digits) ? Number(digits) : Number.NaN
    return value >= least && value <= most ? value : undefined
  })
}

/** A price in US dollars per 1,000,000 tokens, exact to the nano-dollar. */
export const price = scalar(
  'a price in US dollars per 1M tokens (not negative, at most 9 decimals)',
  parseExactUsd,
)

/** `20%` in millionths: 200000. */
export const percentage = scalar('a percentage such as 20%', parsePercentage)

/** The same, up to 100 %. */
export const wholePercentage = scalar('a percentage of at most 100%', (word) => {
  const millionths = parsePercentage(word)
  return millionths === undefined || millionths > 1_000_000n ? undefined : millionths
})

function parsePercentage(word: string): bigint | undefined {
  const match = /^(\d{1,5})(?:\.(\d{1,4}))?%$/.exec(word)
  return match ? BigInt(match[1] ?? '') * 10_000n + BigInt((match[2] ?? '').padEnd(4, '0')) : undefined
}

const DURATION_UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const
export const MAX_DURATION_MS = 24 * DURATION_UNITS.h

/** `500ms`, `5s`, `1.5m`, `1h`: in milliseconds, above 0 and at most a day. */
export const duration = scalar('a duration such as 500ms, 5s or 1m', (word) => {
  const milliseconds = parseDuration(word)
  return milliseconds !== undefined && milliseconds > 0 && milliseconds <= MAX_DURATION_MS
    ? milliseconds
    : undefined
})

export const RETENTION_MAX_MS = 30 * MAX_DURATION_MS

/** How long something is kept, in milliseconds: `0` (not at all), or a duration of at most 30 days. */
export const retention = scalar('0, or a duration of at most 720h such as 24h', (word) => {
  const milliseconds = word === '0' ? 0 : parseDuration(word)
  return milliseconds !== undefined && milliseconds <= RETENTION_MAX_MS ? milliseconds : undefined
})

function parseDuration(word: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(word)
  if (!match) return undefined
  return Math.ceil(Number(match[1]) * DURATION_UNITS[match[2] as keyof typeof DURATION_UNITS])
}

const SIZE_UNITS = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const
export const MAX_SIZE_BYTES = 2 ** 31

/** `10MiB`, `500KB`, `1048576`: in bytes, above 0 and at most 2 GiB. */
export const size = scalar('a size such as 10MiB', (word) => {
  const match = /^(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|KiB|MiB|GiB)?$/.exec(word)
  if (!match) return undefined
  const bytes = Math.floor(Number(match[1]) * SIZE_UNITS[(match[2] ?? 'B') as keyof typeof SIZE_UNITS])
  return bytes > 0 && bytes <= MAX_SIZE_BYTES ? bytes : undefined
})

/** `2026-11-20` (midnight UTC) or `2026-11-20T08:00:00Z`: in milliseconds since the epoch. */
export const date = scalar('an ISO date such as 2026-11-20', (word) => {
  const match = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(word)
  if (!match) return undefined
  // Date.parse would take 31 February for 3 March.
  const day = new Date(`${match[1]}T00:00:00Z`)
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== match[1]) return undefined
  const time = Date.parse(word)
  return Number.isNaN(time) ? undefined : time
})

/** Reads digits (`0.5`, `.5`, `1e-3`) exactly; undefined when negative or finer than a nano-dollar. */
export function parseExactUsd(digits: string): Nano | undefined {
  const match = /^\+?(\d{0,12})\.?(\d{0,30})(?:[eE]([+-]?\d{1,2}))?$/.exec(digits)
  if (!match || !/^\+?\.?\d/.test(digits)) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const shift = 9 - fraction.length + Number(exponent)
  const mantissa = BigInt(whole + fraction)
  const divisor = shift < 0 ? 10n ** BigInt(-shift) : 1n
  if (mantissa % divisor !== 0n) return undefined
  const amount = shift < 0 ? mantissa / divisor : mantissa * 10n ** BigInt(shift)
  return amount <= NANO_MAX ? nano(amount) : undefined
}

function expected(what: string, input: unknown): string {
  return input === undefined ? 'is missing' : `must be ${what}`
}

/** `a, b or c`. */
export function listWords(words: readonly string[], link: 'and' | 'or' = 'or'): string {
  return words.length === 1 ? `${words[0]}` : `${words.slice(0, -1).join(', ')} ${link} ${words.at(-1)}`
}
