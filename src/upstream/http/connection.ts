import { Buffer } from 'node:buffer'
import type { Socket, TLSOptions } from 'bun'
import { UpstreamError } from '../../core/failure.ts'
import type { Deadline, Deadlines } from './deadlines.ts'
import type { Carrier, Exchange } from './exchange.ts'
import type { Origin } from './origin.ts'
import { PausableInput } from './pausableInput.ts'
import type { Head } from './responseHead.ts'
import { type ResponseEvents, ResponseParser } from './responseParser.ts'
import { PLAIN_HANDLERS, SECURE_HANDLERS, type SocketOwner } from './socketHandlers.ts'
import { isOutOfFiles } from './outOfFiles.ts'

/** No local port is free for a further connection to this address. */
const NO_PORT = 'EADDRNOTAVAIL'

/** Other calls have their turn when so much of a request was written at once. */
const TURN_BYTES = 1024 * 1024

/** Whoever opened a connection receives what becomes of it. */
export interface ConnectionOwner {
  /** Its answer is whole and it may carry another request. */
  onIdle(connection: Connection): void
  /** It is gone for good. */
  onClosed(connection: Connection): void
  /** The exchange got no byte of an answer on it: the owner fails it or carries it over to a fresh connection. */
  onUnanswered(connection: Connection, exchange: Exchange, error: UpstreamError): void
  /** Its peer sent bytes that no request had asked for. */
  onStray(connection: Connection): void
}

/** One socket to a provider. It carries one exchange at a time, and any number in turn. */
export class Connection implements Carrier, Deadline, ResponseEvents, SocketOwner {
  readonly origin: Origin
  expiresAt = Number.POSITIVE_INFINITY
  /** How long the peer keeps it when idle, as it said with its last answer. */
  keepAliveMs: number | undefined
  /** When it became idle, on the clock of its deadlines. */
  idleSince = 0
  readonly #owner: ConnectionOwner
  readonly #deadlines: Deadlines
  readonly #parser: ResponseParser
  #socket: Socket<SocketOwner> | undefined
  #stage: 'connecting' | 'busy' | 'idle' | 'closed' = 'connecting'
  #exchange: Exchange | undefined
  #exchanges = 0
  /** The socket has not yet taken all of the request. */
  #sending = false
  /** What it did not take of the piece that was offered last. */
  #unsent: Uint8Array | undefined
  #received = false
  #firstEventSeen = false
  #spoken = false
  /** When the first event of its exchange must have come, on the clock of its deadlines. */
  #eventBy = Number.POSITIVE_INFINITY
  /** When its exchange must be over, on the clock of its deadlines; moves on while the reader pauses it. */
  #endsAt = Number.POSITIVE_INFINITY
  #pausedAt = 0
  #parsing = false
  /** What the socket gives, at the pace of the body's reader; how it ended comes last. */
  readonly #input = new PausableInput<UpstreamError | 'closed'>(() => this.#socket)

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
      ? Bun.connect<SocketOwner>({ hostname, port, data: this, tls, socket: SECURE_HANDLERS })
      : Bun.connect<SocketOwner>({ hostname, port, data: this, socket: PLAIN_HANDLERS })
    connecting.catch((error: unknown) => this.#lost(this.#broken('cannot connect', error)))
  }

  /** Sends an exchange over a connection that stands. */
  carry(exchange: Exchange): void {
    this.#exchange = exchange
    this.#stage = 'busy'
    this.#exchanges++
    this.#received = false
    this.#firstEventSeen = false
    this.#spoken = false
    this.#input.resume()
    this.#sending = true
    this.#unsent = undefined
    this.#parser.reset()
    exchange.carriedBy(this)
    this.#endsAt = this.#deadlines.in(exchange.timeouts.totalMs)
    this.#expectEvent(exchange)
    try {
      this.#open(exchange)
    } catch (cause) {
      this.crash(cause)
    }
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
    return this.#sending || this.#exchange?.method === 'GET'
  }

  /** Closes an idle connection in order. */
  retire(): void {
    this.#close()
    this.#socket?.end()
  }

  // As the carrier of an exchange

  pause(): void {
    if (!this.#input.paused) this.#pausedAt = this.#deadlines.now
    this.#input.pause()
    if (this.#firstEventSeen) this.expiresAt = Number.POSITIVE_INFINITY
  }

  resume(): void {
    const exchange = this.#exchange
    if (!this.#input.paused || exchange === undefined) return
    this.#input.resume()
    // Only the peer's time counts: a caller must not end its own call as the provider's failure by reading slowly.
    this.#endsAt += this.#deadlines.now - this.#pausedAt
    if (this.#received) this.#expectRead(exchange)
    // A reader that resumes within its own callback: what is kept follows when the callback returns.
    if (!this.#parsing) this.#drain(exchange)
  }

  firstEventSeen(): void {
    if (this.#firstEventSeen || this.#exchange === undefined) return
    this.#firstEventSeen = true
    if (this.#input.paused) this.expiresAt = Number.POSITIVE_INFINITY
    else this.#expectRead(this.#exchange)
  }

  spoken(): void {
    if (this.#spoken || this.#exchange === undefined) return
    this.#spoken = true
    if (!this.#input.paused) this.#expectRead(this.#exchange)
  }

  drop(): void {
    this.#exchange = undefined
    this.#input.forget()
    this.#parser.stop()
    this.#close()
    this.#socket?.terminate()
  }

  /** Something of ours has thrown: the call and its connection end, the other calls live. */
  crash(cause: unknown): void {
    const exchange = this.#exchange
    this.drop()
    exchange?.crash(cause)
  }

  // As a deadline

  expire(): void {
    try {
      this.#expired()
    } catch (cause) {
      this.crash(cause)
    }
  }

  // As the listener of its parser

  onHead(head: Head): void {
    // A refusal may come before the request is whole; an answer to it cannot.
    if (this.#sending && head.status < 400) throw this.#unasked('it answered before the request was sent')
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

  opened(socket: Socket<SocketOwner>): void {
    this.#socket = socket
    if (this.#stage === 'closed') socket.terminate()
  }

  stands(): void {
    if (this.#stage === 'connecting' && this.#exchange) this.carry(this.#exchange)
  }

  read(bytes: Uint8Array): void {
    const exchange = this.#exchange
    // Bytes that nobody asked for: what they would be taken for next is anyone's guess.
    if (exchange === undefined) return this.#strayed()
    if (this.#sending && this.#exchanges > 1) return this.#answeredBefore(exchange)
    this.#received = true
    if (exchange.answered && exchange.unclaimed) this.pause()
    if (this.#input.keep(bytes)) return
    this.#expectRead(exchange)
    this.#parse(bytes, exchange)
  }

  writable(): void {
    const exchange = this.#exchange
    // An answer that has begun is a refusal: nobody reads the rest.
    if (!this.#sending || exchange === undefined || exchange.answered || this.#stage !== 'busy') return
    if (!this.#firstEventSeen) this.#expectEvent(exchange)
    this.#sendOn(exchange)
  }

  ended(error: Error | undefined): void {
    if (error) this.#lost(this.#broken('the connection was lost', error))
    else if (this.#stage === 'connecting') this.#lost(this.#broken('closed while connecting'))
    else this.#lost('closed')
  }

  refused(error: Error): void {
    this.#lost(this.#broken('the certificate is not trusted', error))
    this.#socket?.terminate()
  }

  #expired(): void {
    const exchange = this.#exchange
    if (exchange === undefined) return this.retire()
    const silence = this.#describeSilence(exchange)
    this.drop()
    exchange.fail(new UpstreamError({ kind: 'timeout', ...silence }))
  }

  #open(exchange: Exchange): void {
    const { outgoing } = exchange
    outgoing.restart()
    const { opening, openingBytes } = outgoing
    const written = this.#socket?.write(opening) ?? -1
    if (written < 0) return this.#lost(this.#broken('the connection closed before the request was sent'))
    if (written === openingBytes) return this.#sendOn(exchange)
    this.#unsent = Buffer.from(opening).subarray(written)
  }

  /** Writes what the socket takes; the rest follows when it is writable again, or in another turn. */
  #sendOn(exchange: Exchange): void {
    const { outgoing } = exchange
    for (let bytes = 0; bytes < TURN_BYTES;) {
      if (this.#unsent === undefined && outgoing.exhausted) {
        this.#sending = false
        return exchange.sent()
      }
      const piece = this.#unsent ?? outgoing.next()
      const written = Math.max(this.#socket?.write(piece) ?? 0, 0)
      this.#unsent = written < piece.length ? piece.subarray(written) : undefined
      if (this.#unsent !== undefined) return
      // What is sent must be known as sent in this turn: the answer may come in the next.
      bytes += outgoing.exhausted ? 0 : written
    }
    setImmediate(() => this.turn(exchange))
  }

  /** Goes on sending, unless the call has ended meanwhile. */
  turn(exchange: Exchange): void {
    if (this.#exchange !== exchange || this.#unsent !== undefined) return
    try {
      this.writable()
    } catch (cause) {
      this.crash(cause)
    }
  }

  #strayed(): void {
    this.#owner.onStray(this)
    this.drop()
  }

  /** On a connection that has carried others, an answer to an unfinished request is somebody else's. */
  #answeredBefore(exchange: Exchange): void {
    const error = this.#unasked('it answered before the request was sent')
    const carryOver = () => this.#owner.onUnanswered(this, exchange, error)
    this.#close()
    carryOver()
    this.#exchange = undefined
    this.#socket?.terminate()
  }

  #unasked(what: string): UpstreamError {
    this.#owner.onStray(this)
    return new UpstreamError({ kind: 'invalid_answer', detail: `${this.origin.key}: ${what}` })
  }

  #parse(bytes: Uint8Array, exchange: Exchange): void {
    this.#parsing = true
    try {
      this.#parser.push(bytes)
    } catch (error) {
      if (!(error instanceof UpstreamError)) return this.crash(error)
      this.drop()
      exchange.fail(error)
    } finally {
      this.#parsing = false
    }
    if (this.#exchange === undefined) this.#release()
  }

  /** What came while paused goes first, then the end of the connection, then what the socket holds. */
  #drain(exchange: Exchange): void {
    this.#input.drain({
      wants: () => this.#exchange === exchange,
      data: (bytes) => this.#parse(bytes, exchange),
      end: (loss) => this.#settleLoss(exchange, loss),
    })
  }

  #release(): void {
    if (this.#stage !== 'busy') return
    const { keepsBytes } = this.#input
    if (this.#parser.excess || keepsBytes) this.#owner.onStray(this)
    if (!this.#parser.reusable || this.#sending || keepsBytes) return this.retire()
    this.#input.readOn()
    this.#stage = 'idle'
    this.#owner.onIdle(this)
  }

  #lost(loss: UpstreamError | 'closed'): void {
    if (this.#stage === 'closed') return
    this.#close()
    const exchange = this.#exchange
    if (exchange === undefined) return
    if (!this.#input.keepEnd(loss)) this.#settleLoss(exchange, loss)
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

  #expectEvent({ timeouts: { firstEventMs, firstByteMs = firstEventMs } }: Exchange): void {
    this.#eventBy = this.#deadlines.in(firstEventMs)
    this.expiresAt = Math.min(this.#deadlines.in(firstByteMs), this.#eventBy)
  }

  #expectRead(exchange: Exchange): void {
    const until = this.#firstEventSeen ? this.#endsAt : this.#eventBy
    this.expiresAt = Math.min(this.#deadlines.in(this.#silenceMs(exchange)), until)
  }

  /** How long nothing may arrive. */
  #silenceMs({ timeouts: { idleMs, spokenIdleMs = idleMs } }: Exchange): number {
    return this.#spoken ? spokenIdleMs : idleMs
  }

  #describeSilence(exchange: Exchange): { code: string; detail: string } {
    const { connectMs, firstEventMs, firstByteMs = firstEventMs, totalMs } = exchange.timeouts
    const { key } = this.origin
    if (this.#stage === 'connecting') {
      return { code: 'connect_timeout', detail: `no connection to ${key} within ${connectMs} ms` }
    }
    if (this.#firstEventSeen && this.expiresAt === this.#endsAt) {
      return { code: 'total_timeout', detail: `${key} did not end its answer within ${totalMs} ms` }
    }
    if (this.#firstEventSeen || (this.#received && this.expiresAt !== this.#eventBy)) {
      const silenceMs = this.#silenceMs(exchange)
      return { code: 'idle_timeout', detail: `${key} was silent for ${silenceMs} ms in its answer` }
    }
    if (this.expiresAt !== this.#eventBy) {
      return { code: 'first_byte_timeout', detail: `no byte from ${key} within ${firstByteMs} ms` }
    }
    const missing = exchange.answered ? 'event' : 'answer'
    return { code: 'first_event_timeout', detail: `no ${missing} from ${key} within ${firstEventMs} ms` }
  }

  #broken(what: string, cause?: unknown): UpstreamError {
    // The runtime's: ECONNREFUSED, DEPTH_ZERO_SELF_SIGNED_CERT.
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
    const reason = cause instanceof Error ? `: ${code ?? cause.message}` : ''
    const detail = `${this.origin.key}: ${what}${reason}`
    const connecting = this.#stage === 'connecting'
    if (connecting && code === NO_PORT)
      return new UpstreamError({ kind: 'no_ports', code: 'out_of_ports', detail }, { cause })
    if (connecting && isOutOfFiles())
      return new UpstreamError({ kind: 'no_files', code: 'out_of_files', detail }, { cause })
    const unreachable = connecting && ({ unreachable: true } as const)
    return new UpstreamError(
      { kind: 'connection', code: code ?? 'connection_lost', ...unreachable, detail },
      { cause },
    )
  }
}

/** What a peer promises with `keep-alive: timeout=<seconds>`, in milliseconds. */
function keepAliveMs(value: string | undefined): number | undefined {
  const seconds = /timeout=(\d{1,6})/i.exec(value ?? '')?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
