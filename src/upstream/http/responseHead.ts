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
/** NUL, and CR without LF: some would read a line's end there. */
const CONTROL = /\0|\r(?!\n)/
const CARRIAGE_RETURN = 13
const SPACE = 32
const TAB = 9

/** Reads a whole head, the empty line included. Throws `UpstreamError` (`invalid_answer`). */
export function parseHead(bytes: Uint8Array): Head {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  let lineEnd = text.indexOf('\n')
  const statusLine = STATUS_LINE.exec(lineOf(text, 0, lineEnd))
  if (statusLine === null) throw invalid('no status line')
  if (CONTROL.test(text)) throw invalid('a control character in a header')
  const headers = new Map<string, string>()
  let count = 0
  let last = ''
  for (;;) {
    const start = lineEnd + 1
    lineEnd = text.indexOf('\n', start)
    const end = endOfLine(text, start, lineEnd)
    if (end === start) break
    if (++count > MAX_HEADERS) throw invalid('too many headers')
    last = isFolded(text, start)
      ? addFolded(headers, text.slice(start, end), last)
      : addHeader(headers, text, start, end)
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
  return text.slice(start, endOfLine(text, start, lineEnd))
}

/** A line ends with LF, or with CR and LF. */
function endOfLine(text: string, start: number, lineEnd: number): number {
  return text.charCodeAt(lineEnd - 1) === CARRIAGE_RETURN && lineEnd > start ? lineEnd - 1 : lineEnd
}

function isFolded(text: string, start: number): boolean {
  const code = text.charCodeAt(start)
  return code === SPACE || code === TAB
}

/** A folded line continues the one before; gives the name of that. */
function addFolded(headers: Map<string, string>, line: string, last: string): string {
  const before = headers.get(last)
  if (before === undefined) throw invalid('a folded line without a header')
  headers.set(last, `${before} ${line.trim()}`.trim())
  return last
}

/** Adds one header line and returns its name. */
function addHeader(headers: Map<string, string>, text: string, start: number, end: number): string {
  const colon = text.indexOf(':', start)
  const name = nameOf(colon === -1 || colon > end ? '' : text.slice(start, colon))
  const value = text.slice(colon + 1, end).trim()
  const before = headers.get(name)
  headers.set(name, before === undefined ? value : `${before}, ${value}`)
  return name
}

/** Names of headers as they were written, and in lowercase: providers write the same ones again and again. */
const names = new Map<string, string>()
const NAMES_MAX = 512
/** A longer name is not worth remembering. */
const NAME_LENGTH_MAX = 64

function nameOf(written: string): string {
  const known = names.get(written)
  if (known !== undefined) return known
  if (!HEADER_NAME.test(written)) throw invalid('a broken header name')
  const name = written.toLowerCase()
  if (names.size < NAMES_MAX && written.length <= NAME_LENGTH_MAX) names.set(written, name)
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
  return new UpstreamError({ kind: 'invalid_answer', code: 'not_http', detail: `not HTTP: ${detail}` })
}

/** How long the peer keeps the connection when idle, as it promises with `keep-alive: timeout=<seconds>`, in milliseconds. */
export function keepAliveMsOf({ headers }: Head): number | undefined {
  const seconds = /timeout=(\d{1,6})/i.exec(headers.get('keep-alive') ?? '')?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
