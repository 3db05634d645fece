import { UpstreamError } from '../../core/failure.ts'
import { decideFraming, parseHead, type Head } from './responseHead.ts'

/** The status line and all headers (or all trailers) of one answer together. */
export const MAX_HEAD_BYTES = 64 * 1024
/** Interim (1xx) answers before the final one. */
export const MAX_INTERIM_ANSWERS = 16
/** A chunk-size line with its extensions. */
export const MAX_CHUNK_LINE_BYTES = 4 * 1024
/**
 * What a chunk should bring, beside the length of its extensions. Providers send one for each token, of 20 to 200 bytes, and
 * some send a line's beginning and end as chunks of their own.
 */
export const CHUNK_BYTES_MIN = 8
/** By so many bytes chunks in a row may bring less: each costs as much work and memory as a large one. */
export const CHUNK_DEFICIT_MAX = 256 * 1024
/** 2^48 bytes: far above any body, far below where numbers lose precision. */
const MAX_CHUNK_SIZE_DIGITS = 12

const LINE_END_BYTES = 2
const CR = 13
const LF = 10
const SEMICOLON = 59
const SPACE = 32
const TAB = 9

/** What a parsed answer consists of, in order: one head, any number of data, one end. */
export interface ResponseEvents {
  onHead(head: Head): void
  /** A view into the pushed bytes: nothing is copied. */
  onData(bytes: Uint8Array): void
  onEnd(): void
}

type State =
  | 'head'
  | 'fixed'
  | 'chunk-size'
  | 'chunk-extension'
  | 'chunk-data'
  | 'chunk-data-end'
  | 'trailers'
  | 'until-close'
  | 'done'

/**
 * A push parser for HTTP/1.1 responses to GET and POST (RFC 9112): a state machine without I/O. Any
 * split of the same bytes gives the same head, the same body and the same end; memory is bounded by
 * the limits above. `push` and `close` throw `UpstreamError` (`invalid_answer`, or `connection` for
 * an answer that was cut); after a throw the parser takes no more.
 */
export class ResponseParser {
  readonly #events: ResponseEvents
  #state: State = 'head'
  #interim = 0
  /** Bytes of the head, of a trailer line or of a chunk line that are still incomplete. */
  #held = new Uint8Array(0)
  #heldLength = 0
  /** Whether the line being read is still empty; two line ends in a row end a head. */
  #lineEmpty = true
  #remaining = 0
  #sizeDigits = 0
  #lineBytes = 0
  /** How much the chunks before have brought less than they should. */
  #chunkDeficit = 0
  #keepAlive = false
  #excess = false
  #received = 0

  constructor(events: ResponseEvents) {
    this.#events = events
  }

  /** Makes the parser ready for the next answer on the same connection. */
  reset(): void {
    this.#state = 'head'
    this.#interim = 0
    this.#heldLength = 0
    this.#lineEmpty = true
    this.#chunkDeficit = 0
    this.#excess = false
    this.#received = 0
  }

  /** Takes no more: events stop at once, also in the middle of a push. */
  stop(): void {
    this.#state = 'done'
  }

  /** The answer is whole, and another may follow on the same connection. */
  get reusable(): boolean {
    return this.#state === 'done' && this.#keepAlive && !this.#excess
  }

  /** Bytes came after the end of the answer. */
  get excess(): boolean {
    return this.#excess
  }

  push(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      switch (this.#state) {
        case 'head':
          at = this.#pushHead(bytes, at)
          break
        case 'fixed':
          at = this.#pushFixed(bytes, at)
          break
        case 'chunk-size':
          at = this.#pushChunkSize(bytes, at)
          break
        case 'chunk-extension':
          at = this.#pushChunkExtension(bytes, at)
          break
        case 'chunk-data':
          at = this.#pushChunkData(bytes, at)
          break
        case 'chunk-data-end':
          at = this.#pushChunkDataEnd(bytes, at)
          break
        case 'trailers':
          at = this.#pushTrailers(bytes, at)
          break
        case 'until-close':
          this.#received += bytes.length - at
          this.#events.onData(at === 0 ? bytes : bytes.subarray(at))
          return
        case 'done':
          this.#excess = true
          return
      }
    }
  }

  /** The peer has closed its side in order: the end of a body that has no other, a cut for any other. */
  close(): void {
    if (this.#state === 'done') return
    if (this.#state === 'until-close') return this.#end()
    const where =
      this.#state === 'head' ? 'before the head was whole' : `after ${this.#received} bytes of body`
    this.#state = 'done'
    throw new UpstreamError({ kind: 'connection', code: 'cut', detail: `the answer was cut ${where}` })
  }

  #pushHead(bytes: Uint8Array, from: number): number {
    const end = this.#findHeadEnd(bytes, from)
    if (end === undefined || this.#heldLength > 0) this.#hold(bytes, from, end ?? bytes.length)
    if (end === undefined) return bytes.length
    const raw = this.#heldLength > 0 ? this.#held.subarray(0, this.#heldLength) : bytes.subarray(from, end)
    if (raw.length > MAX_HEAD_BYTES) this.#tooLarge()
    this.#heldLength = 0
    this.#takeHead(this.#guard(() => parseHead(raw)))
    return end
  }

  #takeHead(head: Head): void {
    if (head.status < 200) {
      if (head.status === 101) this.#invalid('switched protocols unasked')
      if (++this.#interim > MAX_INTERIM_ANSWERS) this.#invalid('too many interim answers')
      return
    }
    const framing = this.#guard(() => decideFraming(head))
    this.#keepAlive = framing.keepAlive
    switch (framing.body) {
      case 'none':
        this.#remaining = 0
        this.#state = 'fixed'
        break
      case 'fixed':
        this.#remaining = framing.length
        this.#state = 'fixed'
        break
      case 'chunked':
        this.#startChunk()
        break
      case 'until-close':
        this.#state = 'until-close'
        break
    }
    const bodyless = this.#state === 'fixed' && this.#remaining === 0
    this.#events.onHead(head)
    if (bodyless && this.#state === 'fixed') this.#end()
  }

  #pushFixed(bytes: Uint8Array, from: number): number {
    const end = Math.min(bytes.length, from + this.#remaining)
    this.#remaining -= end - from
    this.#deliver(bytes, from, end)
    if (this.#remaining === 0 && this.#state === 'fixed') this.#end()
    return end
  }

  #startChunk(): void {
    this.#state = 'chunk-size'
    this.#remaining = 0
    this.#sizeDigits = 0
    this.#lineBytes = 0
  }

  #pushChunkSize(bytes: Uint8Array, from: number): number {
    let at = from
    while (at < bytes.length) {
      const byte = bytes[at] as number
      const digit = hexDigit(byte)
      if (digit < 0) {
        if (this.#sizeDigits === 0) this.#invalid('a chunk without a size')
        if (byte !== CR && byte !== LF && byte !== SEMICOLON && byte !== SPACE && byte !== TAB) {
          this.#invalid('a broken chunk size')
        }
        this.#state = 'chunk-extension'
        return at
      }
      if (++this.#sizeDigits > MAX_CHUNK_SIZE_DIGITS) this.#invalid('a chunk size out of range')
      this.#remaining = this.#remaining * 16 + digit
      at++
    }
    return at
  }

  #pushChunkExtension(bytes: Uint8Array, from: number): number {
    const lineEnd = bytes.indexOf(LF, from)
    const end = lineEnd === -1 ? bytes.length : lineEnd + 1
    this.#lineBytes += end - from
    if (this.#lineBytes > MAX_CHUNK_LINE_BYTES) this.#invalid('a chunk line too long')
    if (lineEnd === -1) return end
    if (this.#remaining === 0) {
      this.#state = 'trailers'
      this.#lineEmpty = true
      this.#lineBytes = 0
    } else {
      this.#weighChunk()
      this.#state = 'chunk-data'
    }
    return end
  }

  #weighChunk(): void {
    const missing = CHUNK_BYTES_MIN + Math.max(0, this.#lineBytes - LINE_END_BYTES) - this.#remaining
    this.#chunkDeficit = Math.max(0, this.#chunkDeficit + missing)
    if (this.#chunkDeficit > CHUNK_DEFICIT_MAX) this.#invalid('chunks that bring too little')
  }

  #pushChunkData(bytes: Uint8Array, from: number): number {
    const end = Math.min(bytes.length, from + this.#remaining)
    this.#remaining -= end - from
    if (this.#remaining === 0) {
      this.#state = 'chunk-data-end'
      this.#lineEmpty = true
    }
    this.#deliver(bytes, from, end)
    return end
  }

  /** CR LF, or LF alone; `#lineEmpty` turns false once the CR is seen. */
  #pushChunkDataEnd(bytes: Uint8Array, from: number): number {
    const byte = bytes[from]
    if (byte === CR && this.#lineEmpty) this.#lineEmpty = false
    else if (byte === LF) this.#startChunk()
    else this.#invalid('a chunk longer than its size')
    return from + 1
  }

  /** Trailers are read over: nothing of ours needs them. */
  #pushTrailers(bytes: Uint8Array, from: number): number {
    const end = this.#findHeadEnd(bytes, from)
    this.#lineBytes += (end ?? bytes.length) - from
    if (this.#lineBytes > MAX_HEAD_BYTES) this.#tooLarge()
    if (end === undefined) return bytes.length
    this.#end()
    return end
  }

  /** The index after the empty line that ends a head, or undefined when it is not in these bytes. */
  #findHeadEnd(bytes: Uint8Array, from: number): number | undefined {
    let empty = this.#lineEmpty
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === LF) {
        if (empty) {
          this.#lineEmpty = true
          return at + 1
        }
        empty = true
      } else if (byte !== CR) {
        empty = false
      }
    }
    this.#lineEmpty = empty
    return undefined
  }

  #hold(bytes: Uint8Array, from: number, end: number): void {
    const length = this.#heldLength + end - from
    if (length > MAX_HEAD_BYTES) this.#tooLarge()
    if (length > this.#held.length) {
      const grown = new Uint8Array(Math.max(length, this.#held.length * 2, 1024))
      grown.set(this.#held.subarray(0, this.#heldLength))
      this.#held = grown
    }
    this.#held.set(bytes.subarray(from, end), this.#heldLength)
    this.#heldLength = length
  }

  #deliver(bytes: Uint8Array, from: number, end: number): void {
    if (end === from) return
    this.#received += end - from
    this.#events.onData(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end))
  }

  #end(): void {
    this.#state = 'done'
    this.#events.onEnd()
  }

  #guard<T>(parse: () => T): T {
    try {
      return parse()
    } catch (error) {
      this.#state = 'done'
      this.#keepAlive = false
      throw error
    }
  }

  #tooLarge(): never {
    this.#invalid(`more than ${MAX_HEAD_BYTES} bytes of headers`)
  }

  #invalid(detail: string): never {
    this.#state = 'done'
    this.#keepAlive = false
    throw new UpstreamError({ kind: 'invalid_answer', code: 'not_http', detail: `not HTTP: ${detail}` })
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
