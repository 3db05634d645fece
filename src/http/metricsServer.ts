import { refuse } from '../core/error.ts'
import type { App } from './app.ts'
import { isLoopbackName } from './insider.ts'
import { refusalOf, refusalResponse } from './respond.ts'
import { type HttpServer, listen } from './server.ts'
import { foldSlashes, targetOf } from './target.ts'

const IDLE_TIMEOUT_SECONDS = 60
/** Nobody sends a body here. */
const BODY_BYTES_MAX = 1_024
/** What insiders see here. */
const PATHS = new Set(['/metrics', '/readyz', '/healthz'])

export interface MetricsServerOptions {
  readonly host: string
  readonly port: number
  readonly app: App
  readonly reportError: (error: unknown) => void
}

/**
 * Listens at an address of its own, which only insiders can reach, and answers nothing but metrics and health there.
 * Throws `AddressInUse` or `AddressUnavailable`.
 */
export function startMetricsServer({ host, port, app, reportError }: MetricsServerOptions): HttpServer {
  const onLoopback = isLoopbackName(host)
  return listen(
    { host, port },
    {
      idleTimeout: IDLE_TIMEOUT_SECONDS,

      maxRequestBodySize: BODY_BYTES_MAX,
      fetch(request) {
        const path = foldSlashes(targetOf(request.url)?.path ?? '/')
        if (!PATHS.has(path)) return refusalResponse(NOTHING_ELSE)
        // A page from elsewhere whose name was made to lead here comes with that name.
        return app.fetch(request, { inside: !onLoopback || isLoopbackName(request.headers.get('host')) })
      },
      error(error) {
        reportError(error)
        return refusalResponse(refusalOf(error))
      },
    },
  )
}

const NOTHING_ELSE = refuse('not_found', 'This address serves /metrics, /readyz and /healthz only.')
