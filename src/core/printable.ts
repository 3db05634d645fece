/** How many UTF-16 units of a text from outside a message repeats at most (docs/limits.md). */
export const REPEATED_LENGTH_MAX = 200

/** A pair of which the second half was cut off. */
const HALF_AT_END = /[\uD800-\uDBFF]$/

/** Without what could steer a terminal: control characters, and marks that turn or hide text. Joiners of emoji stay. */
export function printable(text: string): string {
  return text.replace(/(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/** A text from outside in a sentence of ours: its beginning, printable. */
export function printableStart(text: string, lengthMax = REPEATED_LENGTH_MAX): string {
  if (text.length <= lengthMax) return printable(text)
  return printable(`${text.slice(0, lengthMax).replace(HALF_AT_END, '')}…`)
}

/** A text as a shell takes it for one word. */
export function shellWord(value: string): string {
  const text = printable(value)
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
