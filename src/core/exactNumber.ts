/**
 * A number that no double holds, as it was written: an integer beyond 2^53, or a number beyond the largest double.
 * `JSON.stringify` writes it so again. Only `parseExactly` makes one. https://tc39.es/proposal-json-parse-with-source
 */
export type ExactNumber = { readonly rawJSON: string }

/** Very cheap, and found in nearly no text: an integer beyond doubles. */
const MANY_DIGITS = /\d{16}/
/** Ten times as dear: a large exponent. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3}/
/** Outside of strings one of these signs is before a number. */
const NUMBER_BEYOND = /(?:^|[:,[\s])-?(?:\d{16}|\d+(?:\.\d+)?[eE]\+?\d{3})/
const INTEGER = /^-?\d+$/
const INT64_MIN = -(2n ** 63n)
const UINT64_MAX = 2n ** 64n - 1n

/** What TypeScript does not know of the engine yet. */
const engine = JSON as unknown as {
  rawJSON(text: string): ExactNumber
  isRawJSON(value: unknown): value is ExactNumber
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown
}

/** Parses JSON; integers keep all their digits, and no number becomes infinite. Throws `SyntaxError`. */
export function parseExactly(text: string): unknown {
  return MANY_DIGITS.test(text) || LARGE_EXPONENT.test(text) ? parseNumbers(text) : JSON.parse(text)
}

/** The same for one of very many small texts: integers keep all their digits. Throws `SyntaxError`. */
export function parseIntegersExactly(text: string): unknown {
  return MANY_DIGITS.test(text) ? parseNumbers(text) : JSON.parse(text)
}

function parseNumbers(text: string): unknown {
  return NUMBER_BEYOND.test(text) ? engine.parse(text, exactly) : JSON.parse(text)
}

function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const { source = '' } = context ?? {}
  return INTEGER.test(source) || !Number.isFinite(value) ? engine.rawJSON(source) : value
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return engine.isRawJSON(value)
}

/** Whether it is an integer of at most 64 bits, with or without a sign. */
export function hasSixtyFourBits({ rawJSON }: ExactNumber): boolean {
  if (!INTEGER.test(rawJSON)) return false
  const value = BigInt(rawJSON)
  return value >= INT64_MIN && value <= UINT64_MAX
}
