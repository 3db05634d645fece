import { didYouMean, nearestWord } from '../core/didYouMean.ts'

/** A name that is none of a mapping's settings. */
export interface UnknownKey {
  readonly message: string
  /** The setting that was probably meant: it is written, and does not lack. */
  readonly meant?: string | undefined
}

/** The message of a schema about unknown keys of a mapping, in their order; `readUnknownKeys` reads it. */
export function writeUnknownKeys(keys: readonly string[], known: readonly string[]): string {
  return JSON.stringify(
    keys.map((key): UnknownKey => ({
      message: `is not a setting${guess(key, known)}`,
      meant: nearestWord(key, known),
    })),
  )
}

export function readUnknownKeys(message: string): readonly UnknownKey[] {
  return JSON.parse(message) as UnknownKey[]
}

function guess(key: string, known: readonly string[]): string {
  // `{ input: 0,50 }` is `input: 0` and a name 50 to YAML.
  return /^\d+$/.test(key)
    ? ': is it a part of a number? Write a decimal point, as in 0.50'
    : didYouMean(key, known)
}
