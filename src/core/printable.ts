/** Without what could steer a terminal: control characters, and marks that turn or hide text. Joiners of emoji stay. */
export function printable(text: string): string {
  return text.replace(/(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/** A text from outside in a sentence of ours: its beginning, printable. */
export function printableStart(text: string, lengthMax: number): string {
  return printable(text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text)
}

/** A text as a shell takes it for one word. */
export function shellWord(value: string): string {
  const text = printable(value)
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
