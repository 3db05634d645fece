/**
 * Why a request is refused before anybody looks at what it asks for; undefined when nothing is wrong.
 *
 * A proxy before us could read such a request differently than we do (RFC 9112, sections 3.2 and 11.2). The runtime
 * refuses the other ways by itself: lengths that differ, a length beside chunks, folded lines. It joins what is
 * repeated by commas, and lets no value of its own have one.
 */
export function framingFault(headers: Headers): string | undefined {
  if (headers.get('host')?.includes(', ')) return 'The request has more than one Host header.'
  if (headers.get('content-length')?.includes(','))
    return 'The request has more than one Content-Length header.'
  return undefined
}
