import type { Socket, TLSOptions } from 'bun'
import { UpstreamError } from '../../core/failure.ts'
import { brokenConnection } from './brokenConnection.ts'
import type { Deadlines } from './deadlines.ts'
import type { Carrier, Exchange } from './exchange.ts'
import type { Origin } from './origin.ts'
import { Patience } from './patience.ts'
import { PausableInput } from './pausableInput.ts'
import { RequestSender, type Sent } from './requestSender.ts'
import { type Head, keepAliveMsOf } from './responseHead.ts'
import { type ResponseEvents, ResponseParser } from './responseParser.ts'
import { PLAIN_HANDLERS, SECURE_HANDLERS, type SocketOwner } from './socketHandlers.ts'

/** The opener of a connection receives what becomes of it. */
export interface ConnectionOwner {
  /** Its answer is whole and it may take another request. */
  onIdle(connection: Connection): void
  /** It is gone for good. */
  onClosed(connection: Connection): void
  /** The exchange got no byte of an answer on it: the owner fails it or moves it to a fresh connection. */
  onUnanswered(connection: Connection, exchange: Exchange, error: UpstreamError): void
  /** Its peer sent bytes that no request had asked for. */
  onStray(connection: Connection): void
}

/** One socket to a provider. It serves one exchange at a time, and any number in turn. */
export class Connection implements Carrier, ResponseEvents, SocketOwner {
  readonly origin: Origin
  /** How long the peer keeps it when idle, as it said with its last answer. */
  keepAliveMs: number | undefined
  readonly #owner: ConnectionOwner
  readonly #patience: Patience
  readonly #parser: ResponseParser
  #socket: Socket<SocketOwner> | undefined
  #stage: 'connecting' | 'busy' | 'idle' | 'closed' = 'connecting'
  #exchange: Exchange | undefined
  #exchanges = 0
  #parsing = false
  /** What the socket gives, at the pace of the body's reader; how it ended comes last. */
  readonly #input = new PausableInput<UpstreamError | 'closed'>(() => this.#socket)
  readonly #sender = new RequestSender(() => this.#socket)

  constructor(origin: Origin, owner: ConnectionOwner, deadlines: Deadlines) {
    this.origin = origin
    this.#owner = owner
    this.#patience = new Patience(deadlines, () => this.#expire())
    this.#parser = new ResponseParser(this)
  }

  /** Connects and, once that is done (TLS included), sends the exchange. */
  open(exchange: Exchange, tls: TLSOptions | undefined): void {
    this.#exchange = exchange
    exchange.carriedBy(this)
    this.#patience.connect(exchange.timeouts)
    const { hostname, port } = this.origin
    const connecting = tls
      ? Bun.connect<SocketOwner>({ hostname, port, data: this, tls, socket: SECURE_HANDLERS })
      : Bun.connect<SocketOwner>({ hostname, port, data: this, socket: PLAIN_HANDLERS })
    connecting.catch((error: unknown) => this.#lost(this.#broken('cannot connect', error)))
  }

  /** Sends an exchange over a connection that is open. */
  carry(exchange: Exchange): void {
    this.#exchange = exchange
    this.#stage = 'busy'
    this.#exchanges++
    this.#input.resume()
    this.#parser.reset()
    exchange.carriedBy(this)
    this.#patience.begin(exchange.timeouts)
    try {
      this.#sent(this.#sender.start(exchange.outgoing), exchange)
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
    if (this.#exchanges < 2 || this.#patience.received) return false
    return this.#sender.sending || this.#exchange?.method === 'GET'
  }

  /** Waits for its next exchange, so long. */
  rest(forMs: number): void {
    this.#patience.rest(forMs)
  }

  /** When it began to rest, on the clock of its deadlines. */
  get idleSince(): number {
    return this.#patience.restsSince
  }

  /** Closes an idle connection in order. */
  retire(): void {
    this.#close()
    this.#socket?.end()
  }

  // As the carrier of an exchange

  pause(): void {
    this.#input.pause()
    this.#patience.pause()
  }

  resume(): void {
    const exchange = this.#exchange
    if (!this.#input.paused || exchange === undefined) return
    this.#input.resume()
    this.#patience.resume()
    // A reader that resumes within its own callback: what is kept follows when the callback returns.
    if (!this.#parsing) this.#drain(exchange)
  }

  firstEventSeen(): void {
    if (this.#exchange !== undefined) this.#patience.firstEventSeen()
  }

  spoken(): void {
    if (this.#exchange !== undefined) this.#patience.spoken()
  }

  drop(): void {
    this.#exchange = undefined
    this.#input.forget()
    this.#parser.stop()
    this.#close()
    this.#socket?.terminate()
  }

  /** Code of the gateway has thrown: the call and its connection end, the other calls live. */
  crash(cause: unknown): void {
    const exchange = this.#exchange
    this.drop()
    exchange?.crash(cause)
  }

  // As the listener of its parser

  onHead(head: Head): void {
    // A refusal may come before the request is whole; an answer to it cannot.
    if (this.#sender.sending && head.status < 400)
      throw this.#unasked('it answered before the request was sent')
    this.keepAliveMs = keepAliveMsOf(head)
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
    // Bytes that no request asked for: what they would be taken for next is anyone's guess.
    if (exchange === undefined) return this.#strayed()
    if (this.#sender.sending && this.#exchanges > 1) return this.#answeredBefore(exchange)
    this.#patience.receive()
    if (exchange.answered && exchange.unclaimed) this.pause()
    if (this.#input.keep(bytes)) return
    this.#patience.read()
    this.#parse(bytes, exchange)
  }

  writable(): void {
    const exchange = this.#exchange
    // An answer that has begun is a refusal: its peer does not read the rest.
    const { sending } = this.#sender
    if (!sending || exchange === undefined || exchange.answered || this.#stage !== 'busy') return
    this.#patience.took()
    this.#sent(this.#sender.goOn(exchange.outgoing), exchange)
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

  #sent(what: Sent, exchange: Exchange): void {
    if (what === 'all') exchange.sent()
    else if (what === 'turn') setImmediate(() => this.#sendOn(exchange))
    else if (what === 'lost') this.#lost(this.#broken('the connection closed before the request was sent'))
  }

  /** Goes on sending, unless the call has ended meanwhile. */
  #sendOn(exchange: Exchange): void {
    if (this.#exchange !== exchange || this.#sender.waits) return
    try {
      this.writable()
    } catch (cause) {
      this.crash(cause)
    }
  }

  #expire(): void {
    try {
      this.#expired()
    } catch (cause) {
      this.crash(cause)
    }
  }

  #expired(): void {
    const exchange = this.#exchange
    if (exchange === undefined) return this.retire()
    const silence = this.#patience.describeSilence({ key: this.origin.key, answered: exchange.answered })
    this.drop()
    exchange.fail(new UpstreamError({ kind: 'timeout', ...silence }))
  }

  #strayed(): void {
    this.#owner.onStray(this)
    this.drop()
  }

  /** On a connection that has served others, an answer to an unfinished request belongs to another one. */
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
    if (!this.#parser.reusable || this.#sender.sending || keepsBytes) return this.retire()
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
    if (this.#patience.received) exchange.fail(error)
    else this.#owner.onUnanswered(this, exchange, error)
    this.#exchange = undefined
  }

  #close(): void {
    if (this.#stage === 'closed') return
    this.#stage = 'closed'
    this.#patience.end()
    this.#owner.onClosed(this)
  }

  #broken(what: string, cause?: unknown): UpstreamError {
    const peer = { key: this.origin.key, connecting: this.#stage === 'connecting' }
    return brokenConnection(peer, what, cause)
  }
}
