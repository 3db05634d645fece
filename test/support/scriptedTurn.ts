import type { Socket } from 'bun'
import type { RecordedRequest } from './scriptedRequest.ts'

/** What an act may do with the connection while a request is answered. Writes after the end are ignored. */
export interface Turn {
  /** Undefined in acts that play when a connection is accepted. */
  readonly request: RecordedRequest | undefined
  /** Writes bytes as they are; resolves once the kernel has taken them. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Writes a status line and headers, and decides how `body` frames its bytes. */
  head(status: number, headers: Readonly<Record<string, string>>, framing: Framing): Promise<void>
  /** Writes a piece of the body, as one chunk when the body is chunked. */
  body(bytes: string | Uint8Array): Promise<void>
  /** Ends the body: the last chunk, or the end of the connection. */
  endBody(): Promise<void>
  /** From now on only so many more bytes get through; then the connection ends as said. */
  limit(bytes: number, ending: 'close' | 'reset'): void
  /** Takes nothing more from the socket. */
  stopReading(): void
  /** Ends the connection in order (FIN). */
  close(): void
  /** Resets the connection (RST). */
  reset(): void
  /** Whether the connection has ended, by whichever side. */
  readonly over: boolean
  /** Resolves when the connection has ended. */
  readonly gone: Promise<void>
}

/** How the length of a body is told: `none` writes neither, for bodies given to `head` as headers. */
export type Framing = 'chunked' | 'until-close' | 'as-given'

/** The provider's side of one socket, with back-pressure. */
export class Peer {
  readonly gone: Promise<void>
  /** Bytes the kernel has taken. */
  bytesWritten = 0
  /** Whether we ended it ourselves. */
  endedByUs = false
  over = false
  readonly #socket: Socket<unknown>
  #ended: () => void = () => undefined
  #drained: (() => void) | undefined
  #allowance = Number.POSITIVE_INFINITY
  #ending: 'close' | 'reset' = 'close'

  constructor(socket: Socket<unknown>) {
    this.#socket = socket
    this.gone = new Promise((resolve) => (this.#ended = resolve))
  }

  async write(data: string | Uint8Array): Promise<void> {
    let bytes: Uint8Array = typeof data === 'string' ? Buffer.from(data) : data
    const cut = bytes.length > this.#allowance
    if (cut) bytes = bytes.subarray(0, this.#allowance)
    this.#allowance -= bytes.length
    while (bytes.length > 0 && !this.over) {
      const written = Math.max(this.#socket.write(bytes), 0)
      this.bytesWritten += written
      bytes = bytes.subarray(written)
      if (bytes.length > 0) await Promise.race([this.#drain(), this.gone])
    }
    if (cut) this.#end(this.#ending)
  }

  limit(bytes: number, ending: 'close' | 'reset'): void {
    this.#allowance = bytes
    this.#ending = ending
  }

  close(): void {
    this.#end('close')
  }

  reset(): void {
    this.#end('reset')
  }

  stopReading(): void {
    this.#socket.pause()
  }

  /** The socket takes bytes again. */
  drained(): void {
    this.#drained?.()
  }

  /** The socket is closed. */
  closed(): void {
    this.over = true
    this.#ended()
  }

  #drain(): Promise<void> {
    return new Promise((resolve) => (this.#drained = resolve))
  }

  #end(ending: 'close' | 'reset'): void {
    if (this.over) return
    this.endedByUs = true
    if (ending === 'close') this.#socket.end()
    else this.#socket.terminate()
  }
}

/** A turn of this peer. */
export function turnOf(peer: Peer, request: RecordedRequest | undefined): Turn {
  let framing: Framing = 'as-given'
  return {
    request,
    write: (bytes) => peer.write(bytes),
    head(status, headers, kind) {
      framing = kind
      const own = kind === 'chunked' ? { 'transfer-encoding': 'chunked' } : undefined
      const closing = kind === 'until-close' ? { connection: 'close' } : undefined
      return peer.write(encodeHead(status, { ...headers, ...own, ...closing }))
    },
    async body(data) {
      const bytes = Buffer.from(data as Uint8Array)
      if (bytes.length === 0) return
      if (framing !== 'chunked') return peer.write(bytes)
      await peer.write(
        Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
      )
    },
    async endBody() {
      if (framing === 'chunked') await peer.write('0\r\n\r\n')
      if (framing === 'until-close') peer.close()
    },
    limit: (bytes, ending) => peer.limit(bytes, ending),
    stopReading: () => peer.stopReading(),
    close: () => peer.close(),
    reset: () => peer.reset(),
    get over() {
      return peer.over
    },
    gone: peer.gone,
  }
}

function encodeHead(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`
}
