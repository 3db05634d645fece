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
  return { mediaType: head.slice(0, head.indexOf(';')), base64: url.slice(comma + 1) }
}

export function toDataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`
}
