const ALLOWED_METHODS = 'GET, POST, OPTIONS'
const ALLOWED_HEADERS = 'authorization, content-type, idempotency-key'
/** Every header of an answer that a program may want to read. */
const EXPOSED_HEADERS = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'x-should-retry',
  'deprecation',
  'sunset',
  'idempotent-replayed',
  'x-tollgate-dropped-fields',
].join(', ')
const PREFLIGHT_SECONDS = '600'

/** The headers for a browser's request to `/v1` (rulings, "Browsers"); undefined for an origin that is not configured. */
export function corsHeaders(origin: string, allowed: readonly string[]): Record<string, string> | undefined {
  if (!allowed.includes(origin)) return undefined
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
    vary: 'Origin',
  }
}

/** Answers a preflight; without the headers of an allowed origin the browser refuses by itself. */
export function preflight(headers: Record<string, string> | undefined, requestId: string): Response {
  if (!headers) return new Response(null, { status: 403, headers: { 'x-request-id': requestId } })
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'x-request-id': requestId,
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': PREFLIGHT_SECONDS,
    },
  })
}
