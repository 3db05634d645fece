import { ADMIN_TOKEN_PREFIX, KEY_PREFIX, SECRET_LENGTH } from './id.ts'
import { hideBroken, withoutInvisible } from './invisible.ts'

/** Hides secrets in a text that is kept or shown, whole or cut at their end. */
export type Veil = (text: string) => string

/** Shorter values can be guessed, and would be found in ordinary words. */
export const VEILED_LENGTH_MIN = 8
/** What is left of a value that was cut is hidden from so many characters on. */
export const VEILED_START_LENGTH = 6

const HIDDEN = '[redacted]'
const ISSUED = issuedWith(`{${VEILED_START_LENGTH},}`)
const ISSUED_WHOLE = issuedWith(`{${SECRET_LENGTH}}`)

/**
 * Hides keys and tokens that Tollgate has issued, and the given values in every form that a text may repeat them in. Where values
 * overlap, all of them are hidden. A text may have been cut before, also in the middle of a value: a beginning of it is hidden, too.
 * So is a value that is broken by invisible characters, or by the blanks that messages have in their place.
 */
export function createVeil(
  values: readonly string[],
  formsOf: (value: string) => readonly string[] = (value) => [value],
): Veil {
  const forms = values.filter(isHidden).flatMap(formsOf)
  const hidden = [...new Set([...forms, ...forms.map(withoutBlanks)])].filter(isHidden)
  const starts = new Set(hidden.map((form) => form.slice(0, VEILED_START_LENGTH)))

  function lengthAt(text: string, at: number): number {
    return Math.max(...hidden.map((form) => commonLength(text, at, form)))
  }

  function hideValues(text: string): string {
    let clean = ''
    let hiddenTo = 0
    let at = firstOf(text, starts, 0)
    while (at !== -1) {
      // Another value may begin within one: what is hidden grows then.
      if (at >= hiddenTo) clean += text.slice(hiddenTo, at) + HIDDEN
      hiddenTo = Math.max(hiddenTo, at + lengthAt(text, at))
      at = firstOf(text, starts, at + 1)
    }
    return clean + text.slice(hiddenTo)
  }

  function hideWhole(text: string): string {
    return hideValues(text).replace(ISSUED_WHOLE, '$1…')
  }

  return (text) => {
    const joined = withoutBlanks(text)
    const hiddenJoined = hideWhole(joined)
    if (hiddenJoined === joined) return hideBroken(text, hideIssued)
    const readable = hideWhole(withoutInvisible(text))
    // More of a value comes to light without blanks: then the text stays without them.
    return hideIssued(withoutBlanks(readable) === hiddenJoined ? readable : hiddenJoined)
  }
}

function issuedWith(length: string): RegExp {
  return new RegExp(`(${KEY_PREFIX}|${ADMIN_TOKEN_PREFIX})[0-9a-z]${length}`, 'gi')
}

function hideIssued(text: string): string {
  return text.replace(ISSUED, '$1…')
}

function withoutBlanks(text: string): string {
  return withoutInvisible(text).replaceAll(/\s/g, '')
}

function isHidden({ length }: string): boolean {
  return length >= VEILED_LENGTH_MIN
}

function firstOf(text: string, starts: ReadonlySet<string>, from: number): number {
  let first = -1
  for (const start of starts) {
    const at = text.indexOf(start, from)
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
