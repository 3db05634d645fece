import type { SyntaxMistake } from './syntaxWords.ts'

/** What no configuration file holds, with words that say what it is. YAML would take some of it for text. */
const FOREIGN: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  {
    // Bytes that are not UTF-8 were replaced by U+FFFD when the file was read.
    // oxlint-disable-next-line no-control-regex
    pattern: /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]/,
    message: 'is not text in UTF-8: is the file binary, or saved in another encoding?',
  },
  { pattern: /^(?:<{7}|={7}|>{7})(?= |\r?$)/m, message: 'is the mark of a merge conflict' },
  {
    pattern: /^[ \t]*[\u00a0\u2000-\u200b\u3000]/m,
    message: 'is indented with a character that only looks like a space',
  },
]

/** The first thing in the text that is foreign to a configuration file. */
export function foreignIn(text: string): SyntaxMistake | undefined {
  for (const { pattern, message } of FOREIGN) {
    const offset = pattern.exec(text)?.index
    if (offset !== undefined) return { offset, message }
  }
  return undefined
}

/** Editors of some systems put a mark of the encoding first. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}
