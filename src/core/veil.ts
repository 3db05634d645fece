import { ADMIN_TOKEN_PREFIX, KEY_PREFIX } from './id.ts'

/** Hides secrets in a text that is kept or shown, whole or cut at their end. */
export type Veil = (text: string) => string

/** Shorter values can be guessed, and would be found in ordinary words. */
export const VEILED_LENGTH_MIN = 8
/** What is left of a value that was cut is hidden from so many characters on. */
export const VEILED_START_LENGTH = 6

const HIDDEN = '[redacted]'
const ISSUED = new RegExp(`(${KEY_PREFIX}|${ADMIN_TOKEN_PREFIX})[0-9a-z]{${VEILED_START_LENGTH},}`, 'gi')

/**
 * Hides keys and tokens that Tollgate has issued, and the given values: the longest at each place, so that of two values that
 * begin alike nothing is left. A text may have been cut before, also in its middle: a beginning of a value is hidden, too.
 */
export function createVeil(values: readonly string[]): Veil {
  const hidden = values.filter(({ length }) => length >= VEILED_LENGTH_MIN)
  const starts = new Set(hidden.map((value) => value.slice(0, VEILED_START_LENGTH)))

  function lengthAt(text: string, at: number): number {
    return Math.max(...hidden.map((value) => commonLength(text, at, value)))
  }

  return (text) => {
    let rest = text
    let clean = ''
    while (starts.size > 0) {
      const at = firstOf(rest, starts)
      if (at === -1) break
      clean += rest.slice(0, at) + HIDDEN
      rest = rest.slice(at + lengthAt(rest, at))
    }
    return (clean + rest).replace(ISSUED, '$1…')
  }
}

function firstOf(text: string, starts: ReadonlySet<string>): number {
  let first = -1
  for (const start of starts) {
    const at = text.indexOf(start)
    if (at !== -1 && (first === -1 || at < first)) first = at
  }
  return first
}

/** How many characters of the value the text has at that place. */
function commonLength(text: string, at: number, value: string): number {
  let length = 0
  while (length < value.length && text[at + length] === value[length]) length++
  return length
}
