import { ADMIN_TOKEN_PREFIX, KEY_PREFIX } from './id.ts'

/** How many UTF-16 units of a text from outside a message repeats at most (docs/limits.md). */
export const REPEATED_LENGTH_MAX = 200

/** A pair of which the second half was cut off. */
const HALF_AT_END = /[\uD800-\uDBFF]$/

/** Without what could steer a terminal: control characters, and marks that turn or hide text. Joiners of emoji stay. */
export function printable(text: string): string {
  return text.replace(/(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/** A text from outside within a message: its beginning, printable, without issued keys and tokens. */
export function printableStart(text: string, lengthMax = REPEATED_LENGTH_MAX): string {
  const start = text.length <= lengthMax ? text : `${text.slice(0, lengthMax).replace(HALF_AT_END, '')}…`
  return printable(start).replace(ISSUED, '$1…')
}

/** A key or an admin token, or a long beginning of one: whoever shows the message to others would show the secret. */
const ISSUED = new RegExp(`(${KEY_PREFIX}|${ADMIN_TOKEN_PREFIX})[0-9A-Z]{20,}`, 'gi')

/** A text as a shell takes it for one word. */
export function shellWord(value: string): string {
  const text = printable(value)
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
