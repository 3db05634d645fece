import type { Door } from '../operations/door/door.ts'
import type { OperationDeps } from '../operations/deps.ts'
import type { DataPlaneEndpoint } from './dataPlane/endpoint.ts'
import type { Proxies } from './insider.ts'

/** What everything beside `/v1` needs: ports and functions. */
export interface AppDeps extends OperationDeps {
  /** What is described under `/v1`; it is served elsewhere. */
  readonly dataPlane: readonly DataPlaneEndpoint[]
  /** Who may use the admin API. */
  readonly door: Door
  /** Whoever carries it sees metrics and details; undefined: this machine does. */
  readonly metricsToken: () => string | undefined
  readonly proxies: Proxies
  /** Whether this process can serve now. Must not throw. */
  readonly health: () => Promise<Health>
  /** Prometheus text. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>
  /** Tollgate's own version. */
  readonly version: string
  /** Hears of every 5xx that is a bug or an outage of ours; never shown to a caller. */
  readonly reportError: (error: unknown, requestId: string) => void
}

export interface Health {
  readonly ready: boolean
  /** By part (`store`, `config`, …): `ok`, or what is wrong in words fit for strangers. */
  readonly checks: Readonly<Record<string, string>>
}
