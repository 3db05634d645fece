import { parseJson, type Json } from '../../src/core/json.ts'

/** One request as the scripted provider received it. */
export interface RecordedRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Lowercase names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as text. */
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly body: Json | undefined
  /** Ordinal of the connection it came on, from 0: equal numbers prove reuse. */
  readonly connection: number
}

/** Collects bytes until a whole request is in hand. Reads `content-length` and chunked bodies. */
export class RequestReader {
  #parts: Uint8Array[] = []
  #length = 0
  /** Below this many bytes no request can be whole: spares joining the parts of a large body at each read. */
  #needed = 0
  readonly #connection: number

  constructor(connection: number) {
    this.#connection = connection
  }

  push(bytes: Uint8Array): void {
    this.#parts.push(bytes)
    this.#length += bytes.length
  }

  /** The next whole request; undefined while it is incomplete. */
  next(): RecordedRequest | undefined {
    if (this.#length === 0 || this.#length < this.#needed) return undefined
    const bytes = Buffer.concat(this.#parts)
    this.#parts = [bytes]
    const headEnd = bytes.indexOf('\r\n\r\n')
    if (headEnd === -1) return undefined
    const [requestLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
    const headers = readHeaders(lines)
    const bodyStart = headEnd + 4
    this.#needed = bodyStart + Number(headers['content-length'] ?? 0)
    const found = readBody(bytes.subarray(bodyStart), headers)
    if (found === undefined) return undefined
    const rest = bytes.subarray(bodyStart + found.length)
    this.#parts = [rest]
    this.#length = rest.length
    this.#needed = 0
    const [method = '', path = ''] = requestLine.split(' ')
    const text = found.body.toString()
    return { method, path, headers, text, body: parseJson(text), connection: this.#connection }
  }
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return headers
}

/** The body and how many bytes it took on the wire; undefined while it is incomplete. */
function readBody(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
): { body: Buffer; length: number } | undefined {
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes)
  const length = Number(headers['content-length'] ?? 0)
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), length }
}

function readChunks(bytes: Buffer): { body: Buffer; length: number } | undefined {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { body: Buffer.concat(parts), length: end }
    parts.push(bytes.subarray(lineEnd + 2, end - 2))
    at = end
  }
}
