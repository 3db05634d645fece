/** A piece of private text as short as this tells something. */
const PIECE_LENGTH = 12
/** How much of the text around a leak is shown. */
const SHOWN_LENGTH = 80

/** The ways in which a provider may send a text back. */
export const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  lowercase: (text) => text.toLowerCase(),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lowercase': (text) =>
    encodeURIComponent(text).replace(/%../g, (escape) => escape.toLowerCase()),
  'with blanks for plus signs': (text) => text.replaceAll('+', ' '),
  'JSON-escaped': (text) => JSON.stringify(text).slice(1, -1),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 with something before it': (text) => Buffer.from(`x:${text}`).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'upper-case hex': (text) => Buffer.from(text).toString('hex').toUpperCase(),
}

/** The pieces of these texts, in any encoding, that stand somewhere in what was written. */
export function leaksIn(written: string, secrets: Readonly<Record<string, string>>): string[] {
  const owners = new Map<string, string>()
  for (const [name, secret] of Object.entries(secrets)) {
    for (const [encoding, encode] of Object.entries(ENCODINGS)) {
      for (const piece of piecesOf(encode(secret))) owners.set(piece, `${name}, ${encoding}`)
    }
  }
  const leaks = new Map<string, string>()
  let at = 0
  for (const piece of piecesOf(written)) {
    const owner = owners.get(piece)
    if (owner !== undefined && !leaks.has(owner)) {
      leaks.set(owner, `${owner}: …${written.slice(Math.max(0, at - SHOWN_LENGTH), at + SHOWN_LENGTH)}…`)
    }
    at += 1
  }
  return [...leaks.values()]
}

function* piecesOf(text: string): Iterable<string> {
  for (let at = 0; at + PIECE_LENGTH <= text.length; at++) yield text.slice(at, at + PIECE_LENGTH)
}
