import type { RouteConfig } from '@hono/zod-openapi'
import type { Query } from '../operations/operations.ts'
import type { Acting } from '../operations/act.ts'

/** One method and path: how it is described and how it is answered, side by side. */
export interface Endpoint {
  /** OpenAPI's description; `path` has its parameters in braces. */
  readonly route: RouteConfig
  readonly handle: (call: Call) => Response | Promise<Response>
}

/** What a handler sees of a request. */
export interface Call {
  readonly request: Request
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Query parameters; of a repeated one the first. */
  readonly query: Query
  /** Somebody on this machine asks, or whoever the configuration lets see how the process is doing. */
  readonly insider: boolean
  /** The request came from a proxy that the configuration trusts. */
  readonly viaProxy: boolean
  /** Who asks; undefined outside of the admin API. */
  readonly by: Acting | undefined
  /** Throws unless whoever asks may still do so: a body may have taken its time. */
  readonly stillAdmitted: () => Promise<void>
}

/** The parameter that the path is known to have. */
export function pathParam(call: Call, name: string): string {
  return call.params[name] ?? ''
}
