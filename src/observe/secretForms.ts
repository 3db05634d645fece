/** Shorter ones would be found in ordinary words. */
export const SECRET_LENGTH_MIN = 4

/** A secret in the forms in which a text may repeat it: as it is, escaped, percent-encoded, in hex and in Base64. */
export function secretForms(secret: string): readonly string[] {
  const whole = secret.toWellFormed()
  const bytes = Buffer.from(whole)
  const json = inJson(whole)
  const percent = encodeURIComponent(whole)
  // What a query is read as where its plus signs were not escaped.
  const spaced = whole.replaceAll('+', ' ')
  const hex = bytes.toString('hex')
  const everyByte = hex.replace(/../g, '%$&')
  const forms = [
    whole,
    whole.toUpperCase(),
    json,
    // A JSON text within a JSON text; and with the slashes that PHP escapes.
    inJson(json),
    json.replaceAll('/', String.raw`\/`),
    whole.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? character),
    percent,
    inLowercaseEscapes(percent),
    encodeURI(whole),
    new URLSearchParams({ '': whole }).toString().slice(1),
    spaced,
    inJson(spaced),
    everyByte,
    everyByte.toUpperCase(),
    hex,
    hex.toUpperCase(),
    ...base64Forms(bytes),
  ]
  return [...new Set(forms)].filter(({ length }) => length >= SECRET_LENGTH_MIN)
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function inLowercaseEscapes(text: string): string {
  return text.replace(/%../g, (escape) => escape.toLowerCase())
}

const BASE64_GROUP_BYTES = 3
const BYTE_BITS = 8
const BASE64_BITS = 6

/** What Base64 makes of it wherever it stands in the encoded text, which is one of three ways. */
function base64Forms(bytes: Uint8Array): string[] {
  const forms: string[] = []
  for (let before = 0; before < BASE64_GROUP_BYTES; before++) {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    // Characters that share bits with a neighbour differ with it.
    const from = Math.ceil((before * BYTE_BITS) / BASE64_BITS)
    const to = Math.floor(((before + bytes.length) * BYTE_BITS) / BASE64_BITS)
    const own = text.slice(from, to)
    forms.push(own, own.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}
