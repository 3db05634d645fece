import type { TCPSocketListener, TLSOptions } from 'bun'
import type { Act, Script } from './scriptedActs.ts'
import { type RecordedRequest, RequestReader } from './scriptedRequest.ts'
import { Peer, turnOf } from './scriptedTurn.ts'

export * from './scriptedActs.ts'
export * from './scriptedOpenai.ts'
export type { RecordedRequest } from './scriptedRequest.ts'
export type { Turn } from './scriptedTurn.ts'

/** A fake provider on a raw TCP socket: true bytes, and every way to misbehave with them. */
export interface ScriptedProvider extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** The origin with `/v1`: what a configuration calls the base URL. */
  readonly baseUrl: string
  readonly port: number
  /** Every whole request, in order of arrival. */
  readonly requests: readonly RecordedRequest[]
  readonly connectionsAccepted: number
  readonly connectionsOpen: number
  /** Connections that the peer ended while an act was still being played. */
  readonly aborted: number
  /** Bytes of answers that the kernel has taken, over all connections. */
  readonly bytesWritten: number
  /** Plays another script from the next request on. */
  play(script: Script): void
  /** Resolves when the condition holds; looked at whenever anything above changes. */
  until(condition: (provider: ScriptedProvider) => boolean): Promise<void>
  /** Resolves with the request of this ordinal (from 0, the default). */
  request(ordinal?: number): Promise<RecordedRequest>
  /** Resolves when so many connections have ended since the start. */
  connectionClosed(count?: number): Promise<void>
  /** Resolves when the peer has ended so many connections in the middle of an answer. */
  abortSeen(count?: number): Promise<void>
  /** Stops listening and ends all connections. */
  stop(): void
}

/**
 * Starts a provider that follows the script.
 *
 * @example
 * await using provider = await startScriptedProvider(streams('Hello', ' world'))
 * await using flaky = await startScriptedProvider(inTurn(openaiError(500), streams('at last')))
 * await using choosy = await startScriptedProvider((request) => request.path === '/v1/models' ? respond({…}) : hang())
 */
export function startScriptedProvider(
  script: Script,
  options: { readonly tls?: TLSOptions } = {},
): Promise<ScriptedProvider> {
  return Promise.resolve(new RunningProvider(script, options.tls))
}

/** An origin that nobody listens on: connections to it are refused. */
export function refuse(): string {
  return `http://127.0.0.1:${PORT_OF_NOBODY}`
}

/** A privileged port that no service has. A free one that was let go may be given to the next listener. */
const PORT_OF_NOBODY = 1

interface Visit {
  readonly peer: Peer
  readonly reader: RequestReader
  playing: boolean
}

class RunningProvider implements ScriptedProvider {
  readonly origin: string
  readonly port: number
  readonly requests: RecordedRequest[] = []
  connectionsAccepted = 0
  connectionsOpen = 0
  aborted = 0
  readonly #peers: Peer[] = []
  readonly #listener: TCPSocketListener<Visit | undefined>
  #script: Script
  #waiting: (() => void)[] = []

  constructor(script: Script, tls: TLSOptions | undefined) {
    this.#script = script
    this.#listener = Bun.listen<Visit | undefined>({
      hostname: '127.0.0.1',
      port: 0,
      ...(tls && { tls }),
      socket: {
        open: (socket) => {
          const visit = this.#accept(new Peer(socket))
          socket.data = visit
          void this.#greet(visit)
        },
        data: (socket, bytes) => {
          if (socket.data === undefined) return
          socket.data.reader.push(bytes)
          void this.#serve(socket.data)
        },
        drain: (socket) => socket.data?.peer.drained(),
        close: (socket) => this.#closed(socket.data),
        error: (_, error) => {
          throw error
        },
      },
    })
    this.port = this.#listener.port
    this.origin = `${tls ? 'https' : 'http'}://127.0.0.1:${this.port}`
  }

  get baseUrl(): string {
    return `${this.origin}/v1`
  }

  get bytesWritten(): number {
    return this.#peers.reduce((sum, peer) => sum + peer.bytesWritten, 0)
  }

  play(script: Script): void {
    this.#script = script
  }

  async until(condition: (provider: ScriptedProvider) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  async request(ordinal = 0): Promise<RecordedRequest> {
    await this.until(() => this.requests.length > ordinal)
    return this.requests[ordinal] as RecordedRequest
  }

  connectionClosed(count = 1): Promise<void> {
    return this.until(() => this.connectionsAccepted - this.connectionsOpen >= count)
  }

  abortSeen(count = 1): Promise<void> {
    return this.until(() => this.aborted >= count)
  }

  stop(): void {
    this.#listener.stop(true)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    return Promise.resolve()
  }

  #accept(peer: Peer): Visit {
    const visit: Visit = { peer, reader: new RequestReader(this.connectionsAccepted), playing: false }
    this.#peers.push(peer)
    this.connectionsAccepted++
    this.connectionsOpen++
    this.#changed()
    return visit
  }

  /** Plays an act that comes before any request. */
  async #greet(visit: Visit): Promise<void> {
    if (typeof this.#script !== 'object' || this.#script.at !== 'accept') return
    visit.peer.stopReading()
    await this.#perform(visit, this.#script, undefined)
  }

  /** Answers the requests of one connection, one after another. */
  async #serve(visit: Visit): Promise<void> {
    if (visit.playing) return
    for (let request = visit.reader.next(); request; request = visit.reader.next()) {
      const script = this.#script
      const act = typeof script === 'function' ? script(request, this.requests.length) : script
      this.requests.push(request)
      this.#changed()
      await this.#perform(visit, act, request)
    }
  }

  async #perform(visit: Visit, act: Act, request: RecordedRequest | undefined): Promise<void> {
    visit.playing = true
    await act.play(turnOf(visit.peer, request))
    visit.playing = false
  }

  #closed(visit: Visit | undefined): void {
    // A TLS handshake that failed never was a connection of ours.
    if (visit === undefined) return
    this.connectionsOpen--
    if (visit.playing && !visit.peer.endedByUs) this.aborted++
    visit.peer.closed()
    this.#changed()
  }

  #changed(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
