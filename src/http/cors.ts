const ALLOWED_METHODS = 'GET, HEAD, POST, OPTIONS'
/** For a preflight that asks for no header, or for none that can be told back. */
const ALLOWED_HEADERS =
  'authorization, x-api-key, content-type, idempotency-key, anthropic-version, anthropic-beta'
/** Every header of an answer that a program may want to read. */
const EXPOSED_HEADERS = [
  'x-request-id',
  'request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'x-should-retry',
  'deprecation',
  'sunset',
  'idempotent-replayed',
  'x-tollgate-dropped-fields',
  'x-tollgate-estimated',
].join(', ')
export const PREFLIGHT_SECONDS = '600'

/** The SDKs send about twenty; a list beyond these bounds is not theirs. */
const ASKED_HEADERS_MAX = 64
const ASKED_LENGTH_MAX = 2048
/** A comma-separated list of field names (RFC 9110, section 5.6.2). */
const FIELD_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/

/**
 * The headers for a browser's request to `/v1`; undefined for an origin that is not configured
 * (docs/configuration.md#server).
 */
export function corsHeaders(origin: string, allowed: readonly string[]): Record<string, string> | undefined {
  if (!allowed.includes(origin)) return undefined
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
    vary: 'Origin',
  }
}

/**
 * Answers a preflight; without the headers of an allowed origin the browser refuses by itself.
 *
 * @param asked the headers that the page wants to send. An allowed origin may send any: SDKs add names of their own
 * with every version (`x-stainless-os`, `anthropic-beta`), and what we do not know we do not read.
 */
export function preflight(
  headers: Record<string, string> | undefined,
  asked: string | null,
  requestId: string,
): Response {
  if (!headers)
    return new Response(null, { status: 403, headers: { vary: 'Origin', 'x-request-id': requestId } })
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      vary: 'Origin, Access-Control-Request-Headers',
      'x-request-id': requestId,
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': asked !== null && isFieldNames(asked) ? asked : ALLOWED_HEADERS,
      'access-control-max-age': PREFLIGHT_SECONDS,
    },
  })
}

function isFieldNames(list: string): boolean {
  return (
    list.length <= ASKED_LENGTH_MAX && list.split(',').length <= ASKED_HEADERS_MAX && FIELD_NAMES.test(list)
  )
}
