import { Buffer } from 'node:buffer'
import type { Socket, SocketHandler, TLSOptions } from 'bun'
import { UpstreamError } from '../../core/failure.ts'
import type { Deadline, Deadlines } from './deadlines.ts'
import type { Carrier, Exchange } from './exchange.ts'
import type { Origin } from './origin.ts'
import type { Head } from './responseHead.ts'
import { type ResponseEvents, ResponseParser } from './responseParser.ts'

/** Whoever opened a connection hears what becomes of it. */
export interface ConnectionOwner {
  /** Its answer is whole and it may carry another request. */
  onIdle(connection: Connection): void
  /** It is gone for good. */
  onClosed(connection: Connection): void
  /** The exchange got no byte of an answer on it: the owner fails it or carries it over to a fresh connection. */
  onUnanswered(connection: Connection, exchange: Exchange, error: UpstreamError): void
}

/** One socket to a provider. It carries one exchange at a time, and any number in turn. */
export class Connection implements Carrier, Deadline, ResponseEvents {
  readonly origin: Origin
  expiresAt = Number.POSITIVE_INFINITY
  /** How long the peer keeps it when idle, as it said with its last answer. */
  keepAliveMs: number | undefined
  /** When it became idle, on the clock of its deadlines. */
  idleSince = 0
  readonly #owner: ConnectionOwner
  readonly #deadlines: Deadlines
  readonly #parser: ResponseParser
  #socket: Socket<Connection> | undefined
  #stage: 'connecting' | 'busy' | 'idle' | 'closed' = 'connecting'
  #exchange: Exchange | undefined
  #exchanges = 0
  /** What the socket has not yet taken of the request. */
  #unsent: Uint8Array | undefined
  #received = false
  #firstEventSeen = false
  #parsing = false
  /** The body's reader wants no more for now. */
  #paused = false
  /** The socket itself is paused: only once something came while `#paused`, since two system calls per pause add up. */
  #stopped = false
  /** What came while paused: one read, seldom two. */
  #pending: Uint8Array[] = []
  /** How the connection ended while bytes were still pending. */
  #loss: UpstreamError | 'closed' | undefined

  constructor(origin: Origin, owner: ConnectionOwner, deadlines: Deadlines) {
    this.origin = origin
    this.#owner = owner
    this.#deadlines = deadlines
    this.#parser = new ResponseParser(this)
  }

  /** Connects and, once the connection stands (TLS included), sends the exchange. */
  open(exchange: Exchange, tls: TLSOptions | undefined): void {
    this.#exchange = exchange
    exchange.carriedBy(this)
    this.expiresAt = this.#deadlines.in(exchange.timeouts.connectMs)
    this.#deadlines.add(this)
    const { hostname, port } = this.origin
    const connecting = tls
      ? Bun.connect<Connection>({ hostname, port, data: this, tls, socket: SECURE_HANDLERS })
      : Bun.connect<Connection>({ hostname, port, data: this, socket: PLAIN_HANDLERS })
    connecting.catch((error: unknown) => this.#lost(this.#broken('cannot connect', error)))
  }

  /** Sends an exchange over a connection that stands. */
  carry(exchange: Exchange): void {
    this.#exchange = exchange
    this.#stage = 'busy'
    this.#exchanges++
    this.#received = false
    this.#firstEventSeen = false
    this.#paused = false
    this.#parser.reset()
    exchange.carriedBy(this)
    this.#expectEvent(exchange)
    const { message, messageBytes } = exchange
    const written = this.#socket?.write(message) ?? -1
    if (written === messageBytes) return exchange.sent()
    this.#unsent = (typeof message === 'string' ? Buffer.from(message) : message).subarray(
      Math.max(written, 0),
    )
    if (written < 0) this.#lost(this.#broken('the connection closed before the request was sent'))
  }

  get alive(): boolean {
    return this.#stage !== 'closed'
  }

  /**
   * Whether the exchange it lost may go to a fresh connection: its peer had probably closed this one
   * as idle, and cannot have worked on the request, or working on it twice does no harm.
   */
  get mayCarryOver(): boolean {
    if (this.#exchanges < 2 || this.#received) return false
    return this.#unsent !== undefined || this.#exchange?.method === 'GET'
  }

  /** Closes an idle connection in order. */
  retire(): void {
    this.#close()
    this.#socket?.end()
  }

  // As the carrier of an exchange

  hold(): void {
    this.#paused = true
    if (this.#firstEventSeen) this.expiresAt = Number.POSITIVE_INFINITY
  }

  flow(): void {
    const exchange = this.#exchange
    if (!this.#paused || exchange === undefined) return
    this.#paused = false
    if (this.#firstEventSeen) this.#expectRead(exchange)
    // A reader that resumes within its own callback: what is pending follows when the callback returns.
    if (!this.#parsing) this.#drain(exchange)
  }

  firstEventSeen(): void {
    if (this.#firstEventSeen || this.#exchange === undefined) return
    this.#firstEventSeen = true
    if (this.#paused) this.expiresAt = Number.POSITIVE_INFINITY
    else this.#expectRead(this.#exchange)
  }

  drop(): void {
    this.#exchange = undefined
    this.#pending = []
    this.#parser.stop()
    this.#close()
    this.#socket?.terminate()
  }

  // As a deadline

  expire(): void {
    const exchange = this.#exchange
    if (exchange === undefined) return this.retire()
    const detail = this.#describeSilence(exchange)
    this.drop()
    exchange.fail(new UpstreamError({ kind: 'timeout', detail }))
  }

  // As the listener of its parser

  onHead(head: Head): void {
    this.keepAliveMs = keepAliveMs(head.headers.get('keep-alive'))
    this.#exchange?.head(head)
  }

  onData(bytes: Uint8Array): void {
    this.#exchange?.data(bytes)
  }

  onEnd(): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.end()
  }

  // As the owner of its socket

  opened(socket: Socket<Connection>): void {
    this.#socket = socket
    if (this.#stage === 'closed') socket.terminate()
  }

  stands(): void {
    if (this.#stage === 'connecting' && this.#exchange) this.carry(this.#exchange)
  }

  read(bytes: Uint8Array): void {
    const exchange = this.#exchange
    // Bytes that nobody asked for: what they would be taken for next is anyone's guess.
    if (exchange === undefined) return this.drop()
    this.#received = true
    if (exchange.answered && exchange.unclaimed) this.hold()
    if (this.#paused) {
      this.#pending.push(bytes)
      if (!this.#stopped) this.#socket?.pause()
      this.#stopped = true
      return
    }
    if (this.#firstEventSeen) this.#expectRead(exchange)
    this.#parse(bytes, exchange)
  }

  writable(): void {
    const unsent = this.#unsent
    const exchange = this.#exchange
    if (unsent === undefined || exchange === undefined || this.#stage !== 'busy') return
    const written = this.#socket?.write(unsent) ?? -1
    if (written <= 0) return
    if (!this.#firstEventSeen) this.#expectEvent(exchange)
    this.#unsent = written < unsent.length ? unsent.subarray(written) : undefined
    if (this.#unsent === undefined) exchange.sent()
  }

  ended(error: Error | undefined): void {
    if (error) this.#lost(this.#broken('the connection was lost', error))
    else if (this.#stage === 'connecting') this.#lost(this.#broken('closed while connecting'))
    else this.#lost('closed')
  }

  refused(error: Error): void {
    this.#lost(this.#broken('no trust in the certificate', error))
    this.#socket?.terminate()
  }

  #parse(bytes: Uint8Array, exchange: Exchange): void {
    this.#parsing = true
    try {
      this.#parser.push(bytes)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      this.drop()
      exchange.fail(error)
    } finally {
      this.#parsing = false
    }
    if (this.#exchange === undefined) this.#release()
  }

  /** What came while paused goes first, then the end of the connection, then what the socket holds. */
  #drain(exchange: Exchange): void {
    while (!this.#paused && this.#exchange === exchange) {
      const bytes = this.#pending.shift()
      if (bytes !== undefined) {
        this.#parse(bytes, exchange)
      } else if (this.#loss !== undefined) {
        return this.#settleLoss(exchange, this.#loss)
      } else {
        if (this.#stopped) this.#socket?.resume()
        this.#stopped = false
        return
      }
    }
  }

  #release(): void {
    if (this.#stage !== 'busy') return
    if (!this.#parser.reusable || this.#unsent !== undefined || this.#pending.length > 0) return this.retire()
    if (this.#stopped) this.#socket?.resume()
    this.#stopped = false
    this.#stage = 'idle'
    this.#owner.onIdle(this)
  }

  #lost(loss: UpstreamError | 'closed'): void {
    if (this.#stage === 'closed') return
    this.#close()
    const exchange = this.#exchange
    if (exchange === undefined) return
    if (this.#pending.length > 0) this.#loss = loss
    else this.#settleLoss(exchange, loss)
  }

  #settleLoss(exchange: Exchange, loss: UpstreamError | 'closed'): void {
    let error = loss
    if (error === 'closed') {
      try {
        return this.#parser.close()
      } catch (cut) {
        if (!(cut instanceof UpstreamError)) throw cut
        error = cut
      }
    }
    if (this.#received) exchange.fail(error)
    else this.#owner.onUnanswered(this, exchange, error)
    this.#exchange = undefined
  }

  #close(): void {
    if (this.#stage === 'closed') return
    this.#stage = 'closed'
    this.#deadlines.delete(this)
    this.#owner.onClosed(this)
  }

  #expectEvent(exchange: Exchange): void {
    this.expiresAt = this.#deadlines.in(exchange.timeouts.firstEventMs)
  }

  #expectRead(exchange: Exchange): void {
    this.expiresAt = this.#deadlines.in(exchange.timeouts.idleMs)
  }

  #describeSilence(exchange: Exchange): string {
    const { connectMs, firstEventMs, idleMs } = exchange.timeouts
    if (this.#stage === 'connecting') return `no connection to ${this.origin.key} within ${connectMs} ms`
    if (this.#firstEventSeen) return `${this.origin.key} was silent for ${idleMs} ms in its answer`
    const missing = exchange.answered ? 'event' : 'answer'
    return `no ${missing} from ${this.origin.key} within ${firstEventMs} ms`
  }

  #broken(what: string, cause?: unknown): UpstreamError {
    const reason = cause instanceof Error ? `: ${'code' in cause ? String(cause.code) : cause.message}` : ''
    const detail = `${this.origin.key}: ${what}${reason}`
    return new UpstreamError({ kind: 'connection', detail }, { cause })
  }
}

const SHARED_HANDLERS: SocketHandler<Connection, 'uint8array'> = {
  binaryType: 'uint8array',
  data: (socket, bytes) => socket.data.read(bytes),
  drain: (socket) => socket.data.writable(),
  close: (socket, error) => socket.data.ended(error),
  error: (socket, error) => socket.data.ended(error),
}

const PLAIN_HANDLERS = {
  ...SHARED_HANDLERS,
  open(socket: Socket<Connection>) {
    socket.data.opened(socket)
    socket.data.stands()
  },
} as SocketHandler<Connection>

const SECURE_HANDLERS = {
  ...SHARED_HANDLERS,
  open: (socket: Socket<Connection>) => socket.data.opened(socket),
  handshake(socket: Socket<Connection>, trusted: boolean, error: Error | null) {
    if (trusted && error === null) socket.data.stands()
    else socket.data.refused(error ?? new Error('not trusted'))
  },
} as SocketHandler<Connection>

/** What a peer promises with `keep-alive: timeout=<seconds>`, in milliseconds. */
function keepAliveMs(value: string | undefined): number | undefined {
  const seconds = /timeout=(\d{1,6})/i.exec(value ?? '')?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
