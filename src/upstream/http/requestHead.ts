import { assert } from '../../core/assert.ts'
import type { HttpRequest } from '../http.ts'

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Anything but visible ASCII, space and tab: a line end here would let a value write headers of its own. */
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e]/

/** What the client says itself; the same names in a request are left out. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
  'te',
])

/**
 * The request line and the headers, the empty line included; ASCII only.
 * Throws `AssertionError` for a header that HTTP cannot carry; it never quotes the value, which may be a secret.
 */
export function encodeRequestHead(request: HttpRequest, bodyBytes: number): string {
  const { url, headers, method } = request
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`
  for (const name in headers) {
    if (OWN_HEADERS.has(name.toLowerCase())) continue
    const value = headers[name] as string
    assert(HEADER_NAME.test(name), 'a header name is a token')
    assert(!FORBIDDEN_IN_VALUE.test(value), `the value of header ${name} is printable ASCII`)
    head += `${name}: ${value}\r\n`
  }
  head += 'accept-encoding: identity\r\n'
  if (method === 'POST') head += `content-length: ${bodyBytes}\r\n`
  return `${head}\r\n`
}
