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
  const head = fixedPart(request)
  return request.method === 'POST' ? `${head}content-length: ${bodyBytes}\r\n\r\n` : `${head}\r\n`
}

/** By headers that never change: the last request that had them. */
const lastWith = new WeakMap<HttpRequest['headers'], { url: URL; method: string; head: string }>()

/** Everything but the length of the body. */
function fixedPart(request: HttpRequest): string {
  const { url, headers, method } = request
  const last = lastWith.get(headers)
  if (last?.url === url && last.method === method) return last.head
  const head = writeFixedPart(request)
  if (Object.isFrozen(headers)) lastWith.set(headers, { url, method, head })
  return head
}

function writeFixedPart({ url, headers, method }: HttpRequest): string {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`
  for (const name in headers) {
    if (OWN_HEADERS.has(name.toLowerCase())) continue
    const value = headers[name] as string
    assert(HEADER_NAME.test(name), 'a header name is a token')
    assert(!FORBIDDEN_IN_VALUE.test(value), `the value of header ${name} is printable ASCII`)
    head += `${name}: ${value}\r\n`
  }
  return `${head}accept-encoding: identity\r\n`
}
