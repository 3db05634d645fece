import { type Refusal, refuse } from '../core/error.ts'
import type { App } from './app.ts'
import type { DataPlane } from './dataPlane/dataPlane.ts'
import { framingFault } from './framing.ts'
import { callerAddress, type Proxies } from './insider.ts'
import { refusalOf, refusalResponse } from './respond.ts'
import { disguisedPath, SEGMENT_PATTERNS, type Segments } from './sentPath.ts'
import { foldSlashes, targetOf } from './target.ts'

/**
 * A connection of a caller that rests for this long is closed; a chat call under way is exempt. Longer than the 60 s of most
 * balancers: the side that sends the next request has to close first.
 */
export const IDLE_TIMEOUT_SECONDS = 75
/** How long a request's body may take to arrive: the most that the runtime can count. */
export const BODY_TIMEOUT_SECONDS = 255
/** Our own bounds decide, so that our own 413 answers: nothing is read before its size was looked at. */
const BODY_BYTES_CEILING = Number.MAX_SAFE_INTEGER
/** What supervisors and Prometheus ask all the time, also of a gateway without callers. */
const WATCHERS_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])
/** Of a path that was sent letter by letter as it is written here. */
const NO_SEGMENTS: Segments = {}
const NO_PATH = refuse('invalid_request', 'The request does not name a path of this server.')
const DISGUISED = refuse('not_found', 'There is nothing at this path.')

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly app: App
  readonly dataPlane: DataPlane
  readonly proxies: Proxies
  /** An id for what neither of them answers. */
  readonly requestId: () => string
  readonly reportError: (error: unknown) => void
  /** Called once, before the first request is answered that is for neither health nor metrics. */
  readonly onFirstRequest?: () => void
  /** Default `IDLE_TIMEOUT_SECONDS`. */
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

/** The address to listen on belongs to no interface of this machine. */
export class AddressUnavailable extends Error {
  constructor(host: string, options: ErrorOptions) {
    super(`${host} is not an address of this machine`, options)
  }
}

/** Listens, and sends each request to the data plane or to the app beside it. Throws `AddressInUse` or `AddressUnavailable`. */
export function startServer(options: ServerOptions): HttpServer {
  const { idleTimeoutSeconds = IDLE_TIMEOUT_SECONDS } = options
  let { onFirstRequest } = options

  function refused(refusal: Refusal): Response {
    const response = refusalResponse(refusal)
    response.headers.set('X-Request-ID', options.requestId())
    return response
  }

  /** The last answer of its connection: where the next request would begin is not certain. */
  function lastRefusal(refusal: Refusal): Response {
    const response = refused(refusal)
    response.headers.set('Connection', 'close')
    return response
  }

  function answer(
    request: Request,
    server: Bun.Server<undefined>,
    segments?: Segments,
  ): Response | Promise<Response> {
    const fault = framingFault(request.headers)
    if (fault !== undefined) return lastRefusal(refuse('invalid_request', fault))
    const target = targetOf(request.url)
    if (!target) return lastRefusal(NO_PATH)
    const path = foldSlashes(target.path)
    if (onFirstRequest && !WATCHERS_PATHS.has(path)) {
      onFirstRequest()
      onFirstRequest = undefined
    }
    const disguised = disguisedPath(target.path, segments)
    // What came to /v1, or leads there, asks for a key before it is 404.
    if (!isDataPlane(path) && !isDataPlane(disguised ?? path)) {
      if (disguised !== undefined) return refused(DISGUISED)
      return options.app.fetch(request, { address: server.requestIP(request)?.address })
    }
    // The runtime counts a request's whole time, and what is set here outlives it on its connection.
    if (request.method === 'POST') server.timeout(request, BODY_TIMEOUT_SECONDS)
    return options.dataPlane.handle(request, disguised ?? path, target.query, {
      forAnswer: () => server.timeout(request, 0),
      rest: () => server.timeout(request, idleTimeoutSeconds),
      address: () =>
        callerAddress(
          { address: server.requestIP(request)?.address, headers: request.headers },
          options.proxies,
        ),
    })
  }
  const answerExact: Handler = (request, server) => answer(request, server, NO_SEGMENTS)
  const answerSent: Handler = (request, server) => answer(request, server, request.params)

  return listen(options, {
    idleTimeout: idleTimeoutSeconds,
    maxRequestBodySize: BODY_BYTES_CEILING,
    routes: {
      // Without segments to look through: nearly every request is for one of these.
      ...Object.fromEntries(options.dataPlane.pricedPaths.map((path) => [path, answerExact])),
      ...Object.fromEntries(SEGMENT_PATTERNS.map((pattern) => [pattern, answerSent])),
    },
    fetch: (request, server) => answer(request, server),
    error(error) {
      options.reportError(error)
      return lastRefusal(refusalOf(error))
    },
  })
}

type Handler = (
  request: Request & { readonly params: Segments },
  server: Bun.Server<undefined>,
) => Response | Promise<Response>

interface Handling {
  /** By the pattern of a path as it was sent; what matches none goes to `fetch`. */
  readonly routes?: Readonly<Record<string, Handler>>
  readonly fetch: (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>
  readonly error: (error: Error) => Response
  readonly idleTimeout: number
  readonly maxRequestBodySize: number
}

/** How the runtime says that it cannot listen there; all but the first are of names that lead to no address. */
const NO_ADDRESS = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'ENOENT', 'EINVAL'])

/** Listens alone on its port. Throws `AddressInUse` or `AddressUnavailable`. */
export function listen({ host, port }: Pick<ServerOptions, 'host' | 'port'>, settings: Handling): HttpServer {
  // The runtime's types have two of `Request` that do not fit each other.
  const routes = (settings.routes ?? {}) as unknown as Bun.Serve.Routes<undefined, string>
  try {
    const server = Bun.serve({
      ...settings,
      routes,
      hostname: host,
      port,
      reusePort: false,
      development: false,
    })
    const bound = server.port ?? port
    return {
      url: `http://${authorityOf(host, bound)}`,
      port: bound,
      stop: () => server.stop(false),
      close: () => server.stop(true),
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'EADDRINUSE') throw new AddressInUse(host, port, { cause })
    if (NO_ADDRESS.has(String(code))) throw new AddressUnavailable(host, { cause })
    throw cause
  }
}

function authorityOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function isDataPlane(path: string): boolean {
  return path.startsWith('/v1/') || path === '/v1'
}
