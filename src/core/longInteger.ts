/**
 * An integer that no double holds, as it was written: `JSON.stringify` writes it so again. Only `parseExactly` makes one.
 * https://tc39.es/proposal-json-parse-with-source
 */
export type LongInteger = { readonly rawJSON: string }

/** Cheap, and found in nearly no text. */
const MANY_DIGITS = /\d{16}/
/** Outside of strings one of these signs is before a number. */
const LONG_NUMBER = /(?:^|[:,[\s])-?\d{16}/
const INTEGER = /^-?\d+$/
const INT64_MIN = -(2n ** 63n)
const UINT64_MAX = 2n ** 64n - 1n

/** What TypeScript does not know of the engine yet. */
const engine = JSON as unknown as {
  rawJSON(text: string): LongInteger
  isRawJSON(value: unknown): value is LongInteger
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown
}

/** Parses JSON; integers keep all their digits. Throws `SyntaxError`. */
export function parseExactly(text: string): unknown {
  if (!MANY_DIGITS.test(text) || !LONG_NUMBER.test(text)) return JSON.parse(text)
  return engine.parse(text, exactly)
}

function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const { source = '' } = context ?? {}
  return INTEGER.test(source) ? engine.rawJSON(source) : value
}

export function isLongInteger(value: unknown): value is LongInteger {
  return engine.isRawJSON(value)
}

/** Whether it has at most 64 bits, with or without a sign. */
export function hasSixtyFourBits({ rawJSON }: LongInteger): boolean {
  const value = BigInt(rawJSON)
  return value >= INT64_MIN && value <= UINT64_MAX
}
