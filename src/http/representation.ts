import { RecentMap } from '../core/recent.ts'
import { matchesEtag } from './public/etag.ts'

/** Shorter ones gain nothing. */
const COMPRESSED_BYTES_MIN = 1_024
/** Compressed bodies that are kept, by entity tag: pages and documents stay the same for long. */
const KEPT_MAX = 64
const COMPRESSIBLE = /^(?:text\/|application\/json)/

export type Represent = (request: Request, response: Response) => Promise<Response>

/**
 * Gives answers what every reader expects: no guessing of types, an entity tag where they may be kept, and gzip where it is
 * taken.
 * @param hash SHA-256, lowercase hexadecimal
 */
export function createRepresent(hash: (text: string) => string): Represent {
  const kept = new RecentMap<string, Uint8Array<ArrayBuffer>>(KEPT_MAX)

  return async (request, response) => {
    const { headers, status } = response
    headers.set('X-Content-Type-Options', 'nosniff')
    if (request.method !== 'GET' || status !== 200) return response
    if (!COMPRESSIBLE.test(headers.get('content-type') ?? '')) return response

    headers.append('Vary', 'Accept-Encoding')
    const mayBeKept = !/no-store/.test(headers.get('cache-control') ?? '')
    /** Read only where it is needed: an answer that comes with its tag may be compressed already. */
    let text: string | undefined
    let etag = headers.get('etag')
    if (mayBeKept && etag === null) {
      text = await response.text()
      etag = `"${hash(text).slice(0, 32)}"`
      headers.set('ETag', etag)
    }
    if (etag !== null && matchesEtag(request.headers.get('if-none-match'), etag)) {
      headers.delete('content-type')
      return new Response(null, { status: 304, headers })
    }
    if (!takesGzip(request.headers.get('accept-encoding')))
      return text === undefined ? response : new Response(text, { status, headers })
    let bytes = etag === null ? undefined : kept.get(etag)
    if (bytes === undefined) {
      text ??= await response.text()
      if (text.length < COMPRESSED_BYTES_MIN) return new Response(text, { status, headers })
      bytes = Bun.gzipSync(text)
    }
    // What is read stays.
    if (etag !== null) kept.set(etag, bytes)
    // Two encodings are two representations: the tag of the text no longer is that of the bytes.
    if (etag !== null && !etag.startsWith('W/')) headers.set('ETag', `W/${etag}`)
    headers.set('Content-Encoding', 'gzip')
    return new Response(bytes, { status, headers })
  }
}

/** RFC 9110, section 12.5.3: `gzip`, or anything, unless its weight is 0. */
function takesGzip(accepted: string | null): boolean {
  for (const entry of accepted?.split(',') ?? []) {
    const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    if (coding !== 'gzip' && coding !== '*') continue
    return !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  }
  return false
}
