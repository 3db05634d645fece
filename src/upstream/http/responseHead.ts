import { Buffer } from 'node:buffer'
import { UpstreamError } from '../../core/failure.ts'

/** Headers of one answer. */
export const MAX_HEADERS = 256

/** The status line and the headers of an answer. */
export interface Head {
  readonly version: '1.0' | '1.1'
  readonly status: number
  /** Lowercase names; repeated headers joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
}

/** How the body's end is found (RFC 9112, 6.3), and whether the connection survives it. */
export type Framing =
  | { readonly body: 'none' | 'chunked' | 'until-close'; readonly keepAlive: boolean }
  | { readonly body: 'fixed'; readonly length: number; readonly keepAlive: boolean }

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: .*)?$/
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const MAX_LENGTH_DIGITS = 15

/** Reads a whole head, the empty line included. Throws `UpstreamError` (`invalid_answer`). */
export function parseHead(bytes: Uint8Array): Head {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  let lineEnd = text.indexOf('\n')
  const statusLine = STATUS_LINE.exec(lineOf(text, 0, lineEnd))
  if (statusLine === null) throw invalid('no status line')
  const headers = new Map<string, string>()
  let count = 0
  let last = ''
  for (;;) {
    const start = lineEnd + 1
    lineEnd = text.indexOf('\n', start)
    const line = lineOf(text, start, lineEnd)
    if (line === '') break
    if (++count > MAX_HEADERS) throw invalid('too many headers')
    last = addHeader(headers, line, last)
  }
  return { version: statusLine[1] === '0' ? '1.0' : '1.1', status: Number(statusLine[2]), headers }
}

/** Decides how the body ends. Throws `UpstreamError` (`invalid_answer`) when the headers contradict each other. */
export function decideFraming(head: Head): Framing {
  const { headers, status } = head
  const keepAlive = keepsAlive(head)
  if (status === 204 || status === 304) return { body: 'none', keepAlive }
  const encoding = headers.get('transfer-encoding')
  const length = headers.get('content-length')
  if (encoding !== undefined) {
    if (length !== undefined) throw invalid('content-length beside transfer-encoding')
    if (head.version === '1.0' || encoding.toLowerCase() !== 'chunked') {
      throw invalid('a transfer-encoding other than chunked')
    }
    return { body: 'chunked', keepAlive }
  }
  if (length !== undefined) return { body: 'fixed', length: parseLength(length), keepAlive }
  return { body: 'until-close', keepAlive: false }
}

function lineOf(text: string, start: number, lineEnd: number): string {
  const end = text.charCodeAt(lineEnd - 1) === 13 && lineEnd > start ? lineEnd - 1 : lineEnd
  return text.slice(start, end)
}

/** Adds one header line and returns its name; a folded line continues the one before. */
function addHeader(headers: Map<string, string>, line: string, last: string): string {
  if (line.includes('\r') || line.includes('\0')) throw invalid('a control character in a header')
  const folded = line.startsWith(' ') || line.startsWith('\t')
  if (folded) {
    const before = headers.get(last)
    if (before === undefined) throw invalid('a folded line without a header')
    headers.set(last, `${before} ${line.trim()}`.trim())
    return last
  }
  const colon = line.indexOf(':')
  const rawName = line.slice(0, Math.max(colon, 0))
  if (!HEADER_NAME.test(rawName)) throw invalid('a broken header name')
  const name = rawName.toLowerCase()
  const value = line.slice(colon + 1).trim()
  const before = headers.get(name)
  headers.set(name, before === undefined ? value : `${before}, ${value}`)
  return name
}

/** Several equal lengths are one length (RFC 9110, 8.6); different ones are an attack or a bug. */
function parseLength(value: string): number {
  const [first = '', ...rest] = value.includes(',') ? value.split(',').map((part) => part.trim()) : [value]
  if (!/^\d+$/.test(first) || first.length > MAX_LENGTH_DIGITS) throw invalid('a broken content-length')
  if (rest.some((other) => other !== first)) throw invalid('conflicting content-lengths')
  return Number(first)
}

function keepsAlive(head: Head): boolean {
  const connection = head.headers.get('connection')
  if (connection === undefined) return head.version === '1.1'
  const tokens = connection
    .toLowerCase()
    .split(',')
    .map((token) => token.trim())
  return !tokens.includes('close') && (head.version === '1.1' || tokens.includes('keep-alive'))
}

function invalid(detail: string): UpstreamError {
  return new UpstreamError({ kind: 'invalid_answer', detail: `not HTTP: ${detail}` })
}
