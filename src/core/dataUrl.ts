/** The parts of a base64 `data:` URL (RFC 2397). */
export interface DataUrl {
  /** Lowercase, without parameters: `image/png`. */
  readonly mediaType: string
  readonly base64: string
}

/** Undefined when it is no base64 `data:` URL. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',')
  if (comma === -1 || url.slice(0, 5).toLowerCase() !== 'data:') return undefined
  const head = url.slice(5, comma).toLowerCase()
  if (!head.endsWith(';base64')) return undefined
  return { mediaType: head.slice(0, head.indexOf(';')).trim(), base64: url.slice(comma + 1) }
}

export function toDataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`
}

/** A head of a `data:` URL is shorter. */
const HEAD_LENGTH_MAX = 200
/** So many characters of base64 hold the bytes by which a file is known: 18. */
const SIGNATURE_LENGTH = 24

/** Names of types that providers know by another name. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['image/x-webp', 'image/webp'],
  ['application/x-pdf', 'application/pdf'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
])

/** How files begin, byte for byte as characters; `.` is any byte. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\u0089PNG\r\n/, 'image/png'],
  [/^\u00FF\u00D8\u00FF/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^%PDF-/, 'application/pdf'],
]

/** Types that a client writes where it does not look, or of which the bytes know better. */
const DOUBTFUL = /^(?:$|image\/|application\/(?:octet-stream|pdf)$|binary\/octet-stream$)/

/**
 * The same `data:` URL with the media type that its bytes have, else with the usual name of the type that it says, in lower
 * case and without parameters: providers compare it letter by letter. The same string where it is so already.
 */
export function plainDataUrl(url: string): string {
  if (url.slice(0, 5).toLowerCase() !== 'data:') return url
  const comma = url.slice(0, HEAD_LENGTH_MAX).indexOf(',')
  const head = url.slice(5, Math.max(5, comma)).toLowerCase()
  if (comma === -1 || !head.endsWith(';base64')) return url
  const said = head.slice(0, head.indexOf(';')).trim()
  const named = SYNONYMS.get(said) ?? said
  const type = DOUBTFUL.test(named)
    ? (typeOfBytes(url.slice(comma + 1, comma + 1 + SIGNATURE_LENGTH)) ?? named)
    : named
  const plain = `data:${type};base64`
  return url.slice(0, comma) === plain ? url : plain + url.slice(comma)
}

function typeOfBytes(base64: string): string | undefined {
  const whole = base64.slice(0, base64.length - (base64.length % 4))
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(whole)) return undefined
  const bytes = atob(whole)
  return SIGNATURES.find(([begin]) => begin.test(bytes))?.[1]
}
