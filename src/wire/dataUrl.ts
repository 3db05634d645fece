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
  const [mediaType = '', ...parameters] = url.slice(5, comma).toLowerCase().split(';')
  if (parameters.at(-1) !== 'base64') return undefined
  return { mediaType, base64: url.slice(comma + 1) }
}

export function toDataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`
}
