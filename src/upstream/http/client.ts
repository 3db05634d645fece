import { rootCertificates } from 'node:tls'
import type { TLSOptions } from 'bun'
import { UpstreamError } from '../../core/failure.ts'
import type { HttpClient, HttpRequest, HttpResponse } from '../http.ts'
import { Connection, type ConnectionOwner } from './connection.ts'
import { Deadlines } from './deadlines.ts'
import { decoded } from './decompress.ts'
import { Exchange } from './exchange.ts'
import { type Origin, originOf } from './origin.ts'
import { Pool } from './pool.ts'

/** Connections at once, idle ones included; each is a file descriptor. A call beyond it fails. */
export const MAX_CONNECTIONS = 32_768
/** A connection idle for longer is looked at before use: its peer may have closed it in the meantime. */
export const TRUSTED_IDLE_MS = 1000

export interface HttpClientOptions {
  /** Milliseconds that only ever grow. */
  readonly monotonic: () => number
  /** Certificates (PEM) trusted beside the well-known ones. */
  readonly extraCertificates?: readonly string[]
  /** Hears of what should not happen: a throw in our own code that a call had to end for. */
  readonly reportError?: (error: unknown) => void
}

/** The client, with a look inside. */
export interface SocketHttpClient extends HttpClient {
  openConnections(): { readonly busy: number; readonly idle: number }
}

/** The outgoing HTTP/1.1 client: raw sockets, one pool of idle connections per origin. */
export function createHttpClient(options: HttpClientOptions): SocketHttpClient {
  const { monotonic } = options
  const deadlines = new Deadlines(monotonic)
  const pool = new Pool(monotonic)
  const connections = new Set<Connection>()
  const trust = trustOptions(options)
  const { reportError = () => undefined } = options
  let closed = false

  const owner: ConnectionOwner = {
    onIdle(connection) {
      if (closed) connection.retire()
      else pool.put(connection)
    },
    onClosed(connection) {
      connections.delete(connection)
      pool.remove(connection)
    },
    onUnanswered(connection, exchange, error) {
      if (exchange.retried || !connection.mayCarryOver) return exchange.fail(error)
      exchange.retried = true
      dial(connection.origin, exchange)
    },
    onStray: (connection) => pool.distrust(connection.origin.key),
  }

  function dispatch(exchange: Exchange): void {
    const origin = originOf(exchange.url)
    const connection = pool.take(origin.key)
    if (connection === undefined) dial(origin, exchange)
    else if (deadlines.now - connection.idleSince <= TRUSTED_IDLE_MS) connection.carry(exchange)
    else {
      afterNextPoll(() => {
        try {
          carryIfAlive(connection, exchange)
        } catch (cause) {
          exchange.crash(cause)
        }
      })
    }
  }

  function carryIfAlive(connection: Connection, exchange: Exchange): void {
    if (exchange.over) {
      if (connection.alive) owner.onIdle(connection)
    } else if (connection.alive) connection.carry(exchange)
    else dispatch(exchange)
  }

  function dial(origin: Origin, exchange: Exchange): void {
    if (connections.size >= MAX_CONNECTIONS) {
      return exchange.fail(new UpstreamError({ kind: 'connection', detail: 'too many open connections' }))
    }
    const connection = new Connection(origin, owner, deadlines)
    connections.add(connection)
    connection.open(exchange, origin.secure ? tlsOptions(origin, trust) : undefined)
  }

  return {
    request: (request: HttpRequest) =>
      new Promise<HttpResponse>((resolve, reject) => {
        const answer = (response: HttpResponse) => resolve(decoded(response, reject, reportError))
        const exchange = new Exchange(request, answer, reject, reportError)
        if (!exchange.over) dispatch(exchange)
      }),
    close() {
      closed = true
      pool.clear()
    },
    openConnections: () => ({ busy: connections.size - pool.size, idle: pool.size }),
  }
}

/** A poll for socket events lies between the two turns: a close that has arrived by now will have been seen. */
function afterNextPoll(action: () => void): void {
  setImmediate(() => setImmediate(action))
}

/** Naming certificates replaces the well-known ones, so those are named too. */
function trustOptions(options: HttpClientOptions): TLSOptions {
  const { extraCertificates = [] } = options
  return extraCertificates.length === 0 ? {} : { ca: [...rootCertificates, ...extraCertificates] }
}

function tlsOptions(origin: Origin, trust: TLSOptions): TLSOptions {
  // Stated, so that no environment variable can switch it off.
  const verified = { ...trust, rejectUnauthorized: true }
  return origin.serverName === undefined ? verified : { ...verified, serverName: origin.serverName }
}
