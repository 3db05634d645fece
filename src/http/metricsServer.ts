import { refuse } from '../core/error.ts'
import type { App } from './app.ts'
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
  return listen(
    { host, port },
    {
      idleTimeout: IDLE_TIMEOUT_SECONDS,

      maxRequestBodySize: BODY_BYTES_MAX,
      fetch(request) {
        const path = foldSlashes(targetOf(request.url)?.path ?? '/')
        return PATHS.has(path) ? app.fetch(request, { inside: true }) : refusalResponse(NOTHING_ELSE)
      },
      error(error) {
        reportError(error)
        return refusalResponse(refusalOf(error))
      },
    },
  )
}

const NOTHING_ELSE = refuse('not_found', 'This address serves /metrics, /readyz and /healthz only.')
