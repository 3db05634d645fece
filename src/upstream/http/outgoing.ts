import { Buffer } from 'node:buffer'

/** A longer body follows the head by itself: the two are not copied together. */
const TOGETHER_LENGTH_MAX = 16 * 1024
/** A string up to this length is encoded once; of a longer one there is never more than a piece beside it. */
const WHOLE_LENGTH_MAX = 1024 * 1024
/** A body is sent by pieces of so many UTF-16 units, or bytes. */
const PIECE_LENGTH = 256 * 1024

/** A request as it goes over the wire, from its beginning as often as it is sent. */
export class Outgoing {
  readonly openingBytes: number
  #opening: string
  #body: string | Uint8Array
  #at: number

  /** @param headFor gives the head of a request whose body has so many bytes; ASCII only */
  constructor(headFor: (bodyBytes: number) => string, body: string | Uint8Array) {
    const content = isMiddling(body) ? Buffer.from(body) : body
    const bodyBytes = Buffer.byteLength(content)
    const head = headFor(bodyBytes)
    const together = typeof content === 'string' && content.length <= TOGETHER_LENGTH_MAX
    this.#opening = together ? head + content : head
    this.openingBytes = together ? head.length + bodyBytes : head.length
    this.#body = together ? '' : content
    this.#at = 0
  }

  /** The head, with the whole body where it is short. */
  get opening(): string {
    return this.#opening
  }

  /** To be called before the opening is sent. */
  restart(): void {
    this.#at = 0
  }

  /** Nothing follows what was given. */
  get exhausted(): boolean {
    return this.#at >= this.#body.length
  }

  /** What follows the opening, piece by piece. */
  next(): Uint8Array {
    const from = this.#at
    this.#at = this.#endOfPiece(from)
    return this.#piece(from, this.#at)
  }

  /** Lets go of what was sent: it is not sent any more. */
  forget(): void {
    this.#opening = ''
    this.#body = ''
  }

  #piece(from: number, to: number): Uint8Array {
    const body = this.#body
    return typeof body === 'string' ? Buffer.from(body.slice(from, to)) : body.subarray(from, to)
  }

  /** A pair of surrogates is one character and stays together. */
  #endOfPiece(from: number): number {
    const body = this.#body
    const end = Math.min(from + PIECE_LENGTH, body.length)
    if (typeof body !== 'string' || end === body.length) return end
    const last = body.charCodeAt(end - 1)
    return last >= 0xd800 && last <= 0xdbff ? end - 1 : end
  }
}

function isMiddling(body: string | Uint8Array): boolean {
  return typeof body === 'string' && body.length > TOGETHER_LENGTH_MAX && body.length <= WHOLE_LENGTH_MAX
}
