import type { App } from './app.ts'
import type { DataPlane } from './dataPlane.ts'

/** A connection of a caller that rests for this long is closed; a chat call under way is exempt. */
const IDLE_TIMEOUT_SECONDS = 60
/** How long a request's body may take to arrive: the most that the runtime can count. */
const BODY_TIMEOUT_SECONDS = 255
/** Our own bounds decide, so that our own 413 answers: nothing is read before its size was looked at. */
const BODY_BYTES_CEILING = Number.MAX_SAFE_INTEGER

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly app: App
  readonly dataPlane: DataPlane
  readonly reportError: (error: unknown) => void
  /** Default 60. */
  readonly idleTimeoutSeconds?: number
}

export interface HttpServer {
  /** `http://127.0.0.1:4100` */
  readonly url: string
  readonly port: number
  /** Takes no new connections; resolves when those under way are closed. */
  stop(): Promise<void>
  /** Closes everything at once. */
  close(): Promise<void>
}

/** Another process listens on the port already: two that share it would each get some of the requests. */
export class AddressInUse extends Error {
  readonly port: number

  constructor(host: string, port: number, options: ErrorOptions) {
    super(`${authorityOf(host, port)} is in use`, options)
    this.port = port
  }
}

/** Listens, and sends each request to the data plane or to the app beside it. Throws `AddressInUse`. */
export function startServer(options: ServerOptions): HttpServer {
  const { idleTimeoutSeconds = IDLE_TIMEOUT_SECONDS } = options
  const server = listen(options, {
    hostname: options.host,
    port: options.port,
    reusePort: false,
    development: false,
    idleTimeout: idleTimeoutSeconds,
    maxRequestBodySize: BODY_BYTES_CEILING,
    fetch(request, server) {
      const { path, query } = splitUrl(request.url)
      if (!isDataPlane(path)) return options.app.fetch(request)
      // The runtime counts a request's whole time, and what is set here outlives it on its connection.
      if (request.method === 'POST') server.timeout(request, BODY_TIMEOUT_SECONDS)
      return options.dataPlane.handle(request, path, query, {
        forAnswer: () => server.timeout(request, 0),
        rest: () => server.timeout(request, idleTimeoutSeconds),
      })
    },
    error(error) {
      options.reportError(error)
      return new Response(
        '{"error":{"code":"internal_error","message":"Something went wrong on our side.","type":"server_error","param":null}}',
        {
          status: 500,
          headers: { 'content-type': 'application/json' },
        },
      )
    },
  })
  const port = server.port ?? options.port
  return {
    url: `http://${authorityOf(options.host, port)}`,
    port,
    stop: () => server.stop(false),
    close: () => server.stop(true),
  }
}

function listen(
  { host, port }: ServerOptions,
  settings: Parameters<typeof Bun.serve<undefined>>[0],
): Bun.Server<undefined> {
  try {
    return Bun.serve(settings)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE') {
      throw new AddressInUse(host, port, { cause })
    }
    throw cause
  }
}

function authorityOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function isDataPlane(path: string): boolean {
  return path.startsWith('/v1/') || path === '/v1'
}

/** Path and query of an absolute URL, without the cost of parsing all of it. */
function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  if (start === -1) return { path: '/', query: '' }
  const mark = url.indexOf('?', start)
  if (mark === -1) return { path: url.slice(start), query: '' }
  return { path: url.slice(start, mark), query: url.slice(mark + 1) }
}
