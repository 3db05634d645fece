import { Buffer } from 'node:buffer'
import type { Outgoing } from './outgoing.ts'

/** Other calls have their turn when so much of a request was written in one turn. */
export const TURN_BYTES = 1024 * 1024

/** What became of an attempt to send on. */
export type Sent =
  /** The socket has all of it. */
  | 'all'
  /** The socket takes no more for now: go on when it is writable again. */
  | 'full'
  /** Go on in another turn of the event loop. */
  | 'turn'
  /** The socket is closed. */
  | 'lost'

interface WritableSocket {
  /** Returns how many bytes it took; below 0: it is closed. */
  write(bytes: string | Uint8Array): number
}

/** Sends requests at the pace of their socket, one after the other. */
export class RequestSender {
  readonly #socket: () => WritableSocket | undefined
  #sending = false
  /** What the socket did not take of the piece that was offered last. */
  #unsent: Uint8Array | undefined

  /** @param socket undefined while there is none */
  constructor(socket: () => WritableSocket | undefined) {
    this.#socket = socket
  }

  /** The socket has not yet taken all of the request. */
  get sending(): boolean {
    return this.#sending
  }

  /** It goes on only when the socket is writable again. */
  get waits(): boolean {
    return this.#unsent !== undefined
  }

  /** Sends a request from its beginning. */
  start(outgoing: Outgoing): Sent {
    this.#sending = true
    this.#unsent = undefined
    outgoing.restart()
    const { opening, openingBytes } = outgoing
    const written = this.#socket()?.write(opening) ?? -1
    if (written < 0) return 'lost'
    if (written === openingBytes) return this.goOn(outgoing)
    this.#unsent = Buffer.from(opening).subarray(written)
    return 'full'
  }

  /** Writes what the socket takes of the rest. */
  goOn(outgoing: Outgoing): Sent {
    for (let bytes = 0; bytes < TURN_BYTES;) {
      if (this.#unsent === undefined && outgoing.exhausted) {
        this.#sending = false
        return 'all'
      }
      const piece = this.#unsent ?? outgoing.next()
      const written = Math.max(this.#socket()?.write(piece) ?? 0, 0)
      this.#unsent = written < piece.length ? piece.subarray(written) : undefined
      if (this.#unsent !== undefined) return 'full'
      // What is sent must be known as sent in this turn: the answer may come in the next.
      bytes += outgoing.exhausted ? 0 : written
    }
    return 'turn'
  }
}
